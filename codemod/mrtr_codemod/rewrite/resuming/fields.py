"""The locals that ride in the state: which ones, of what type, and why one must not."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ..flow.mutation import bindings_of, escapes, is_fresh
from ..prepare import Prepared
from ..refusal import Refusal
from ..valuetypes.carry import Carrier, looks_secret
from ..valuetypes.model import Type


@dataclass
class Fields:
    """Judges the locals of one prepared function."""

    prepared: Prepared
    carrier: Carrier
    mutated: frozenset[str]
    bound: dict[ast.stmt, frozenset[str]]

    def type_of(self, name: str, at: ast.stmt) -> Type:
        """The type of a local that rides in the state from `at` on.

        Raises:
            Refusal: if it can't, or must not.
        """
        if looks_secret(name) or self._minted_secret(name):
            raise Refusal(
                "secret-in-state",
                f"`{name}` is needed after the ask and looks like a secret, which must not travel through the client: "
                "keep it on the server and carry a handle",
            )
        if name not in self.bound.get(at, frozenset()):
            raise Refusal(
                "maybe-unbound",
                f"`{name}` is needed after the ask but is not bound on every way to it: bind it first",
            )
        found = self.prepared.types.get(name)
        if found is None:
            raise Refusal(
                "untyped-local", f"`{name}` is needed after the ask and its type can't be told: annotate it"
            )
        objection = self.carrier.objection(found)
        if objection is not None:
            raise Refusal("uncarriable-local", f"`{name}` is needed after the ask, and {objection}")
        self._refuse_shared(name)
        return found

    def _minted_secret(self, name: str) -> bool:
        """Made by the `secrets` module, here or in a function of this module."""
        facts = self.prepared.view.facts
        for value in bindings_of(self.prepared.parsed, name):
            calls = [n for n in ast.walk(value) if isinstance(n, ast.Call)] if value is not None else []
            inner = [
                facts.functions[c.func.id]
                for c in calls
                if isinstance(c.func, ast.Name) and c.func.id in facts.functions
            ]
            parts: list[ast.AST] = [
                *calls,
                *(n for f in inner for n in ast.walk(f) if isinstance(n, ast.Call)),
            ]
            if any(
                (facts.origin(p.func) or "").startswith("secrets.") for p in parts if isinstance(p, ast.Call)
            ):
                return True
        return False

    def _refuse_shared(self, name: str) -> None:
        """A copy must do: the object is not changed in place while something else holds it too."""
        function = self.prepared.parsed
        if name in self._compared_by_identity():
            raise Refusal(
                "identity", f"`{name}` is compared by identity, and what comes back from the state is a copy"
            )
        if self.prepared.is_immutable(name) or name not in self.mutated:
            return
        values = bindings_of(function, name)
        classes = self.prepared.view.facts.classes
        if name in self.prepared.parameters:
            fresh = not values
        else:
            fresh = bool(values) and all(is_fresh(v, classes.__contains__) for v in values)
        if not fresh or escapes(function, name):
            raise Refusal(
                "shared-object",
                f"`{name}` is changed in place and may be held elsewhere too; what comes back from the state is a copy",
            )

    def _compared_by_identity(self) -> set[str]:
        names: set[str] = set()
        for node in ast.walk(self.prepared.parsed):
            if isinstance(node, ast.Compare) and any(isinstance(o, (ast.Is, ast.IsNot)) for o in node.ops):
                sides = [node.left, *node.comparators]
                if not any(isinstance(s, ast.Constant) or _is_member(s) for s in sides):
                    names |= {s.id for s in sides if isinstance(s, ast.Name)}
        return names


def _is_member(expr: ast.expr) -> bool:
    """`Verdict.LATER`: a member of an enum is the same object wherever it comes from."""
    return isinstance(expr, ast.Attribute) and expr.attr.isupper()
