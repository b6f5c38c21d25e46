"""Types put together: of several values, and taken apart over the names of a target."""

from __future__ import annotations

import ast

from .model import Type, union


def join(left: Type, right: Type) -> Type:
    """One type for values of both: an empty literal takes the elements of the other."""
    same_kind = left.name == right.name and len(left.args) == len(right.args) > 0
    if same_kind and left.name in ("list", "set", "dict"):
        return Type(left.name, tuple(join(a, b) for a, b in zip(left.args, right.args, strict=True)))
    if left == Type("?"):
        return right
    if right == Type("?"):
        return left
    return union(left, right)


def _is_homogeneous(found: Type) -> bool:
    return found.name == "tuple" and len(set(found.args)) == 1


def bind_target(local: dict[str, Type], target: ast.expr, found: Type | None) -> None:
    """Note in `local` what assigning a value of type `found` to `target` says; unknown names are removed."""
    if isinstance(target, ast.Name):
        if found is None:
            local.pop(target.id, None)
        else:
            local[target.id] = found
    elif isinstance(target, (ast.Tuple, ast.List)):
        fixed = found if found and found.name == "tuple" and len(found.args) == len(target.elts) else None
        if found and found.name == "tuple" and len(found.args) == 2 and found.args[1].name == "...":
            fixed = Type("tuple", (found.args[0],) * len(target.elts))
        for index, element in enumerate(target.elts):
            inner = fixed.args[index] if fixed else found.element if found and found.name == "list" else None
            if isinstance(element, ast.Starred):
                same = found.element if found and (found.name == "list" or _is_homogeneous(found)) else None
                bind_target(local, element.value, Type("list", (same,)) if same else None)
            else:
                bind_target(local, element, inner)
