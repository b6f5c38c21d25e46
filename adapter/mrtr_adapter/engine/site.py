"""Where a handler asks, and the name that it gives to the answer.

The key of an ask in `inputRequests` is the variable that the answer is assigned to: people read it in a client's log.
It is found from the awaiting frame: the exact span of its `await` (Python 3.11 and later tell it; before that, its
line) is looked up in the file's syntax tree. Keys are labels. What belongs together is decided by digest alone.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
import sysconfig
import tokenize
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType

_MACHINERY = ("mcp", "mcp_types", "fastmcp", "anyio", "trio", "pydantic", "mrtr_adapter")


def _roots() -> tuple[str, ...]:
    """Folders whose frames lie between a handler and its ask, never a handler."""
    found = [sysconfig.get_paths()["stdlib"]]
    for package in _MACHINERY:
        spec = importlib.util.find_spec(package)
        if spec and spec.submodule_search_locations:
            found.extend(spec.submodule_search_locations)
    return tuple(found)


@lru_cache(maxsize=4096)
def is_machinery(filename: str) -> bool:
    """Whether this file belongs to the standard library, an SDK or the adapter."""
    if filename.startswith("<"):
        return True
    if "site-packages" not in filename and "dist-packages" not in filename:
        return filename.startswith(_ROOTS)
    return filename.startswith(_ROOTS[1:])


_ROOTS = _roots()


@dataclass(frozen=True)
class Site:
    """A place in a handler's own code. `name` is the variable that its value goes to, if there is one."""

    file: str
    line: int
    name: str | None = None
    in_root: bool = True
    """Whether this runs in the task that the engine runs the handler in, and not in one that the handler started."""

    def __str__(self) -> str:
        return f"{Path(self.file).name}:{self.line}"


def _is_loop(code: CodeType) -> bool:
    """Whether this is the event loop that runs a task: whoever started the loop is not who asks."""
    file = _LOOPS.get(code.co_name)
    return file is not None and code.co_filename.endswith(file) and is_machinery(code.co_filename)


_LOOPS = {
    "_run": "events.py",
    "run_forever": "base_events.py",
    "run": "runners.py",
    "unrolled_run": "_run.py",
}


def asking_site(root: CodeType) -> Site:
    """The innermost frame that is the handler's own. `root` is the code whose frame marks the engine's task."""
    frame: FrameType | None = sys._getframe(1)
    handler: FrameType | None = None
    while frame is not None and frame.f_code is not root:
        if _is_loop(frame.f_code):
            frame = None
            break
        if handler is None and not is_machinery(frame.f_code.co_filename):
            handler = frame
        frame = frame.f_back
    if handler is None:
        return Site("<unknown>", 0, None, frame is not None)
    code = handler.f_code
    name = _assigned_name(code, handler.f_lasti, handler.f_lineno)
    return Site(code.co_filename, handler.f_lineno, name, frame is not None)


@lru_cache(maxsize=1024)
def _assigned_name(code: CodeType, lasti: int, line: int) -> str | None:
    for statement in _statements(code.co_filename, line):
        for target, value in _assignments(statement):
            if any(
                _is_span(node, code, lasti, line) for node in ast.walk(value) if isinstance(node, _ASKING)
            ):
                return target
    return None


_ASKING = (ast.Await, ast.Call)


def _is_span(node: ast.expr, code: CodeType, lasti: int, line: int) -> bool:
    if sys.version_info < (3, 11):
        return node.lineno <= line <= (node.end_lineno or node.lineno)
    span = next(islice(code.co_positions(), lasti // 2, None), None)
    return span == (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)


def _assignments(statement: ast.stmt) -> list[tuple[str, ast.expr]]:
    """Single names that the statement binds, each with the expression it is bound to; the innermost first."""
    found = [
        (node.target.id, node.value)
        for node in ast.walk(statement)
        if isinstance(node, ast.NamedExpr) and isinstance(node.target, ast.Name)
    ]
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        found.append((statement.targets[0].id, statement.value))
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
        found.append((statement.target.id, statement.value))
    return [(name, value) for name, value in found if re.fullmatch(r"[A-Za-z]\w*", name)]


def _statements(filename: str, line: int) -> list[ast.stmt]:
    """The statements around a line, innermost first."""
    tree = _tree(filename)
    if tree is None:
        return []
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return around[::-1]


@lru_cache(maxsize=64)
def _tree(filename: str) -> ast.Module | None:
    try:
        with tokenize.open(filename) as source:
            return ast.parse(source.read())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError, SystemError):
        return None  # SystemError: Python 3.11 when another thread formats a traceback meanwhile
