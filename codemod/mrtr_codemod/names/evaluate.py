"""What an access path stands for, across the files of a repo.

Evaluation is by need and may give several values (a name bound twice) or none (not known). A parameter
without an annotation takes what its callers pass, as far as they were looked at.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from mrtr_codemod.names.bindings import Binding, BindingKind
from mrtr_codemod.names.classes import Classes
from mrtr_codemod.names.module import FunctionInfo, Module, ScopeId
from mrtr_codemod.names.reference import CALL, ELEMENT, Ref
from mrtr_codemod.names.roles import KNOWN_BY_NAME, ROLE_CLASSES, canonical, in_family, member, result
from mrtr_codemod.names.values import (
    ClassValue,
    External,
    FunctionValue,
    InstanceValue,
    ModuleValue,
    Value,
    Values,
)
from mrtr_codemod.project import Project

_MOST = 6
"""Values kept of one expression: more would not be looked at by a reader either."""
_STEPS = 1_000
"""Steps of one evaluation. Functions that return what each other return can be followed in exponentially many
ways; code that people wrote to be followed needs a few dozen."""


class Evaluator(Classes):
    """Evaluates access paths in the scopes of a project."""

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._passed: dict[tuple[ScopeId, str], dict[Value, None]] = defaultdict(dict)
        self._memo: dict[tuple[Ref, ScopeId], Values] = {}
        self._active: set[tuple[Ref, ScopeId]] = set()
        self._cycles = 0
        self._steps_left = 0

    def values(self, ref: Ref | None, scope: ScopeId) -> Values:
        """What `ref` stands for in `scope`."""
        if not ref:
            return ()
        key = (ref, scope)
        known = self._memo.get(key)
        if known is not None:
            return known
        if key in self._active:
            self._cycles += 1
            return ()
        if not self._active:
            self._steps_left = _STEPS
        self._steps_left -= 1
        if self._steps_left < 0:
            self._cycles += 1
            return ()
        cycles = self._cycles
        self._active.add(key)
        try:
            found = self._evaluate(ref, scope)
        finally:
            self._active.discard(key)
        if cycles == self._cycles or not self._active:  # what a cycle cut short is not the whole truth
            self._memo[key] = found
        return found

    def note_argument(self, function: ScopeId, parameter: str, values: Iterable[Value]) -> bool:
        """Record what a caller passes for a parameter; true if that was not known before."""
        known = self._passed[function, parameter]
        new = [value for value in values if value not in known][: _MOST - len(known)]
        if new:
            known.update(dict.fromkeys(new))
            self._memo.clear()
        return bool(new)

    def lookup(self, dotted: str, importer: str) -> Values:
        """What an absolute dotted name means to the file `importer`."""
        short = canonical(dotted)
        if short != dotted and short.partition(":")[2] in KNOWN_BY_NAME:
            return (External(short),)
        path = self.project.index.find(dotted, importer)
        if path is not None:
            return (ModuleValue(path),)
        parent, _, last = dotted.rpartition(".")
        if parent:
            owner = self.project.index.find(parent, importer)
            if owner is not None:
                found = self._module_attribute(owner, last)
                if found:
                    return found
        return (External(short),)

    # ------------------------------------------------------------------ steps of a path

    def _evaluate(self, ref: Ref, scope: ScopeId) -> Values:
        if len(ref) == 1:
            return self._name(ref[0], scope)
        step = ref[-1]
        stored = self._stored(ref, scope)
        if stored:
            return stored
        base = self.values(ref[:-1], scope)
        found: dict[Value, None] = {}
        if ref == ("super", CALL):
            base = ()
            found.update(dict.fromkeys(self._super(scope)))
        for value in base:
            if step == CALL:
                found.update(dict.fromkeys(self._call(value)))
            elif step == ELEMENT:
                found.update(dict.fromkeys(self._element(value)))
            else:
                found.update(dict.fromkeys(self._attribute(value, step[1:], scope)))
        return tuple(found)[:_MOST]

    def _name(self, name: str, scope: ScopeId) -> Values:
        module = self.project.module(scope.path)
        if module is None:
            return ()
        current: ScopeId = scope
        while current.qualname:
            info = module.functions.get(current)
            if info is None:
                owner = module.classes.get(current)
                if owner is None:
                    break
                if current == scope:
                    bindings, _ = self.project.bindings(current)
                    if name in bindings:
                        return self._bound(bindings[name], current, module)
                current = owner.parent
                continue
            bindings, outer = self.project.bindings(current)
            if name in outer:
                current = info.parent
                continue
            parameter = info.parameter(name)
            if parameter is not None or name in bindings:
                own = self._bound(bindings.get(name, ()), current, module)
                passed = self._parameter(info, name) if parameter is not None else ()
                return tuple(dict.fromkeys((*passed, *own)))[:_MOST]
            current = info.parent
        return self._global(name, module)

    def _global(self, name: str, module: Module) -> Values:
        found = self._module_attribute(module.path, name)
        return found if found or name in module.bindings else (External(name),)

    def _module_attribute(self, path: str, name: str) -> Values:
        module = self.project.module(path)
        if module is None:
            return ()
        if name in module.bindings:
            found = self._bound(module.bindings[name], module.scope, module)
            return found or self._assigned_globally(name, module)
        if path.endswith("__init__.py"):
            submodule = self.project.index.find(f"{module.dotted}.{name}", path)
            if submodule:
                return (ModuleValue(submodule),)
        for star in module.stars:
            source = self.project.index.find(star, path)
            if source is not None and source != path and (("*", name), module.scope) not in self._active:
                self._active.add((("*", name), module.scope))
                try:
                    found = self._module_attribute(source, name)
                finally:
                    self._active.discard((("*", name), module.scope))
                if found:
                    return found
            elif source is None and in_family(star):
                short = canonical(f"{star}.{name}")
                if short.partition(":")[2] in ROLE_CLASSES:
                    return (External(short),)
        return self._assigned_globally(name, module)

    def _assigned_globally(self, name: str, module: Module) -> Values:
        """What functions assign to a module's name by `global`."""
        found: dict[Value, None] = {}
        if not self.project.mentions(module.path, "global "):
            return ()
        for scope in module.functions:
            if name in self.project.bindings(scope)[1]:
                bindings = self.project.bindings(scope)[0].get(name, ())
                found.update(dict.fromkeys(self._bound(bindings, scope, module)))
        return tuple(found)

    def _bound(self, bindings: Iterable[Binding], scope: ScopeId, module: Module) -> Values:
        found: dict[Value, None] = {}
        for binding in bindings:
            found.update(dict.fromkeys(self._binding(binding, scope, module)))
        return tuple(found)[:_MOST]

    def _binding(self, binding: Binding, scope: ScopeId, module: Module) -> Values:
        if binding.kind is BindingKind.VALUE:
            return self.values(binding.ref, scope)
        if binding.kind is BindingKind.INSTANCE:
            return self._instances(self.values(binding.ref, scope))
        if binding.kind is BindingKind.IMPORT:
            return self.lookup(binding.target, module.path)
        if binding.kind in (BindingKind.FUNCTION, BindingKind.CLASS):
            return self._defined(module.by_line.get(int(binding.target)), module)
        return ()

    def _defined(self, scope: ScopeId | None, module: Module) -> Values:
        if scope is None:
            return ()
        if scope in module.functions:
            return (FunctionValue(scope),)
        role = self.role_of(scope, module)
        return (External(role),) if role else (ClassValue(scope),)

    def role_of(self, scope: ScopeId, module: Module) -> str | None:
        """The SDK class that a class of the repo is, when the repo is the SDK."""
        if "." in scope.qualname or scope.qualname not in ROLE_CLASSES or not in_family(module.dotted):
            return None
        short = canonical(f"{module.dotted}.{scope.qualname}")
        return short if ":" in short else None

    def _parameter(self, info: FunctionInfo, name: str) -> Values:
        parameter = info.parameter(name)
        if parameter is None:
            return ()
        if name == info.bound_first and info.owner is not None:
            return self._self(info.owner)
        found: dict[Value, None] = {}
        for ref in parameter.classes:
            found.update(dict.fromkeys(self._instances(self.values(ref, info.parent))))
        if not found:
            for ref in parameter.default:
                found.update(dict.fromkeys(self.values(ref, info.parent)))
        if not any(isinstance(value, External) and ":" in value.name for value in found):
            found.update(self._passed.get((info.id, name), {}))
        return tuple(found)

    def _self(self, owner: ScopeId) -> Values:
        module = self.project.module(owner.path)
        role = self.role_of(owner, module) if module else None
        instance = InstanceValue(owner)
        return (External(f"{role}()"), instance) if role else (instance,)

    def _instances(self, classes: Values) -> Values:
        found: list[Value] = []
        for value in classes:
            if isinstance(value, ClassValue):
                found.append(InstanceValue(value.scope))
            elif isinstance(value, External):
                found.append(value if value.name.endswith(CALL) else External(value.name + CALL))
        return tuple(found)

    def _super(self, scope: ScopeId) -> Values:
        info = self.project.function(scope)
        if info is None or info.owner is None:
            return ()
        owner = self.class_info(info.owner)
        if owner is None:
            return ()
        return self._instances(tuple(v for ref in owner.bases for v in self.values(ref, owner.parent)))

    def _call(self, value: Value) -> Values:
        if isinstance(value, External):
            return (External(result(value.name)),)
        if isinstance(value, ClassValue):
            return (InstanceValue(value.scope),)
        if isinstance(value, FunctionValue):
            return self._returned(value.scope)
        return ()

    def _returned(self, scope: ScopeId) -> Values:
        info = self.project.function(scope)
        if info is None:
            return ()
        declared = tuple(v for ref in info.returns for v in self.values(ref, info.parent))
        if declared:
            return self._instances(declared)
        found: dict[Value, None] = {}
        for ref in self.project.returned(scope):
            found.update(dict.fromkeys(self.values(ref, scope)))
        return tuple(found)[:_MOST]

    def _element(self, value: Value) -> Values:
        if isinstance(value, External):
            return (value,) if not value.name.endswith(CALL) else (External(value.name + ELEMENT),)
        return (value,) if isinstance(value, ClassValue) else ()

    def _attribute(self, value: Value, name: str, scope: ScopeId) -> Values:
        if isinstance(value, External):
            return self._external_attribute(value, name, scope)
        if isinstance(value, ModuleValue):
            return self._module_attribute(value.path, name)
        if isinstance(value, (ClassValue, InstanceValue)):
            return self._class_attribute(value, name)
        return (value,) if name == "fn" else ()  # the function inside a FastMCP tool object

    def _external_attribute(self, value: External, name: str, scope: ScopeId) -> Values:
        if CALL not in value.name and ":" not in value.name:
            return self.lookup(f"{value.name}.{name}", scope.path)
        return (External(member(value.name, name)),)

    def _class_attribute(self, value: ClassValue | InstanceValue, name: str) -> Values:
        instance = isinstance(value, InstanceValue)
        for ancestor in self.ancestors(value.scope):
            if isinstance(ancestor, External):
                base = ancestor.name + CALL if instance else ancestor.name
                return (External(member(base, name)),)
            info = self.class_info(ancestor.scope)
            if info is None:
                continue
            if name in info.methods:
                return self._method(info.methods[name], instance)
            found = self._instance_attribute(ancestor.scope, name)
            if found:
                return found
        return ()

    def _method(self, scope: ScopeId, instance: bool) -> Values:
        info = self.project.function(scope)
        if info is None:
            return ()
        if instance and any(
            ref[-1].lstrip(".") in ("property", "cached_property") for ref in info.decorators
        ):
            return self._returned(scope)
        bound = (instance or any(ref[-1] == "classmethod" for ref in info.decorators)) and not info.is_static
        return (FunctionValue(scope, bound=bound),)

    def _instance_attribute(self, owner: ScopeId, name: str) -> Values:
        module = self.project.module(owner.path)
        if module is None:
            return ()
        found: dict[Value, None] = {}
        for binding, scope in self.attribute_bindings(owner).get(name, ()):
            found.update(dict.fromkeys(self._binding(binding, scope, module)))
        return tuple(found)[:_MOST]

    def _stored(self, ref: Ref, scope: ScopeId) -> Values:
        """What was put into a container, for an element of a name: `SESSIONS[key]`, `SESSIONS.get(key)`."""
        is_get = len(ref) == 3 and ref[1:] in ((".get", CALL), (".pop", CALL))
        if not (is_get or (len(ref) == 2 and ref[1] == ELEMENT)):
            return ()
        module = self.project.module(scope.path)
        if module is None or not _is_filled(ref[0], self.project.sources[scope.path].text):
            return ()
        key = ref[0] + ELEMENT
        found: dict[Value, None] = {}
        for holder in (scope, module.scope, *module.functions):
            bindings = self.project.bindings(holder)[0] if holder.qualname else module.bindings
            for binding in bindings.get(key, ()):
                found.update(dict.fromkeys(self._binding(binding, holder, module)))
        return tuple(found)[:_MOST]


def _is_filled(name: str, text: str) -> bool:
    """Whether a container of that name may be filled in a text: by element, or as a whole by a display."""
    return bool(re.search(rf"\b{re.escape(name)}(?:\[|\s*(?::[^=\n]*)?=\s*[\[{{(])", text))
