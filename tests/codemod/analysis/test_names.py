"""Asks are found by what names stand for, through every way that Python has to give something a name."""

from __future__ import annotations

import pytest

from mrtr_codemod.check import check
from mrtr_codemod.model import Finding, Handler, Report
from mrtr_codemod.source import SourceFile


def report(**files: str) -> Report:
    return check([SourceFile(f"{name}.py", text) for name, text in files.items()])


def asks(**files: str) -> list[Finding]:
    codes = ("MRTR101", "MRTR102", "MRTR103", "MRTR104")
    return [finding for finding in report(**files).findings if finding.rule in codes]


def handler(**files: str) -> Handler:
    (found,) = report(**files).handlers
    return found


def lines(*text: str, end: str = "\n") -> str:
    return end.join(text) + end


RECEIVERS = {
    "annotation": lines(
        "from fastmcp import Context",
        "async def f(c: Context):",
        "    await c.elicit('Sure?', bool)",
    ),
    "string annotation": lines(
        "from fastmcp import Context",
        "async def f(c: 'Context | None'):",
        "    await c.elicit('?', bool)",
    ),
    "optional": lines(
        "import typing as t",
        "import fastmcp",
        "async def f(c: t.Optional[fastmcp.Context] = None):",
        "    await c.elicit('?', bool)",
    ),
    "annotated": lines(
        "from typing import Annotated",
        "from mcp.server.fastmcp import Context as C",
        "async def f(c: Annotated[C, 'x']):",
        "    await c.elicit('?', bool)",
    ),
    "type checking import": lines(
        "from typing import TYPE_CHECKING",
        "if TYPE_CHECKING:",
        "    from fastmcp import Context",
        "async def f(c: 'Context'):",
        "    await c.elicit('?', bool)",
    ),
    "generic alias": lines(
        "from mcp.server.fastmcp import Context",
        "Ctx = Context[object, None]",
        "async def f(c: Ctx):",
        "    await c.elicit('?', bool)",
    ),
    "alias of the session": lines(
        "from fastmcp import Context",
        "async def f(c: Context):",
        "    s = c.session",
        "    e = s.elicit",
        "    await e('?', {})",
    ),
    "request context": lines(
        "from mcp.server import Server",
        "server = Server('x')",
        "async def f():",
        "    await server.request_context.session.elicit('?', {})",
    ),
    "dependency": lines(
        "from fastmcp.server.dependencies import get_context",
        "async def f():",
        "    await get_context().elicit('?', bool)",
    ),
    "attribute of self": lines(
        "from fastmcp import Context",
        "class A:",
        "    def __init__(self, c: Context):",
        "        self.c = c",
        "    async def f(self):",
        "        await self.c.elicit('?', bool)",
    ),
    "declared attribute": lines(
        "from fastmcp import Context",
        "class A:",
        "    c: Context",
        "    async def f(self):",
        "        await self.c.elicit('?', bool)",
    ),
    "property": lines(
        "from fastmcp import Context",
        "class A:",
        "    def __init__(self, c: Context):",
        "        self._c = c",
        "    @property",
        "    def c(self):",
        "        return self._c",
        "    async def f(self):",
        "        await self.c.elicit('?', bool)",
    ),
    "subclass": lines(
        "from fastmcp import Context",
        "class Mine(Context):",
        "    pass",
        "async def f(c: Mine):",
        "    await c.elicit('?', bool)",
    ),
    "annotated local": lines(
        "from typing import Any",
        "from fastmcp import Context",
        "async def f(c: Any):",
        "    d: Context = c",
        "    await d.elicit('?', bool)",
    ),
    "conditional": lines(
        "from fastmcp import Context",
        "async def f(a: Context | None, b: Context):",
        "    c = a or b",
        "    await c.elicit('?', bool)",
    ),
    "walrus": lines(
        "from fastmcp import Context",
        "async def f(a: Context):",
        "    if c := a:",
        "        await c.elicit('?', bool)",
    ),
    "nested function": lines(
        "from fastmcp import Context",
        "async def f(c: Context):",
        "    async def g():",
        "        await c.elicit('?', bool)",
        "    await g()",
    ),
    "lambda": lines(
        "from fastmcp import Context",
        "async def f(c: Context):",
        "    g = lambda: c.elicit('?', bool)",
        "    await g()",
    ),
    "carriage returns": lines(
        "from fastmcp import Context",
        "async def f(c: Context):",
        "    await c.elicit('?', bool)",
        end="\r\n",
    ),
    "old mac newlines": lines(
        "from fastmcp import Context",
        "async def f(c: Context):",
        "    await c.elicit('?', bool)",
        end="\r",
    ),
}

SILENT = {
    "another Context": lines(
        "from click import Context",
        "import mcp",
        "async def f(c: Context):",
        "    await c.elicit('?', bool)",
    ),
    "a local class": lines(
        "import fastmcp",
        "class Context:",
        "    async def elicit(self, a, b): ...",
        "async def f(c: Context):",
        "    await c.elicit('?', bool)",
    ),
    "shadowed": lines(
        "from fastmcp import Context",
        "class Context:",
        "    pass",
        "async def f(x):",
        "    '''await ctx.elicit()'''",
        "    # ctx.elicit('?')",
        "    return 'ctx.elicit(1)'",
    ),
    "client session": lines(
        "from mcp import ClientSession",
        "async def f(s: ClientSession):",
        "    await s.send_request(1, 2)",
        "    await s.list_roots()",
    ),
    "client": lines(
        "from fastmcp import Client",
        "async def f():",
        "    async with Client('x') as c:",
        "        await c.sample('x')",
    ),
    "random": lines(
        "import random",
        "from fastmcp import Context",
        "def f(c: Context):",
        "    return random.sample([1], 1)",
    ),
    "mock": lines(
        "from unittest.mock import AsyncMock",
        "import mcp",
        "ctx = AsyncMock()",
        "async def f():",
        "    await ctx.elicit('?')",
    ),
    "ping": lines(
        "from mcp import types",
        "from mcp.server.session import ServerSession",
        "async def f(s: ServerSession):",
        "    await s.send_request(types.ServerRequest(types.PingRequest()), types.EmptyResult)",
    ),
}


@pytest.mark.parametrize("text", RECEIVERS.values(), ids=RECEIVERS.keys())
def test_an_ask_is_found_whatever_its_receiver_is_called(text: str) -> None:
    assert len(asks(server=text)) == 1


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT.keys())
def test_what_only_looks_like_an_ask_stays_silent(text: str) -> None:
    assert asks(server=text) == []


def test_a_context_is_followed_through_an_unannotated_helper_in_another_file() -> None:
    files = {
        "pkg/__init__": "",
        "pkg/deep": "async def ask(c, q):\n    return await c.elicit(q, bool)\n",
        "pkg/mid": "from . import deep\nasync def confirm(c):\n    return await deep.ask(c, 'Sure?')\n",
        "pkg/server": "from fastmcp import Context, FastMCP\nfrom pkg.mid import confirm as yes\nmcp = FastMCP('x')\n"
        "@mcp.tool\nasync def delete(ctx: Context):\n    return await yes(ctx)\n",
    }
    (ask,) = handler(**files).asks
    assert [(span.path, span.line) for span in ask.via] == [("pkg/server.py", 6), ("pkg/mid.py", 3)]
    assert ask.span.path == "pkg/deep.py"


def test_a_helper_is_followed_through_a_re_export() -> None:
    files = {
        "pkg/__init__": "from .helpers import confirm\n",
        "pkg/helpers": "from fastmcp import Context\nasync def confirm(c: Context):\n"
        "    return await c.elicit('?', bool)\n",
        "server": "import pkg\nfrom fastmcp import Context, FastMCP\nmcp = FastMCP('x')\n@mcp.tool\n"
        "async def delete(ctx: Context):\n    return await pkg.confirm(ctx)\n",
    }
    found = handler(**files)
    assert (found.name, len(found.asks)) == ("delete", 1)


def test_a_server_object_from_another_file_still_makes_a_handler() -> None:
    found = handler(
        app="from mcp.server.fastmcp import FastMCP\nserver = FastMCP('x')\n",
        tools="import app\nfrom mcp.server.fastmcp import Context\n@app.server.tool()\n"
        "async def delete(ctx: Context):\n    return await ctx.elicit('?', bool)\n",
    )
    assert (found.framework, found.method) == ("mcp", "tools/call")


@pytest.mark.parametrize(
    ("line", "framework"),
    [
        ("from mcp.server.fastmcp import Context, FastMCP", "mcp"),
        ("from fastmcp import Context, FastMCP", "fastmcp"),
        ("from mcp.server import MCPServer as FastMCP\nfrom mcp.server.mcpserver import Context", "mcp"),
    ],
)
def test_the_two_fastmcps_are_told_apart(line: str, framework: str) -> None:
    text = f"{line}\nm = FastMCP('x')\n@m.prompt()\nasync def p(c: Context):\n    await c.elicit('?', bool)\n"
    assert (handler(server=text).framework, handler(server=text).method) == (framework, "prompts/get")


def test_handlers_are_found_however_they_are_registered() -> None:
    text = """
from fastmcp import Context, FastMCP
from fastmcp.tools import Tool

async def ask(ctx: Context):
    return await ctx.elicit("?", bool)

async def added(ctx: Context): return await ask(ctx)
async def listed(ctx: Context): return await ask(ctx)
async def wrapped(ctx: Context): return await ask(ctx)
async def called(ctx: Context): return await ask(ctx)

mcp = FastMCP("x", tools=[listed])
mcp.add_tool(added)
mcp.add_tool(Tool.from_function(wrapped))
mcp.tool(name="y")(called)

def register(server: FastMCP):
    @server.tool
    async def inner(ctx: Context):
        return await ask(ctx)
"""
    names = {found.name for found in report(server=text).handlers}
    assert names == {"added", "listed", "wrapped", "called", "register.inner"}


def test_a_table_of_functions_leads_to_its_members() -> None:
    text = """
from mcp.server.lowlevel import Server
async def send(ctx, arguments):
    return await ctx.session.elicit_form("?", {})
TOOLS = {"send": send}
async def call_tool(ctx, params):
    return await TOOLS[params.name](ctx, params.arguments)
server = Server("x", on_call_tool=call_tool)
"""
    assert [len(found.asks) for found in report(server=text).handlers] == [1]


def test_two_trees_with_modules_of_one_name_are_kept_apart() -> None:
    tool = (
        "from fastmcp import Context, FastMCP\nfrom helpers import confirm\nmcp = FastMCP('x')\n@mcp.tool\n"
        "async def t(ctx: Context):\n    return await confirm(ctx)\n"
    )
    found = report(
        **{
            "one/helpers": "async def confirm(c):\n    return await c.elicit('?', bool)\n",
            "one/server": tool,
            "two/helpers": "async def confirm(c):\n    return True\n",
            "two/server": tool,
        }
    )
    assert [handler.span.path for handler in found.handlers] == ["one/server.py"]


def test_columns_count_characters_not_bytes() -> None:
    text = "from fastmcp import Context\nasync def f(c: Context):\n    ä = 'ü'; await c.elicit('?', bool)\n"
    (found,) = asks(server=text)
    assert text.splitlines()[2][found.span.column - 1 : found.span.end_column - 1] == "c.elicit('?', bool)"
