"""What a function does with the answer to an ask, as far as it stays in that function."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from enum import Enum

from mrtr_codemod.analysis.view import ScopeView
from mrtr_codemod.analysis.walk import last_name

_CLASSES = {
    "AcceptedElicitation": "accept",
    "AcceptedUrlElicitation": "accept",
    "DeclinedElicitation": "decline",
    "CancelledElicitation": "cancel",
}
_ACTIONS = frozenset({"accept", "decline", "cancel"})
_DATA = frozenset({"data", "content"})
_TESTS = (ast.If, ast.While, ast.IfExp, ast.BoolOp, ast.UnaryOp, ast.Compare)


class Use(Enum):
    """How much of an answer is looked at."""

    CHECKED = "checked"
    """For acceptance, or for decline and cancel both; or it is handed on, and who gets it may check."""
    IGNORED = "ignored"
    ASSUMED = "assumed"
    """Its data is used whatever the action is."""
    ONLY_DECLINE = "only decline"
    ONLY_CANCEL = "only cancel"


class Answers:
    """The answers of one function."""

    def __init__(self, view: ScopeView) -> None:
        nodes = list(view.nodes())
        self._parents = {child: node for node in nodes for child in ast.iter_child_nodes(node)}
        self._outer = view.file.analysis.project.bindings(view.scope)[1]
        self._nodes = [inner for statement in view.body for inner in ast.walk(statement)]
        for node in self._nodes:
            for child in ast.iter_child_nodes(node):
                self._parents.setdefault(child, node)

    def use(self, call: ast.Call) -> Use:
        """What becomes of the answer to `call`."""
        node: ast.AST = call
        parent = self._parents.get(node)
        while isinstance(parent, (ast.Await, ast.NamedExpr)):
            if isinstance(parent, ast.NamedExpr):
                return self._of_name(parent.target.id)
            node, parent = parent, self._parents.get(parent)
        if isinstance(parent, ast.Expr):
            return Use.IGNORED
        if isinstance(parent, ast.Attribute):
            return Use.ASSUMED if parent.attr in _DATA else Use.CHECKED
        name = _bound(parent)
        return self._of_name(name) if name else Use.CHECKED

    def _of_name(self, name: str) -> Use:
        if name in self._outer:
            return Use.CHECKED
        seen: set[str] = set()
        used = False
        for node in self._mentions(name):
            actions = self._one_use(node)
            if actions is None:
                return Use.CHECKED
            seen |= actions - _DATA
            used = used or bool(actions & _DATA)
        if "accept" in seen or seen >= {"decline", "cancel"}:
            return Use.CHECKED
        if seen:
            return Use.ONLY_DECLINE if "decline" in seen else Use.ONLY_CANCEL
        return Use.ASSUMED if used else Use.IGNORED

    def _mentions(self, name: str) -> Iterator[ast.expr]:
        for node in self._nodes:
            if (isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)) or (
                isinstance(node, ast.NamedExpr) and node.target.id == name
            ):
                yield node

    def _one_use(self, node: ast.expr) -> set[str] | None:
        """The actions that a use tells apart, `data` if it reads the data; None if it may do anything."""
        parent = self._parents.get(node)
        if isinstance(parent, ast.Attribute):
            if parent.attr == "action":
                return self._of_action(parent)
            if parent.attr in _DATA:
                return None if parent.attr == "content" and self._is_tested(parent) else {"data"}
            return None
        if isinstance(parent, ast.Call) and last_name(parent) == "isinstance" and len(parent.args) == 2:
            return _named_classes(parent.args[1])
        if isinstance(parent, ast.Match):
            return _cases(parent)
        if isinstance(parent, (ast.Expr, *_TESTS)):
            return set()  # the answer itself is always true
        return None

    def _of_action(self, action: ast.Attribute) -> set[str] | None:
        parent = self._parents.get(action)
        if isinstance(parent, ast.Compare):
            found = {
                node.value
                for part in (parent.left, *parent.comparators)
                for node in (ast.walk(part) if part is not action else ())
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            }
            return found & _ACTIONS if found and found <= _ACTIONS else None
        return _cases(parent) if isinstance(parent, ast.Match) else None

    def _is_tested(self, node: ast.AST) -> bool:
        return isinstance(self._parents.get(node), (*_TESTS, ast.NamedExpr, ast.Match))


def _bound(parent: ast.AST | None) -> str | None:
    if (
        isinstance(parent, ast.Assign)
        and len(parent.targets) == 1
        and isinstance(parent.targets[0], ast.Name)
    ):
        return parent.targets[0].id
    if isinstance(parent, ast.AnnAssign) and isinstance(parent.target, ast.Name):
        return parent.target.id
    return None


def _named_classes(node: ast.expr) -> set[str] | None:
    classes = node.elts if isinstance(node, ast.Tuple) else [node]
    names = {last_name(kind) for kind in classes}
    return {_CLASSES[name] for name in names} if names <= _CLASSES.keys() else None


def _cases(match: ast.Match) -> set[str] | None:
    """The actions that a `match` has a case for; None if it has one for everything."""
    found: set[str] = set()
    for case in match.cases:
        if isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None and case.guard is None:
            return None
        found.update(_actions(ast.walk(case.pattern)))
    return found


def _actions(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and node.value in _ACTIONS:
            yield str(node.value)
        elif isinstance(node, ast.MatchClass):
            action = _CLASSES.get(last_name(node.cls))
            if action:
                yield action
