"""The syntax tree of a source, for those drawings that need one."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mrtr_codemod.source import SourceFile


class Tree:
    """The syntax tree of a source, made when it is first needed; None if it does not parse."""

    def __init__(self, source: SourceFile) -> None:
        self._source = source

    @cached_property
    def module(self) -> ast.Module | None:
        try:
            return ast.parse(self._source.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
