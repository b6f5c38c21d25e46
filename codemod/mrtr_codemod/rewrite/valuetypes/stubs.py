"""What functions outside of the project give: `jedi` finds their stubs or sources, and their annotations say it.

Loading `jedi` takes half a second and each look-up up to a few, so it is asked only where nothing else tells the type
of a local that has to be carried. What an annotation does not say in plain words is not guessed.
"""

from __future__ import annotations

import ast
from functools import cache

from ..facts import Facts
from .model import Type, from_annotation, unchecked, union

_NEVER = {"NoReturn", "Never"}


@cache
def stubbed_result(origin: str) -> Type | None:
    """The type of what a call of `origin` (`getpass.getuser`) gives, whatever its arguments; None: it can't be told."""
    found: list[Type] = []
    for returned in _annotations(origin):
        if returned in _NEVER:
            continue
        type_ = _plain(returned)
        if type_ is None:
            return None
        found.append(type_)
    return union(*found) if found else None


def _annotations(origin: str) -> list[str]:
    """What the signatures of a function say that it gives; an empty text for one that says nothing."""
    import jedi

    module, top = origin.rpartition(".")[0], origin.partition(".")[0]
    script = jedi.Script(
        f"import {top}\nimport {module}\n{origin}", environment=jedi.InterpreterEnvironment()
    )
    try:
        names = script.goto(3, len(origin), follow_imports=True, prefer_stubs=True)
        signatures = [signature.to_string() for name in names for signature in name.get_signatures()]
    except Exception:  # a look-up that fails, in whatever way, tells nothing
        return []
    return [text.rpartition(" -> ")[2] if " -> " in text else "" for text in signatures]


def _plain(annotation: str) -> Type | None:
    """The type that an annotation names in words of its own: builtin types, and containers and unions of them."""
    try:
        expr = ast.parse(annotation, mode="eval").body
    except SyntaxError:
        return None
    found = from_annotation(expr, Facts())
    return unchecked(found) if found is not None and not _says_too_little(found) else None


def _says_too_little(found: Type) -> bool:
    bare = found.name in ("list", "dict", "set", "frozenset", "tuple", "object") and not found.args
    return bare or any(map(_says_too_little, found.args))
