"""What the names of one scope are bound to, as access paths."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import NamedTuple

from mrtr_codemod.names.annotation import classes_of
from mrtr_codemod.names.reference import ELEMENT, Ref, alternatives


class BindingKind(Enum):
    """How a name got its value."""

    VALUE = "value"
    INSTANCE = "instance"
    IMPORT = "import"
    FUNCTION = "function"
    CLASS = "class"
    UNKNOWN = "unknown"


class Binding(NamedTuple):
    """One way in which a name is bound.

    `ref` is an access path for VALUE and INSTANCE (of the class there); `target` a dotted name for IMPORT
    and a qualified name for FUNCTION and CLASS.
    """

    kind: BindingKind
    ref: Ref = ()
    target: str = ""
    line: int = 0


UNKNOWN = Binding(BindingKind.UNKNOWN)
Bindings = dict[str, list[Binding]]
Absolute = Callable[[int, "str | None"], str]
"""Turns the level and module of a relative import into an absolute dotted name."""


def own_statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements of a scope, nested blocks included, bodies of nested functions and classes left out."""
    stack = body[::-1]
    while stack:
        statement = stack.pop()
        yield statement
        if statement.__class__ in _COMPOUND:
            for block in blocks_of(statement):
                stack += block[::-1]


def blocks_of(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The blocks directly inside a compound statement."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(statement, name, None)
        if block:
            yield block
    for handler in getattr(statement, "handlers", ()):
        yield handler.body
    for case in getattr(statement, "cases", ()):
        yield case.body


_COMPOUND = frozenset(
    {ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.Match,
     getattr(ast, "TryStar", ast.Try)}
)  # fmt: skip
"""The statements with blocks that belong to the scope around them."""


def collect(
    statements: Iterable[ast.stmt], absolute: Absolute, *, walrus: bool = True
) -> tuple[Bindings, list[str], set[str]]:
    """What the statements of one scope bind, the modules it star-imports, and the names it declares global or
    nonlocal.

    Where the text has no `:=` at all, `walrus` spares looking for one in every expression.
    """
    found: Bindings = defaultdict(list)
    stars: list[str] = []
    outer: set[str] = set()
    for statement in statements:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            _imports(statement, absolute, found, stars)
        elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found[statement.name].append(Binding(BindingKind.FUNCTION, target=str(statement.lineno)))
        elif isinstance(statement, ast.ClassDef):
            found[statement.name].append(Binding(BindingKind.CLASS, target=str(statement.lineno)))
        elif isinstance(statement, (ast.Global, ast.Nonlocal)):
            outer.update(statement.names)
        else:
            _assignments(statement, found)
        if walrus:
            for named in walruses(statement):
                _bind(named.target, named.value, found)
    return found, stars, outer


def _imports(
    statement: ast.Import | ast.ImportFrom, absolute: Absolute, found: Bindings, stars: list[str]
) -> None:
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            name = alias.asname or alias.name.partition(".")[0]
            target = alias.name if alias.asname else name
            found[name].append(Binding(BindingKind.IMPORT, target=target))
        return
    module = absolute(statement.level, statement.module)
    for alias in statement.names:
        if alias.name == "*":
            stars.append(module)
        else:
            found[alias.asname or alias.name].append(
                Binding(BindingKind.IMPORT, target=f"{module}.{alias.name}" if module else alias.name)
            )


def _assignments(statement: ast.stmt, found: Bindings) -> None:
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            _bind(target, statement.value, found)
    elif isinstance(statement, ast.AnnAssign):
        _annotated(statement, found)
    elif isinstance(statement, (ast.AugAssign, ast.For, ast.AsyncFor)):
        _bind(statement.target, None, found)
    elif isinstance(statement, (ast.With, ast.AsyncWith)):
        for item in statement.items:
            if item.optional_vars is not None:
                _bind(item.optional_vars, item.context_expr, found)
    elif isinstance(statement, ast.Try) or type(statement).__name__ == "TryStar":
        for handler in statement.handlers:  # type: ignore[attr-defined]
            if handler.name:
                found[handler.name].append(UNKNOWN)
    elif isinstance(statement, ast.Match):
        for pattern in (p for case in statement.cases for p in ast.walk(case.pattern)):
            name = getattr(pattern, "name", None) or getattr(pattern, "rest", None)
            if name:
                found[name].append(UNKNOWN)
    elif type(statement).__name__ == "TypeAlias":
        _bind(statement.name, statement.value, found)  # type: ignore[attr-defined]


def walruses(statement: ast.stmt) -> Iterator[ast.NamedExpr]:
    """The `:=` in the expressions that stand directly in a statement."""
    for _, value in ast.iter_fields(statement):
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.expr) and not isinstance(node, (ast.Name, ast.Constant)):
                yield from (inner for inner in ast.walk(node) if isinstance(inner, ast.NamedExpr))


def _annotated(statement: ast.AnnAssign, found: Bindings) -> None:
    name = _key(statement.target)
    if name is None:
        return
    classes = classes_of(statement.annotation)
    if classes and classes[0][-1].lstrip(".") == "TypeAlias":
        classes = ()
    for ref in classes:
        found[name].append(Binding(BindingKind.INSTANCE, ref=ref, line=statement.lineno))
    if statement.value is not None:
        _bind(statement.target, statement.value, found)
    elif not classes:
        found[name].append(UNKNOWN)


def _bind(target: ast.expr, value: ast.expr | None, found: Bindings) -> None:
    if isinstance(target, (ast.Tuple, ast.List)):
        values = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
        matched = len(values) == len(target.elts)
        for position, element in enumerate(target.elts):
            _bind(element, values[position] if matched else None, found)
        return
    if isinstance(target, ast.Starred):
        target = target.value
    key = _key(target)
    if key is None:
        return
    refs = alternatives(value) if value is not None else []
    if refs:
        found[key].extend(Binding(BindingKind.VALUE, ref=ref, line=target.lineno) for ref in refs)
    else:
        found[key].append(UNKNOWN)
    for element in _elements(value):
        found[key + ELEMENT].extend(Binding(BindingKind.VALUE, ref=ref) for ref in alternatives(element))


def _elements(value: ast.expr | None) -> list[ast.expr]:
    """What a container display holds: the handlers of `{"send": send_sms, "read": read_sms}`."""
    if isinstance(value, ast.Dict):
        return value.values
    if isinstance(value, (ast.List, ast.Tuple, ast.Set)):
        return value.elts
    return []


def _key(target: ast.expr) -> str | None:
    """`x` for a name, `self.x` for an attribute of a name, with `[]` behind it for an element of either."""
    if isinstance(target, ast.Name):
        return target.id
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        return f"{target.value.id}.{target.attr}"
    if isinstance(target, ast.Subscript):
        container = _key(target.value)
        return container + ELEMENT if container else None
    return None
