"""Runs the Python blocks of the documentation."""

from __future__ import annotations

import ast
import inspect
import os
import textwrap
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

import anyio
from mcp import Client

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from docs.blocks import Block


def run(block: Block, text: str, folder: Path) -> None:
    """Run a block in a directory, among the names of its context.

    The context is a module of `docs.contexts`. Its `names()` are what the block sees, and `check(names)` is called with
    what there is afterwards. One that has `run(text)` instead runs the block itself. A server that a block without a
    context makes must list its tools.
    """
    with _working_in(folder):
        if not block.notes.context:
            names = _executed(text, block.place, {})
            if "mcp" in names:
                anyio.run(_lists_tools, names["mcp"])
            return
        context = import_module(f"docs.contexts.{block.notes.context}")
        if hasattr(context, "run"):
            context.run(text)
        else:
            context.check(_executed(text, block.place, context.names()))


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


async def _lists_tools(server: Any) -> None:
    async with Client(getattr(server, "_mcp_server", server)) as client:
        await client.list_tools()


@contextmanager
def _working_in(folder: Path) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
