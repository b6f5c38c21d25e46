"""What changes something that outlives the call: files, processes, the network, databases, memory."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from mrtr_codemod.analysis.calls import own_nodes
from mrtr_codemod.analysis.effect_names import STRONG_VERBS, WEAK_VERBS, effect_of_name, is_sdk
from mrtr_codemod.names.bindings import BindingKind
from mrtr_codemod.names.evaluate import Evaluator
from mrtr_codemod.names.module import FunctionInfo, ScopeId
from mrtr_codemod.names.reference import CALL, Ref, lower
from mrtr_codemod.names.values import ClassValue, External, FunctionValue, InstanceValue, ModuleValue, Value
from mrtr_codemod.project import Project

_MUTATORS = frozenset(
    {"append", "appendleft", "extend", "insert", "add", "update", "pop", "popleft", "popitem", "remove",
    "discard",
     "clear", "setdefault", "put", "put_nowait", "sort", "reverse"}
)  # fmt: skip
_HARMLESS_ROOTS = frozenset(
    {"logging", "logger", "log", "warnings", "print", "structlog", "loguru", "console"}
)
_NO_EFFECTS = frozenset(sys.stdlib_module_names) | {
    "anyio",
    "trio",
    "pydantic",
    "typing_extensions",
    "opentelemetry",
}
"""Packages whose effects are known by name: a verb in another name says nothing."""
_BUILTINS = frozenset(dir(builtins))
_READS = ("select", "pragma", "show", "explain", "describe", "with")
_DEPTH = 6


@dataclass(frozen=True)
class Effect:
    """One effect: its kind (`file`, `process`, `network`, `database`, `memory`, `call`) and what does it, as
    source."""

    kind: str
    what: str
    own: bool = False
    """It changes the object that the method belongs to: an effect only if that object outlives the call."""
    cause: str = ""
    """What has the effect in the end, if `what` is a helper."""


class Effects:
    """Tells the effects of statements and calls, through helpers of the repo."""

    def __init__(self, project: Project, evaluator: Evaluator) -> None:
        self.project = project
        self.evaluator = evaluator
        self._functions: dict[ScopeId, Effect | None] = {}

    def of(self, node: ast.AST, scope: ScopeId, depth: int = 0) -> Effect | None:
        """The effect of a call or of an assigning statement by itself (not of what stands inside it)."""
        if isinstance(node, ast.Call):
            return self._call(node, scope, depth)
        if isinstance(node, (ast.Await, ast.Expr)):
            return self._called_for_its_effect(node.value, scope)
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete)):
            return self._assignment(node, scope)
        return None

    def of_function(self, scope: ScopeId, depth: int = 0) -> Effect | None:
        """The first effect that calling a function may have."""
        if scope in self._functions:
            return self._functions[scope]
        if depth > _DEPTH:
            return None
        self._functions[scope] = None  # what calls itself adds nothing
        node = self.project.node(scope)
        found: Effect | None = None
        for inner in own_nodes(node) if node is not None else ():
            effect = self.of(inner, scope, depth + 1)
            if effect is not None and (found is None or found.own):
                found = effect
            if found is not None and not found.own:
                break
        self._functions[scope] = found
        return found

    # ------------------------------------------------------------------ calls

    def _called_for_its_effect(self, node: ast.expr, scope: ScopeId) -> Effect | None:
        """A call that is awaited or whose result nobody takes, and whose name says that it changes something."""
        ref = lower(node.func) if isinstance(node, ast.Call) else None
        if ref is None or not isinstance(node, ast.Call) or ref[0] in _HARMLESS_ROOTS:
            return None
        values = self.evaluator.values(ref, scope)
        externals = [value.name for value in values if isinstance(value, External)]
        if len(externals) < len(values) or not (externals or self._comes_from_outside(ref, scope)):
            return None
        if any(_has_no_effects(name) for name in externals) or len(ref) < 2:
            return None
        return _by_verb(WEAK_VERBS, ref, _source(node.func))

    def _call(self, node: ast.Call, scope: ScopeId, depth: int) -> Effect | None:
        ref = lower(node.func)
        if ref is None or ref[0] in _HARMLESS_ROOTS:
            return None
        what = _source(node.func)
        values = self.evaluator.values(ref, scope)
        for value in values:
            effect = self._of_value(value, node, ref, scope, what, depth)
            if effect is not None:
                return effect
        if len(ref) > 1 and ref[-1][1:] in _MUTATORS and self.outlives(ref[:-1], scope):
            return Effect("memory", what, own=self._is_own(ref, scope))
        return None if values else self._unknown(ref, scope, what)

    def _of_value(
        self, value: Value, node: ast.Call, ref: Ref, scope: ScopeId, what: str, depth: int
    ) -> Effect | None:
        if isinstance(value, External):
            if value.name in ("open", "io.open") or value.name.endswith(("Path().open", "aiofiles.open")):
                return Effect("file", what) if _opens_for_writing(node, value.name) else None
            kind = effect_of_name(value.name)
            if kind == "database" and _only_reads(node):
                return None
            if kind is not None:
                return Effect(kind, what)
            return None if _has_no_effects(value.name) or len(ref) < 2 else _by_verb(STRONG_VERBS, ref, what)
        if isinstance(value, FunctionValue):
            return self._helper(value, ref, scope, what, depth)
        return None

    def _helper(self, value: FunctionValue, ref: Ref, scope: ScopeId, what: str, depth: int) -> Effect | None:
        effect = self.of_function(value.scope, depth)
        if effect is None:
            return None
        if effect.own:
            if not value.bound or not self.outlives(ref[:-1], scope):
                return None
            return Effect(effect.kind, what, own=self._is_own(ref, scope), cause=effect.cause or effect.what)
        return Effect(effect.kind, what, cause=effect.cause or effect.what)

    def _unknown(self, ref: Ref, scope: ScopeId, what: str) -> Effect | None:
        """A call of something that cannot be followed, by what its name says."""
        if len(ref) < 2 or not self._comes_from_outside(ref, scope):
            return None
        return _by_verb(STRONG_VERBS, ref, what)

    # ------------------------------------------------------------------ assignments

    def _assignment(
        self, node: ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Delete, scope: ScopeId
    ) -> Effect | None:
        targets: list[ast.expr] = (
            list(node.targets) if isinstance(node, (ast.Assign, ast.Delete)) else [node.target]
        )
        for target in _flat(targets):
            ref = lower(target)
            if ref is None:
                continue
            if len(ref) == 1:
                if (
                    scope.qualname
                    and ref[0] in self.project.bindings(scope)[1]
                    and self._is_global(ref[0], scope)
                ):
                    return Effect("memory", f"{ref[0]} = …")
            elif self.outlives(ref[:-1], scope):
                return Effect("memory", f"{_source(target)} = …", own=self._is_own(ref, scope))
        return None

    # ------------------------------------------------------------------ what outlives the call

    def outlives(self, ref: Ref, scope: ScopeId) -> bool:
        """Whether an object is held by a module, or by an object that is."""
        if not ref or CALL in ref[1:]:
            return False
        if self._is_self(ref[0], scope):
            return True
        return self._is_global(ref[0], scope)

    def _is_own(self, ref: Ref, scope: ScopeId) -> bool:
        return self._is_self(ref[0], scope)

    def _is_self(self, name: str, scope: ScopeId) -> bool:
        for info in self._around(scope):
            if info.bound_first == name:
                return info.name not in ("__init__", "__post_init__", "__new__")
            if info.parameter(name) is not None:
                return False
        return False

    def _is_global(self, name: str, scope: ScopeId) -> bool:
        """Whether a name is a variable of a module, its own or one it imports from, that is not a function
        or class."""
        module = self.project.module(scope.path)
        if module is None or not scope.qualname:
            return False
        for info in self._around(scope):
            bindings, outer = self.project.bindings(info.id)
            if name in outer:
                continue
            if info.parameter(name) is not None or name in bindings:
                return False
        bindings_here = module.bindings.get(name)
        if not bindings_here:
            return False
        if any(
            b.kind in (BindingKind.VALUE, BindingKind.INSTANCE, BindingKind.UNKNOWN) for b in bindings_here
        ):
            return not any(_is_harmless(value) for value in self.evaluator.values((name,), scope))
        return any(
            b.kind is BindingKind.IMPORT and self._imports_variable(b.target, scope) for b in bindings_here
        )

    def _imports_variable(self, dotted: str, scope: ScopeId) -> bool:
        owner, _, name = dotted.rpartition(".")
        path = self.project.index.find(owner, scope.path) if owner else None
        module = self.project.module(path) if path else None
        bound = module.bindings.get(name, ()) if module else ()
        return any(b.kind in (BindingKind.VALUE, BindingKind.INSTANCE, BindingKind.UNKNOWN) for b in bound)

    def _comes_from_outside(self, ref: Ref, scope: ScopeId) -> bool:
        """Whether the root of a path is not made in the function itself: a global, `self`, a parameter."""
        root = ref[0]
        for info in self._around(scope):
            if info.parameter(root) is not None:
                return True
            bindings, outer = self.project.bindings(info.id)
            if root in bindings and root not in outer:
                return any(b.ref and b.ref[0] != root for b in bindings[root])
        module = self.project.module(scope.path)
        return module is not None and root in module.bindings

    def _around(self, scope: ScopeId) -> Iterator[FunctionInfo]:
        """A function and the functions around it, innermost first."""
        current = scope
        while current.qualname:
            info = self.project.function(current)
            if info is None:
                return
            yield info
            current = info.parent


_PURE_LOOKALIKES = frozenset(
    {"create_model", "create_task", "create_task_group", "create_autospec", "register_type"}
)


def _by_verb(verbs: frozenset[str], ref: Ref, what: str) -> Effect | None:
    name = ref[-1].lstrip(".")
    first, underscore, _ = name.lstrip("_").partition("_")
    telling = first in verbs and (underscore or name not in _MUTATORS) and name not in _PURE_LOOKALIKES
    return Effect("call", what) if telling else None


def _has_no_effects(external: str) -> bool:
    """Whether a verb in the name of an external object says nothing: its package's effects are known by name."""
    root = external.partition(".")[0].removesuffix(CALL)
    return is_sdk(external) or root in _NO_EFFECTS or root in _BUILTINS or ":" in external


def _is_harmless(value: Value) -> bool:
    if isinstance(value, (ModuleValue, ClassValue, FunctionValue)):
        return True
    if isinstance(value, InstanceValue):
        return False
    return value.name.startswith(("logging.", "structlog.", "loguru.", "contextvars.")) or ":" in value.name


def _flat(targets: list[ast.expr]) -> Iterator[ast.expr]:
    for target in targets:
        if isinstance(target, (ast.Tuple, ast.List)):
            yield from _flat(target.elts)
        else:
            yield target


def _source(node: ast.expr) -> str:
    ref = lower(node)
    return "".join("[…]" if step == "[]" else step for step in ref) if ref else "…"


def _opens_for_writing(node: ast.Call, name: str) -> bool:
    position = 0 if name.endswith("Path().open") else 1
    mode: ast.expr | None = node.args[position] if len(node.args) > position else None
    for keyword in node.keywords:
        if keyword.arg == "mode":
            mode = keyword.value
    return (
        isinstance(mode, ast.Constant)
        and isinstance(mode.value, str)
        and any(c in mode.value for c in "wax+")
    )


def _only_reads(node: ast.Call) -> bool:
    """`execute("SELECT …")`."""
    if not node.args:
        return False
    text = node.args[0]
    if isinstance(text, ast.Call) and text.args:
        text = text.args[0]  # sqlalchemy.text("SELECT …")
    if isinstance(text, ast.JoinedStr) and text.values:
        text = text.values[0]
    return (
        isinstance(text, ast.Constant)
        and isinstance(text.value, str)
        and text.value.lstrip().lower().startswith(_READS)
    )
