"""The beginning of a move: what a file takes from the SDKs, if it takes anything."""

from __future__ import annotations

import ast

from ..facts import facts_of
from ..fresh import FreshNames
from .edits import Edits
from .file import File
from .imports import is_sdk
from .reading import read_module


def opened(text: str) -> File | None:
    """The file, with nothing done to it yet. None if it imports nothing of the SDKs.

    Raises:
        SyntaxError, ValueError: if it does not parse.
    """
    tree = ast.parse(text)
    facts = facts_of(tree)
    if not any(is_sdk(origin) for origin in facts.imports.values()):
        return None
    return File(tree, facts, Edits(text), read_module(tree, facts), FreshNames(facts.names))
