"""Runs the Python blocks of the documentation."""

from __future__ import annotations

import ast
import inspect
import os
import subprocess
import sys
import textwrap
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

import anyio

_LISTS_TOOLS = """
async def _list_tools(server):
    from mcp import Client

    async with Client(getattr(server, "_mcp_server", server)) as client:
        await client.list_tools()


if "mcp" in globals():
    import anyio

    anyio.run(_list_tools, globals()["mcp"])
"""

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from docs.blocks import Block


def run(block: Block, text: str, folder: Path) -> None:
    """Run a block in a directory, among the names of its context.

    The context is a module of `docs.contexts`. Its `names()` are what the block sees, and `check(names)` is called with
    what there is afterwards. One that has `run(text)` instead runs the block itself. A block without a context is a
    program of its own; a server that it makes must list its tools.
    """
    if not block.notes.context:
        _run_alone(block.place, text, folder)
        return
    context = import_module(f"docs.contexts.{block.notes.context}")
    with _working_in(folder):
        if hasattr(context, "run"):
            context.run(text)
        else:
            context.check(_executed(text, block.place, context.names()))


def _run_alone(place: str, text: str, folder: Path) -> None:
    program = f"{text}\n{_LISTS_TOOLS}"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, f"{place}:\n{done.stderr}"


def compiles(block: Block) -> None:
    """See that a block is Python that may stand in a handler."""
    body = textwrap.indent(block.text, "    ")
    compile(f"async def function():\n{body}", block.place, "exec")


def _executed(text: str, place: str, names: dict[str, Any]) -> dict[str, Any]:
    names = {"__name__": "example", **names}
    code = compile(text, place, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    if not code.co_flags & inspect.CO_COROUTINE:
        exec(code, names)
        return names

    async def run() -> None:
        await eval(code, names)

    anyio.run(run)
    return names


@contextmanager
def _working_in(folder: Path) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
