"""What a function writes to the memory of its process and reads again later.

The rounds of a handler may be served by different processes. What one round leaves in a module's dictionary, or in the
object that a method belongs to, the next one may not find.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..facts import Facts, FunctionNode
from .mutation import MUTATING, root
from .scope import function_locals, walk_scope


@dataclass
class Memory:
    """Reads and writes of the objects that outlive a call, `self` among them; looks into functions of the project.

    What belongs to another file goes by `module:NAME`.
    """

    facts: Facts
    class_name: str | None = None
    _busy: set[str] = field(default_factory=set)

    def writes(self, stmts: Iterable[ast.stmt], own: frozenset[str]) -> set[str]:
        """The lasting objects whose content the statements change. `own` are the locals around them."""
        return self._touched(stmts, own, writing=True)

    def reads(self, stmts: Iterable[ast.stmt], own: frozenset[str]) -> set[str]:
        """The lasting objects whose content the statements look at. A bare `log.append(x)` looks at nothing."""
        return self._touched(stmts, own, writing=False)

    def _touched(self, stmts: Iterable[ast.stmt], own: frozenset[str], *, writing: bool) -> set[str]:
        found: set[str] = set()
        for stmt in stmts:
            nodes = walk_scope(stmt)
            silent = _write_only(nodes) | self._known_methods(nodes)
            for node in nodes:
                if writing:
                    found |= self.written(node)
                elif isinstance(node, (ast.Name, ast.Attribute)) and id(node) not in silent:
                    found |= self._read(node)
                if isinstance(node, ast.Call):
                    found |= self._through(node, own, writing=writing)
        return {name for name in found if name.partition(".")[0] not in own or name.startswith("self.")}

    def _known_methods(self, nodes: list[ast.AST]) -> set[int]:
        """`broker.start` in a call of a method of the module: what it looks at, its body tells."""
        found: set[int] = set()
        for node in nodes:
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=owner) as name, attr=method) as func):
                    built = self.facts.values.get(owner)
                    kind = (
                        built.func.id
                        if isinstance(built, ast.Call) and isinstance(built.func, ast.Name)
                        else ""
                    )
                    if f"{kind}.{method}" in self.facts.functions:
                        found |= {id(func), id(name)}
        return found

    def written(self, node: ast.AST) -> set[str]:
        """The lasting objects whose content one node changes."""
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in MUTATING:
                return {p for p in [self._lasting(owner)] if p}
            case ast.Subscript(value=owner, ctx=ast.Store() | ast.Del()):
                return {p for p in [self._lasting(owner)] if p}
            case ast.Attribute(ctx=ast.Store() | ast.Del()):
                return {p for p in [self._lasting(node)] if p}
            case ast.Global(names=names):
                return set(names)
        return set()

    def _read(self, node: ast.Name | ast.Attribute) -> set[str]:
        if not isinstance(node.ctx, ast.Load):
            return set()
        return {p for p in [self._lasting(node)] if p}

    def _lasting(self, expr: ast.expr) -> str | None:
        """`REGISTRY` or `self.open`, for an expression that starts at such an object."""
        start = root(expr)
        if start in ("self", "cls"):
            while isinstance(expr, (ast.Attribute, ast.Subscript)):
                if isinstance(expr, ast.Attribute) and isinstance(expr.value, ast.Name):
                    return f"self.{expr.attr}"
                expr = expr.value
            return None
        if start in self.facts.values and not isinstance(self.facts.values[start], ast.Constant):
            return start
        if start in self.facts.annotations:
            return start
        return self._elsewhere(start) if start in self.facts.imports else None

    def _elsewhere(self, name: str) -> str | None:
        """An object that is imported from another file."""
        found = self.facts.find(self.facts.imports[name])
        value = found[0].values.get(found[1]) if found is not None else None
        return (
            f"{found[0].dotted}:{found[1]}"
            if found and value and not isinstance(value, ast.Constant)
            else None
        )

    def _through(self, call: ast.Call, own: frozenset[str], *, writing: bool) -> set[str]:
        """What a called function of the project touches."""
        if isinstance(call.func, ast.Name) and call.func.id in self.facts.functions:
            return self._inside(call.func.id, None, writing=writing)
        if root(call.func) not in own and (origin := self.facts.origin(call.func)) is not None:
            return self._in_another_file(origin, writing=writing)
        if not isinstance(call.func, ast.Attribute) or not isinstance(call.func.value, ast.Name):
            return set()
        owner, method = call.func.value.id, call.func.attr
        if owner in ("self", "cls"):
            return self._inside(f"{self.class_name}.{method}", None, writing=writing)
        built = self.facts.values.get(owner)
        if isinstance(built, ast.Call) and isinstance(built.func, ast.Name) and owner not in own:
            return self._inside(f"{built.func.id}.{method}", owner, writing=writing)
        return set()

    def _in_another_file(self, origin: str, *, writing: bool) -> set[str]:
        """What `origin`, a function or the method of an object there, touches."""
        found = self.facts.find(origin)
        if found is not None and found[1] in found[0].functions:
            home, name = found
            touched = Memory(home, None, self._busy)._inside(name, None, writing=writing)
            return {_placed(n, home) for n in touched}
        owner, _, method = origin.rpartition(".")
        found = self.facts.find(owner)
        built = found[0].values.get(found[1]) if found is not None else None
        if found is None or not isinstance(built, ast.Call) or not isinstance(built.func, ast.Name):
            return set()
        home, name = found
        inside = Memory(home, None, self._busy)._inside(f"{built.func.id}.{method}", name, writing=writing)
        return {_placed(n, home) for n in inside}

    def _inside(self, qualname: str, instance: str | None, *, writing: bool) -> set[str]:
        function = self.facts.functions.get(qualname)
        place = f"{self.facts.dotted}:{qualname}"
        if function is None or place in self._busy:
            return set()
        self._busy.add(place)
        try:
            inner = Memory(self.facts, qualname.partition(".")[0] if "." in qualname else None, self._busy)
            found = inner._touched(function.body, _locals(function), writing=writing)
        finally:
            self._busy.discard(place)
        if instance is None:
            return found
        # Seen from outside, what a method does to its object it does to the name that holds it.
        return {instance if name.startswith("self.") else name for name in found}


def _placed(name: str, home: Facts) -> str:
    return name if ":" in name else f"{home.dotted}:{name}"


def _locals(function: FunctionNode) -> frozenset[str]:
    return frozenset(function_locals(function))


def _write_only(nodes: list[ast.AST]) -> set[int]:
    """Names in `LOG.append(x)` as a statement, and in `TABLE[k] = v`: nothing is looked at there."""
    found: set[int] = set()
    for node in nodes:
        owner: ast.expr | None = None
        match node:
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(
                        attr="append" | "add" | "extend" | "update" | "discard" | "clear"
                    ) as method
                )
            ):
                owner = method
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="pop") as method, args=[_, _])):
                owner = method
            case ast.Subscript(value=table, ctx=ast.Store()):
                owner = table
        while owner is not None:
            found.add(id(owner))
            owner = owner.value if isinstance(owner, (ast.Attribute, ast.Subscript)) else None
    return found
