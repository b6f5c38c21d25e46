"""The shape of a handler's source that a drawing needs: its loops, its exits, and what surrounds an ask."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mrtr_codemod.model import Handler, Span
    from mrtr_codemod.source import SourceFile

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_BRANCHES = (ast.If, ast.IfExp, ast.Match, ast.ExceptHandler, ast.BoolOp)


@dataclass(frozen=True)
class Loop:
    """A loop that an ask stands in, with the source of its head."""

    first: int
    last: int
    head: str


@dataclass(frozen=True)
class Setting:
    """Where an ask stands in the handler's own body."""

    first: int
    last: int
    """The lines of its statement; for a compound statement, of the expression."""
    answer: str | None = None
    """The variable that the answer is assigned to."""
    conditional: bool = False
    loops: tuple[Loop, ...] = ()
    """The loops around it, outermost first."""
    together: int | None = None
    """Equal for asks that are awaited together, as in one `gather`."""


@dataclass(frozen=True)
class Outline:
    """A handler's function: where it begins, the lines of its body, and the lines that leave it."""

    head: int
    first: int
    last: int
    exits: tuple[int, ...]
    function: ast.FunctionDef | ast.AsyncFunctionDef | None
    source: SourceFile

    def setting(self, span: Span) -> Setting:
        """Describe the place of an ask, or of the call that leads to it."""
        around = [] if self.function is None else list(_around(self.function, _position(span, self.source)))
        statement = next((node for node in reversed(around) if isinstance(node, ast.stmt)), None)
        if statement is None:
            return Setting(span.line, span.end_line)
        compound = hasattr(statement, "body") or isinstance(statement, ast.Match)
        first = span.line if compound else statement.lineno
        last = span.end_line if compound else statement.end_lineno or statement.lineno
        position = _position(span, self.source)
        return Setting(
            first,
            last,
            answer=_answer(statement),
            conditional=any(_may_pass_by(node, position) for node in around),
            loops=tuple(self._loop(node, first, last) for node in around if _repeats(node, position)),
            together=next((id(node) for node in around if _joins(node)), None),
        )

    def _loop(self, node: ast.AST, first: int, last: int) -> Loop:
        if isinstance(node, ast.While):
            return Loop(node.lineno, _body_end(node), f"while {ast.unparse(node.test)}")
        if isinstance(node, (ast.For, ast.AsyncFor)):
            return Loop(
                node.lineno, _body_end(node), f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}"
            )
        assert isinstance(node, _COMPREHENSIONS)
        return Loop(first, last, " ".join(map(ast.unparse, node.generators)).strip())


def outline(handler: Handler, source: SourceFile, tree: ast.Module | None) -> Outline:
    """Find the handler's function in its file; without one the outline is just the handler's span."""
    span = handler.span
    function = None if tree is None else _function(tree, handler)
    if function is None:
        return Outline(span.line, span.line, max(span.end_line, span.line), (), None, source)
    exits = tuple(
        sorted(node.lineno for node in _own_nodes(function) if isinstance(node, (ast.Return, ast.Raise)))
    )
    body = (
        function.body[1:] if ast.get_docstring(function, clean=False) and function.body[1:] else function.body
    )
    last = function.end_lineno or body[-1].lineno
    return Outline(_first_line(function), body[0].lineno, last, exits, function, source)


def _function(tree: ast.Module, handler: Handler) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    name, line = handler.name.rpartition(".")[2], handler.span.line
    named = [node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS) and node.name == name]
    holding = [node for node in named if _first_line(node) <= line <= (node.end_lineno or node.lineno)]
    return max(holding, key=_first_line, default=None)


def _first_line(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """Every node of a function but those of functions and classes inside it."""
    pending = list(ast.iter_child_nodes(function))
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (*_FUNCTIONS, ast.Lambda, ast.ClassDef)):
            pending.extend(ast.iter_child_nodes(node))


def _position(span: Span, source: SourceFile) -> tuple[int, int]:
    """The place of a span as the syntax tree counts it: in bytes of UTF-8."""
    before = source.line(span.line)[: span.column - 1]
    return span.line, len(before.encode("utf-8", "surrogatepass"))


def _around(top: ast.AST, position: tuple[int, int]) -> Iterator[ast.AST]:
    """The nodes inside `top` that hold a position, from the outside in."""
    inside: ast.AST | None = top
    while inside is not None:
        inside = next((node for node in ast.iter_child_nodes(inside) if _holds(node, position)), None)
        if inside is not None:
            yield inside


def _holds(node: ast.AST, position: tuple[int, int]) -> bool:
    start = (getattr(node, "lineno", None), getattr(node, "col_offset", None))
    if start[0] is None:
        # A node without a place of its own (arguments, a match case) may hold one that has.
        return any(_holds(child, position) for child in ast.iter_child_nodes(node))
    end = (getattr(node, "end_lineno", None), getattr(node, "end_col_offset", None))
    return start <= position < end


def _answer(statement: ast.stmt) -> str | None:
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        return ast.unparse(statement.targets[0])
    if isinstance(statement, ast.AnnAssign):
        return ast.unparse(statement.target)
    return None


def _may_pass_by(node: ast.AST, position: tuple[int, int]) -> bool:
    """Tell whether `node` is a branch, and what stands at a position inside it is not reached by every way."""
    if not isinstance(node, _BRANCHES):
        return False
    always = getattr(node, "test", None) or getattr(node, "subject", None)
    if isinstance(node, ast.BoolOp):
        always = node.values[0]
    return not (isinstance(always, ast.expr) and _holds(always, position))


def _repeats(node: ast.AST, position: tuple[int, int]) -> bool:
    """Tell whether what stands at a position inside `node` runs once in each turn of it."""
    if isinstance(node, ast.While):
        once: list[ast.stmt | ast.expr] = [*node.orelse]
    elif isinstance(node, (ast.For, ast.AsyncFor)):
        once = [node.iter, *node.orelse]
    elif isinstance(node, _COMPREHENSIONS):
        once = [node.generators[0].iter]
    else:
        return False
    return not any(_holds(part, position) for part in once)


def _body_end(node: ast.While | ast.For | ast.AsyncFor) -> int:
    return node.body[-1].end_lineno or node.body[-1].lineno


def _joins(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return _last_name(node.func) == "gather"
    if isinstance(node, ast.AsyncWith):
        return any(
            isinstance(item.context_expr, ast.Call)
            and _last_name(item.context_expr.func) in {"TaskGroup", "create_task_group"}
            for item in node.items
        )
    return False


def _last_name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
