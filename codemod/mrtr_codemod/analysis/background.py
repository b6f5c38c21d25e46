"""Tasks that a function starts and does not wait for."""

from __future__ import annotations

import ast

from mrtr_codemod.analysis.view import ScopeView
from mrtr_codemod.analysis.walk import With, last_name
from mrtr_codemod.names.reference import lower

_STARTERS = frozenset({"create_task", "ensure_future", "add_task", "run_coroutine_threadsafe", "start_soon"})
_MODULES = frozenset({"asyncio", "anyio", "trio"})


def detached(view: ScopeView, call: ast.Call) -> bool:
    """Whether a call starts something that asks, and the function neither awaits it nor opened the group it is in."""
    name = last_name(call)
    if name not in _STARTERS or not (
        view.asks_at(call) or any(view.asks_in(argument) for argument in call.args)
    ):
        return False
    ref = lower(call.func)
    if ref is None:
        return False
    if ref[0] in _opened(view) or (name == "start_soon" and len(ref) == 2 and ref[0] not in _MODULES):
        return False
    return not _awaited(view, call)


def _opened(view: ScopeView) -> set[str]:
    """The names of the groups that the function opens in a `with`: it waits for their tasks."""
    return {
        item.optional_vars.id
        for node in view.nodes()
        if isinstance(node, With)
        for item in node.items
        if isinstance(item.optional_vars, ast.Name)
    }


def _awaited(view: ScopeView, call: ast.Call) -> bool:
    """Whether the task is awaited at once, or under the name or in the list that it is assigned to."""
    waited: set[str] = set()
    kept: set[str] = set()
    for node in view.nodes():
        if isinstance(node, ast.Await):
            inside = list(ast.walk(node.value))
            if any(part is call for part in inside):
                return True
            waited |= {part.id for part in inside if isinstance(part, ast.Name)}
        elif (
            isinstance(node, ast.Return)
            and node.value is not None
            and any(p is call for p in ast.walk(node.value))
        ):
            return True  # whoever called waits for it
        elif isinstance(node, ast.Assign) and any(part is call for part in ast.walk(node.value)):
            kept |= {
                part.id for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Name)
            }
        elif isinstance(node, ast.Call) and last_name(node) == "append" and any(a is call for a in node.args):
            kept |= {part.id for part in ast.walk(node.func) if isinstance(part, ast.Name)}
        elif isinstance(node, ast.Call) and last_name(node) == "result":
            waited |= {part.id for part in ast.walk(node.func) if isinstance(part, ast.Name)}
    return bool(waited & kept)
