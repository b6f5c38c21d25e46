"""Asks in `except` blocks: the block moves behind the `try`, where a later round can come back to it.

What it needs of the exception is its text, which is kept; a block that needs the exception itself stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import libcst as cst

from ..refusal import Refusal
from ..tree import Swap, children_of


@dataclass
class Caught:
    """Moves the asking `except` blocks of one function. `fresh` makes names new."""

    asks_in: Callable[[cst.CSTNode], object]
    fresh: Callable[[str], str]

    def moved(self, stmt: cst.Try) -> list[cst.BaseStatement]:
        """The `try` without asks in its `except` blocks, and what stands around it for that.

        Raises:
            Refusal: if a block can't be moved.
        """
        if stmt.finalbody is not None:
            raise Refusal(
                "ask-in-except",
                "the ask stands in an `except` block that a `finally` follows: ask after the `try`",
            )
        before: list[cst.BaseStatement] = []
        after: list[cst.BaseStatement] = []
        handlers = []
        for handler in stmt.handlers:
            if self.asks_in(handler):
                handler = self._split(handler, before, after)
            handlers.append(handler)
        lines = stmt.leading_lines
        before[0] = cast("cst.SimpleStatementLine", before[0]).with_changes(leading_lines=lines)
        return [*before, stmt.with_changes(handlers=handlers, leading_lines=()), *after]

    def _split(
        self,
        handler: cst.ExceptHandler,
        before: list[cst.BaseStatement],
        after: list[cst.BaseStatement],
    ) -> cst.ExceptHandler:
        body = cst.ensure_type(handler.body, cst.IndentedBlock)
        if _raises_again(body):
            raise Refusal(
                "ask-in-except",
                "the `except` block around the ask raises its exception again, which no round outlives",
            )
        failed = self.fresh("failed")
        before.append(_assign(failed, cst.Name("False")))
        noted = [_assign(failed, cst.Name("True"))]
        moved: cst.BaseSuite = body
        if handler.name is not None:
            name = cst.ensure_type(handler.name.name, cst.Name).value
            uses = _texts_of(name, body)
            if uses:
                reason = self.fresh("reason")
                before.append(_assign(reason, cst.SimpleString('""')))
                text = cst.Call(cst.Name("str"), [cst.Arg(cst.Name(name))])
                noted.append(_assign(reason, text))
                moved = cast("cst.BaseSuite", body.visit(Swap(dict.fromkeys(uses, cst.Name(reason)))))
            else:
                handler = handler.with_changes(name=None)
        after.append(cst.If(cst.Name(failed), moved))
        return handler.with_changes(body=cst.IndentedBlock(noted))


def _texts_of(name: str, body: cst.CSTNode) -> list[cst.BaseExpression]:
    """The uses of an exception as text: `str(error)`, `{error}` in an f-string.

    Raises:
        Refusal: if it is used in any other way.
    """
    found: list[cst.BaseExpression] = []

    def walk(node: cst.CSTNode) -> None:
        match node:
            case cst.Call(func=cst.Name(value="str"), args=[cst.Arg(value=cst.Name(value=used))]) if (
                used == name
            ):
                found.append(node)
                return
            case cst.FormattedStringExpression(expression=cst.Name(value=used) as shown, conversion=None):
                if used == name and not node.format_spec:
                    found.append(shown)
                    return
            case cst.Name(value=used) if used == name:
                raise Refusal(
                    "ask-in-except",
                    f"the `except` block around the ask needs more of `{name}` than its text, which no round outlives",
                )
        parts: Sequence[cst.CSTNode] = children_of(node)
        if isinstance(node, (cst.Attribute, cst.Arg)):
            parts = [node.value]
        for part in parts:
            walk(part)

    walk(body)
    return found


def _raises_again(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.Raise) and node.exc is None:
        return True
    inside = (cst.FunctionDef, cst.ClassDef, cst.Lambda)
    return any(_raises_again(child) for child in children_of(node) if not isinstance(child, inside))


def _assign(name: str, value: cst.BaseExpression) -> cst.SimpleStatementLine:
    return cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(cst.Name(name))], value)])
