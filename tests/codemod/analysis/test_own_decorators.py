"""A decorator of the repo that registers with a server makes handlers of what it decorates, however it is written."""

from __future__ import annotations

import pytest

from mrtr_codemod.check import check
from mrtr_codemod.model import Report, Verdict
from mrtr_codemod.source import SourceFile

_HEAD = """\
import functools
from {package} import Context, {server}
{made}

"""
_HIGH = {
    "fastmcp": _HEAD.format(package="fastmcp", server="FastMCP", made="mcp = FastMCP('desk')"),
    "mcp 1": _HEAD.format(package="mcp.server.fastmcp", server="FastMCP", made="mcp = FastMCP('desk')"),
    "mcp 2": _HEAD.format(package="mcp.server.mcpserver", server="MCPServer", made="mcp = MCPServer('desk')"),
}
_ASKS = """\

{use}
async def delete(ctx: Context):
    return await ctx.elicit('Sure?', bool)
"""
DECORATORS = {
    "a factory": (
        "def tool(*, mutating=False):\n    def wrap(fn):\n        return mcp.tool(name='x')(fn)\n    return wrap\n",
        "@tool(mutating=True)",
    ),
    "a factory that may leave it out": (
        "def tool(*, mutating=False):\n    def wrap(fn):\n        if mutating:\n            return fn\n"
        "        return mcp.tool()(fn)\n    return wrap\n",
        "@tool()",
    ),
    "a factory that hands the SDK's on": ("def tool(name):\n    return mcp.tool(name)\n", "@tool('x')"),
    "plain": ("def tool(fn):\n    mcp.add_tool(fn)\n    return fn\n", "@tool"),
    "around an inner function": (
        "def tool(fn):\n    @functools.wraps(fn)\n    async def inner(*a, **k):\n        return await fn(*a, **k)\n"
        "    return mcp.tool()(inner)\n",
        "@tool",
    ),
    "by decorating an inner function": (
        "def tool(fn):\n    @mcp.tool\n    @functools.wraps(fn)\n    async def inner(*a, **k):\n"
        "        return await fn(*a, **k)\n    return inner\n",
        "@tool",
    ),
}


def _checked(server: str, decorator: str, use: str) -> Report:
    return check([SourceFile("server.py", _HIGH[server] + decorator + _ASKS.format(use=use))])


@pytest.mark.parametrize("server", _HIGH)
@pytest.mark.parametrize("way", DECORATORS)
def test_what_it_decorates_is_a_handler_for_the_adapter(way: str, server: str) -> None:
    (found,) = [
        handler for handler in _checked(server, *DECORATORS[way]).handlers if handler.name == "delete"
    ]
    assert found.method == "tools/call"
    assert found.verdict is Verdict.ADAPTER
    assert found.reason == "the decorator `tool` registers it"


def test_it_may_stand_in_another_file_and_decorate_many() -> None:
    registering = _HIGH["fastmcp"] + DECORATORS["a factory"][0]
    uses = "".join(
        f"@tool()\nasync def delete_{n}(ctx: Context):\n    return await ctx.elicit('Sure?', bool)\n"
        for n in range(20)
    )
    report = check(
        [
            SourceFile("registering.py", registering),
            SourceFile("tools.py", "from fastmcp import Context\nfrom registering import tool\n" + uses),
        ]
    )
    assert [handler.name for handler in report.handlers] == [f"delete_{n}" for n in range(20)]


def test_a_decorator_that_registers_nothing_makes_no_handler() -> None:
    decorator = "def tool(fn):\n    return functools.wraps(fn)(fn)\n"
    assert not _checked("fastmcp", decorator, "@tool").handlers


def test_the_decorators_of_the_old_low_level_server_are_told_too() -> None:
    text = (
        "from mcp.server.lowlevel import Server\nserver = Server('desk')\n"
        "def calls(fn):\n    return server.call_tool()(fn)\n"
        "@calls\nasync def call(name, arguments):\n"
        "    return await server.request_context.session.elicit('Sure?', {})\n"
    )
    (found,) = check([SourceFile("server.py", text)]).handlers
    assert (found.name, found.method, found.framework) == ("call", "tools/call", "mcp-lowlevel")


def test_rules_for_handlers_in_steps_see_it_too() -> None:
    text = (
        _HIGH["mcp 2"]
        + DECORATORS["a factory"][0]
        + "from mcp.types import InputRequiredResult\n"
        + "@tool()\nasync def delete(ctx: Context):\n"
        + "    return InputRequiredResult(request_state='why')\n"
    )
    assert "MRTR411" in [finding.rule for finding in check([SourceFile("server.py", text)]).findings]
