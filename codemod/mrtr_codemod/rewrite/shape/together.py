"""Task groups whose tasks are questions: `gather` of the same questions, which is one round."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import libcst as cst

from ..tree import children_of


@dataclass
class TaskGroups:
    """Turns the task groups of one function into gathered questions, where that comes to the same.

    `opens_group` tells `asyncio.TaskGroup()` from other calls; `is_question` tells a call that asks when it is awaited.
    """

    opens_group: Callable[[cst.BaseExpression], bool]
    is_question: Callable[[cst.Call], bool]

    def gathered(self, node: cst.FunctionDef) -> cst.FunctionDef:
        """The function with `a = group.create_task(ask)` in a task group as `a, b = await asyncio.gather(ask, ask)`."""
        found: dict[cst.CSTNode, dict[str, cst.Call]] = {}
        for group in withs(node.body):
            tasks = self._tasks(group)
            if tasks and all(_only_results(name, node.body) for name in tasks):
                found[group] = tasks
        return cast("cst.FunctionDef", node.visit(_Gatherer(found))) if found else node

    def _tasks(self, stmt: cst.With) -> dict[str, cst.Call]:
        """The questions of a group that does nothing but ask them, by the names of their tasks."""
        item = stmt.items[0]
        group = item.asname.name if item.asname is not None else None
        if len(stmt.items) != 1 or not isinstance(group, cst.Name) or not self.opens_group(item.item):
            return {}
        found: dict[str, cst.Call] = {}
        for line in stmt.body.body:
            match line:
                case cst.SimpleStatementLine(
                    body=[
                        cst.Assign(
                            targets=[cst.AssignTarget(target=cst.Name(value=name))],
                            value=cst.Call(
                                func=cst.Attribute(
                                    value=cst.Name(value=owner), attr=cst.Name(value="create_task")
                                ),
                                args=[cst.Arg(value=cst.Call() as question), *named],
                            ),
                        )
                    ]
                ) if owner == group.value and name not in found and self.is_question(question):
                    if all(arg.keyword is not None and arg.keyword.value == "name" for arg in named):
                        found[name] = question
                        continue
            return {}
        return found


def withs(node: cst.CSTNode) -> list[cst.With]:
    """The `with` blocks of a function, without those of functions inside it."""
    found = [node] if isinstance(node, cst.With) else []
    for child in children_of(node):
        if not isinstance(child, (cst.FunctionDef, cst.ClassDef, cst.Lambda)):
            found += withs(child)
    return found


def _only_results(name: str, node: cst.CSTNode) -> bool:
    """Whether a task is bound once, and nothing but its `result()` is looked at."""
    return _count(name, node) == 1 + _results(name, node)


def _count(name: str, node: cst.CSTNode) -> int:
    here = int(isinstance(node, cst.Name) and node.value == name)
    return here + sum(_count(name, child) for child in children_of(node))


def _results(name: str, node: cst.CSTNode) -> int:
    here = int(isinstance(node, cst.Call) and _result_of(node) == name)
    return here + sum(_results(name, child) for child in children_of(node))


def _result_of(node: cst.Call) -> str | None:
    match node:
        case cst.Call(func=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="result")), args=[]):
            return str(name)
    return None


class _Gatherer(cst.CSTTransformer):
    def __init__(self, groups: dict[cst.CSTNode, dict[str, cst.Call]]) -> None:
        super().__init__()
        self.groups = groups
        self.names = {name for tasks in groups.values() for name in tasks}

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        return cst.Name(name) if (name := _result_of(original_node)) in self.names and name else updated_node

    def leave_With(self, original_node: cst.With, updated_node: cst.With) -> cst.BaseStatement:
        tasks = self.groups.get(original_node)
        if tasks is None:
            return updated_node
        first = cast("cst.SimpleStatementLine", updated_node.body.body[0])
        return cst.SimpleStatementLine(
            [_assigned(tasks)], leading_lines=[*updated_node.leading_lines, *first.leading_lines]
        )


def _assigned(tasks: dict[str, cst.Call]) -> cst.Assign:
    if len(tasks) == 1:
        ((name, question),) = tasks.items()
        return cst.Assign([cst.AssignTarget(cst.Name(name))], cst.Await(question))
    target = cst.Tuple([cst.Element(cst.Name(name)) for name in tasks], lpar=(), rpar=())
    gather = cst.Attribute(cst.Name("asyncio"), cst.Name("gather"))
    call = cst.Call(gather, [cst.Arg(question) for question in tasks.values()])
    return cst.Assign([cst.AssignTarget(target)], cst.Await(call))
