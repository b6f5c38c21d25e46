"""Handlers that used to end with -32042 and be called again: now they end with the question, and are called again.

The error made the client open pages and repeat the call, which ran the handler from its top. So does
`steps.restart(...)`: nothing is carried, nothing is skipped, and the handler looks again for what the user was sent to
set up. A user who refuses ends the call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import cast

import libcst as cst

from .emit import Piece
from .fresh import FreshNames
from .module_view import Function, ModuleView
from .refusal import Refusal
from .sites import asking_call, called
from .syntax import code, raised_in
from .tree import children_of

_ERROR = "UrlElicitationRequiredError"


def restarts_only(reached: Iterable[Function]) -> bool:
    """Whether a function asks in no other way than by that error, given it and all that it calls."""
    functions = list(reached)
    if any(f.view.mentions(f.node.body, f) for f in functions):
        return False
    return any(f.view.raises_url_required(f) for f in functions)


class Restarter(cst.CSTTransformer):
    """Turns raised errors into questions, and hands on what a helper that does so returns.

    `steps` is the local with this round's steps, `support` names the parts of the support module in this file.
    """

    def __init__(
        self,
        function: Function,
        view: ModuleView,
        restarting: Callable[[Function], bool],
        fresh: FreshNames,
        steps: str,
        support: dict[str, str],
        renamed: dict[Function, str],
        width: int,
    ) -> None:
        super().__init__()
        self.function = function
        self.view = view
        self.restarting = restarting
        self.fresh = fresh
        self.steps = steps
        self.support = support
        self.renamed = renamed
        self.width = width - 8
        self.calls: list[Function] = []
        """The restarting functions that are called, as often as they are."""
        self.found = False
        self._keys = FreshNames(())

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return node.name.value == self.function.name or not list(raised_in(node.body))

    def visit_Try(self, node: cst.Try) -> None:
        if node.handlers and self._restarts_in(node.body):
            raise Refusal("raised-32042", "the `except` around it may catch UrlElicitationRequiredError")

    def _restarts_in(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.Call) and self._is_error(node):
            return True
        callee = self.view.callee(node, self.function) if isinstance(node, cst.Call) else None
        if callee is not None and self.restarting(callee):
            return True
        return any(self._restarts_in(child) for child in children_of(node))

    def _is_error(self, call: cst.Call) -> bool:
        return (self.view.origin(call.func) or "").rpartition(".")[2] == _ERROR

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        match original_node.body:
            case [cst.Raise(exc=cst.Call() as error)] if self._is_error(error):
                return self._like(updated_node, [self._question(error)])
            case [cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value)]:
                callee = asking_call(value, self.function, self.view, self.restarting)
                if callee is not None:
                    return self._like(updated_node, self._handed_on(name, value, callee))
        return updated_node

    def _question(self, error: cst.Call) -> str:
        """`return steps.restart(link=url("Sign in", page))`."""
        self.found = True
        pages = [a.value for a in error.args if a.keyword is None or a.keyword.value == "elicitations"][:1]
        elements = pages[0].elements if pages and isinstance(pages[0], cst.List) else []
        requests = []
        for element in elements:
            page = element.value
            given = (
                {a.keyword.value: a.value for a in page.args if a.keyword}
                if isinstance(page, cst.Call)
                else {}
            )
            if not {"message", "url"} <= given.keys():
                raise Refusal("raised-32042", "the pages of the error are not spelled out where it is raised")
            parts = (Piece(code(given["message"])), Piece(code(given["url"])))
            requests.append(Piece(self.support["url"], parts, True, f"{self._keys('link')}="))
        if not requests:
            raise Refusal("raised-32042", "the pages of the error are not spelled out where it is raised")
        lines = Piece(f"{self.steps}.restart", tuple(requests), True, "return ").lines("", self.width)
        return "\n".join(lines)

    def _handed_on(self, name: str, value: cst.BaseExpression, callee: Function) -> list[str]:
        self.calls.append(callee)
        call = called(value)
        assert call is not None
        new = self.renamed.get(callee, callee.name)
        path = code(call.func)
        func = f"{path.rpartition('.')[0]}.{new}" if "." in path else new
        arguments = [code(a.with_changes(comma=cst.MaybeSentinel.DEFAULT)) for a in call.args]
        waiting = "await " if isinstance(value, cst.Await) else ""
        back = f"{self.steps}.pass_on(None, {name})" if self.function.is_run else name
        return [
            f"{name} = {waiting}{func}({', '.join([*arguments, f'steps={self.steps}'])})",
            f"if isinstance({name}, {self.support['InputRequiredResult']}):\n    return {back}",
        ]

    def _like(
        self, line: cst.SimpleStatementLine, sources: list[str]
    ) -> cst.FlattenSentinel[cst.BaseStatement]:
        """Statements in the place of `line`, with its comments."""
        new = [cst.parse_statement(source) for source in sources]
        first = cast("cst.SimpleStatementLine", new[0])
        new[0] = first.with_changes(
            leading_lines=line.leading_lines, trailing_whitespace=line.trailing_whitespace
        )
        return cst.FlattenSentinel(cast("list[cst.BaseStatement]", new))
