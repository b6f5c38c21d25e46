"""What `mcp` 2 renamed is renamed where the import says that it is the SDK's, and nowhere else."""

from __future__ import annotations

import importlib
from textwrap import dedent
from typing import Any

import pytest

from mrtr_codemod.rewrite.sdk.names import CAMEL, MODULES, NAMES, moved, snake
from mrtr_codemod.rewrite.sdk.rename import rename

pytestmark = pytest.mark.anyio


def renamed(source: str) -> str:
    return rename(dedent(source).encode()).source


def test_the_server_and_its_module() -> None:
    assert renamed("from mcp.server.fastmcp import Context, FastMCP\n\nmcp = FastMCP('x')\n") == (
        "from mcp.server.mcpserver import Context, MCPServer\n\nmcp = MCPServer('x')\n"
    )


def test_the_other_fastmcp_is_left_alone() -> None:
    source = "from fastmcp import Context, FastMCP\n\nmcp = FastMCP('x')\n"
    assert renamed(source) == source


def test_a_name_that_is_taken_keeps_its_old_alias() -> None:
    source = "from mcp.server.fastmcp import FastMCP\n\n\nclass MCPServer: ...\n\n\nmcp = FastMCP('x')\n"
    assert "from mcp.server.mcpserver import MCPServer as FastMCP" in renamed(source)
    assert "mcp = FastMCP('x')" in renamed(source)


def test_dotted_and_aliased_imports() -> None:
    assert renamed("import mcp.server.fastmcp as f\n\nmcp = f.FastMCP('x')\n") == (
        "import mcp.server.mcpserver as f\n\nmcp = f.MCPServer('x')\n"
    )


def test_errors_take_their_parts() -> None:
    source = """\
        from mcp.shared.exceptions import McpError
        from mcp.types import ErrorData


        def f(data):
            if data:
                raise McpError(data)
            raise McpError(ErrorData(code=1, message="m"))
    """
    assert renamed(source) == dedent(
        """\
        from mcp.shared.exceptions import MCPError


        def f(data):
            if data:
                raise MCPError.from_error_data(data)
            raise MCPError(code=1, message="m")
    """
    )


def test_attributes_of_sdk_types_and_of_nothing_else() -> None:
    source = """\
        from mcp.types import CallToolResult, Tool


        def f(result: CallToolResult, other):
            tool = Tool(name="x", inputSchema={})
            return result.isError, tool.inputSchema, other.isError
    """
    after = rename(dedent(source).encode())
    assert "return result.is_error, tool.input_schema, other.isError" in after.source
    assert 'Tool(name="x", input_schema={})' in after.source
    assert after.notes == ("`other.isError`: if this is a type of the SDK, it is `.is_error` now",)


def test_transport_options_move_to_run() -> None:
    source = """\
        from mcp.server.fastmcp import FastMCP

        mcp = FastMCP("x", host="0.0.0.0", port=80, stateless_http=True)
        mcp.run(transport="streamable-http")
    """
    assert (
        'mcp = MCPServer("x")\nmcp.run(transport="streamable-http", host="0.0.0.0", port=80, stateless_http=True)'
        in renamed(source)
    )


def test_transport_options_that_can_not_be_moved_are_told() -> None:
    source = "from mcp.server.fastmcp import FastMCP\n\nmcp = FastMCP('x', port=80)\n"
    after = rename(source.encode())
    assert "MCPServer('x')" in after.source
    assert after.notes == (
        "`mcp` was built with port=80: pass this to its `run` or its `*_app()`, where it is started",
    )


def test_the_context_lost_a_parameter() -> None:
    source = """\
        from mcp.server.fastmcp import Context
        from mcp.server.session import ServerSession


        def f(a: Context[ServerSession, None], b: Context[ServerSession, dict]): ...
    """
    assert (
        renamed(source)
        == "from mcp.server.mcpserver import Context\n\n\ndef f(a: Context, b: Context[dict]): ...\n"
    )


LOW_LEVEL = """\
import mcp.types as types
from mcp.server.lowlevel import Server

server = Server("x")


@server.list_tools()
async def tools() -> list[types.Tool]:
    return [types.Tool(name="shout", inputSchema={"type": "object"})]


@server.call_tool()
async def shout(name: str, arguments: dict) -> list[types.TextContent]:
    if "text" not in arguments:
        raise ValueError("nothing to shout")
    return [types.TextContent(type="text", text=arguments["text"].upper())]


@server.list_prompts()
async def prompts() -> list[types.Prompt]:
    return []


@server.get_prompt()
async def prompt(name: str, arguments: dict | None) -> types.GetPromptResult:
    return types.GetPromptResult(messages=[], description=name)
"""


async def test_a_low_level_server_of_1_x_serves_under_2() -> None:
    from mcp import Client

    scope: dict[str, Any] = {}
    exec(compile(renamed(LOW_LEVEL), "server", "exec"), scope)
    async with Client(scope["server"]) as client:
        assert [t.name for t in (await client.list_tools()).tools] == ["shout"]
        assert (await client.call_tool("shout", {"text": "hi"})).content[0].text == "HI"
        failed = await client.call_tool("shout", {})
        assert failed.is_error
        assert failed.content[0].text == "nothing to shout"
        assert (await client.list_prompts()).prompts == []
        assert (await client.get_prompt("p")).description == "p"


def test_what_has_no_new_form_is_told() -> None:
    source = (
        "from mcp.server import Server\n\ns = Server('x')\n\n\n@s.read_resource()\nasync def f(uri): ...\n"
    )
    after = rename(source.encode())
    assert after.source == source
    assert after.notes[0].startswith("`@s.read_resource()` on `f` is gone: pass a function (ctx, params)")


@pytest.mark.parametrize("old", [*NAMES, *MODULES])
def test_the_new_place_exists(old: str) -> None:
    new = moved(old)
    module, _, name = new.rpartition(".")
    try:
        importlib.import_module(new)
    except ImportError:
        assert hasattr(importlib.import_module(module), name)


def test_every_camel_case_attribute_is_one_of_the_sdk() -> None:
    import mcp_types
    from pydantic import BaseModel

    models = [m for m in vars(mcp_types).values() if isinstance(m, type) and issubclass(m, BaseModel)]
    fields = {name for model in models for name in model.model_fields}
    assert {name for name in CAMEL if snake(name) not in fields} == set()
