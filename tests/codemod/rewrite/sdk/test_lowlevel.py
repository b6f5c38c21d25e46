"""A low-level server of 1.x serves under 2 what it served, through handlers `on_…` that are added to it."""

from __future__ import annotations

from typing import Any

import pytest

from codemod.rewrite.sdk.moving import becomes, moved, running, told

pytestmark = pytest.mark.anyio

SERVER = """\
import mcp.types as types
from mcp.server.lowlevel import Server
from mcp.server.lowlevel.helper_types import ReadResourceContents
from pydantic import AnyUrl

server = Server("x")
seen = []


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
async def prompt(name: str, arguments: dict | None):
    return types.GetPromptResult(messages=[], description=name)


@server.list_resources()
async def resources():
    found = types.Resource(name="a", uri=AnyUrl("test://a"))
    return types.ListResourcesResult(resources=[found])


@server.list_resource_templates()
async def templates():
    return pages()


def pages():
    return [types.ResourceTemplate(name="t", uriTemplate="test://{x}")]


@server.read_resource()
async def read(uri: AnyUrl):
    if uri.host == "old":
        return "as text"
    return [ReadResourceContents(content="text"), ReadResourceContents(content=b"bytes", mime_type="image/png")]


@server.completion()
async def complete(ref, argument, context):
    return types.Completion(values=[argument.value]) if argument.value else None


async def level(level: str) -> None:
    seen.append(level)


server.set_logging_level()(level)
"""


async def test_everything_that_decorators_registered_is_served() -> None:
    from mcp import Client
    from mcp.types import PromptReference

    scope = running(SERVER)
    assert [n.partition(":")[0] for n in told(moved(SERVER))] == ["line 16"]
    async with Client(scope["server"], mode="legacy") as client:
        assert [t.name for t in (await client.list_tools()).tools] == ["shout"]
        assert text(await client.call_tool("shout", {"text": "hi"})) == "HI"
        failed = await client.call_tool("shout", {})
        assert failed.is_error
        assert text(failed) == "nothing to shout"
        assert (await client.list_prompts()).prompts == []
        assert (await client.get_prompt("p")).description == "p"
        assert [r.uri for r in (await client.list_resources()).resources] == ["test://a"]
        templates = (await client.list_resource_templates()).resource_templates
        assert [t.uri_template for t in templates] == ["test://{x}"]
        (old,) = (await client.read_resource("test://old")).contents
        assert (old.text, old.mime_type) == ("as text", "text/plain")  # type: ignore[union-attr]
        first, second = (await client.read_resource("test://new")).contents
        assert (first.text, second.blob, second.mime_type) == ("text", "Ynl0ZXM=", "image/png")  # type: ignore[union-attr]
        reference = PromptReference(type="ref/prompt", name="p")
        assert (await client.complete(reference, {"name": "a", "value": "v"})).completion.values == ["v"]
        assert (await client.complete(reference, {"name": "a", "value": ""})).completion.values == []
        await client.session.set_logging_level("info")
        assert scope["seen"] == ["info"]


def text(result: Any) -> str:
    return str(result.content[0].text)


@pytest.mark.parametrize(
    ("returns", "value", "content", "structured"),
    [
        (" -> dict", "{'a': 1}", '{\n  "a": 1\n}', {"a": 1}),
        ("", "{'a': 1}", '{\n  "a": 1\n}', {"a": 1}),
        ("", "made({'a': 1})", '{\n  "a": 1\n}', {"a": 1}),
        ("", "made([T])", "t", None),
        ("", "([T], {'a': 1})", "t", {"a": 1}),
        (" -> tuple[list, dict]", "([T], {'a': 1})", "t", {"a": 1}),
        (" -> types.CallToolResult", "types.CallToolResult(content=[T])", "t", None),
        (" -> list | types.CallToolResult", "types.CallToolResult(content=[T])", "t", None),
        ("", "made(types.CallToolResult(content=[T], structuredContent={'b': 2}))", "t", {"b": 2}),
    ],
)
async def test_whatever_a_tool_gives(returns: str, value: str, content: str, structured: Any) -> None:
    from mcp import Client

    scope = running(
        f"""\
        import mcp.types as types
        from mcp.server import Server

        server = Server("x")
        T = types.TextContent(type="text", text="t")


        def made(value):
            return value


        @server.list_tools()
        async def tools() -> list[types.Tool]:
            return [types.Tool(name="any", inputSchema={{"type": "object"}})]


        @server.call_tool()
        async def call(name, arguments){returns}:
            return {value}
        """
    )
    async with Client(scope["server"]) as client:
        found = await client.call_tool("any", {})
    assert not found.is_error
    assert text(found) == content
    assert found.structured_content == structured


def test_the_context_of_the_request_is_handed_in() -> None:
    found = moved(
        """\
        import mcp.types as types
        from mcp.server import Server


        def build():
            app = Server("x")

            @app.call_tool()
            async def call(name: str, arguments: dict) -> list[types.TextContent]:
                ctx = app.request_context
                await ctx.session.send_log_message(level="info", data=ctx.request_id)
                return []
                # done

            return app
        """
    )
    assert found.source == (
        """\
import mcp.types as types
from mcp.server import Server, ServerRequestContext


def build():
    app = Server("x")

    async def call(name: str, arguments: dict, ctx: ServerRequestContext) -> list[types.TextContent]:
        await ctx.session.send_log_message(level="info", data=ctx.request_id)
        return []
        # done

    async def on_call_tool(
        ctx: ServerRequestContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        try:
            return types.CallToolResult(
                content=list(await call(params.name, params.arguments or {}, ctx))
            )
        except Exception as error:
            return types.CallToolResult(
                content=[types.TextContent(type="text", text=str(error))], is_error=True
            )

    app.add_request_handler("tools/call", types.CallToolRequestParams, on_call_tool)

    return app
"""
    ), found.source


def test_a_helper_that_reads_the_context_is_told() -> None:
    found = moved(
        "from mcp.server import Server\n\ns = Server('x')\n\n\ndef f():\n    return s.request_context.session\n"
    )
    assert told(found) == (
        "line 7: `s.request_context` is gone: handlers take the context as their first parameter: hand it on to where "
        "it is used",
    )


def test_what_has_no_new_form_is_told_and_stays() -> None:
    source = (
        "from mcp.server import Server\n\ns = Server('x')\n\n\n@s.read_resource()\nasync def f(a, b): ...\n"
    )
    found = moved(source)
    assert found.source == source
    assert told(found)[0].startswith(
        "line 7: `@s.read_resource()` on `f` is gone: pass a function (ctx, params)"
    )


def test_the_low_level_server_inside_a_server() -> None:
    becomes(
        """\
        from mcp.server.fastmcp import FastMCP

        mcp = FastMCP("x")


        @mcp._mcp_server.subscribe_resource()
        async def subscribe(uri) -> None: ...
        """,
        """\
        from mcp.server import ServerRequestContext
        from mcp.server.mcpserver import MCPServer
        from mcp.types import EmptyResult, SubscribeRequestParams
        from pydantic import AnyUrl

        mcp = MCPServer("x")


        async def subscribe(uri) -> None: ...


        async def on_subscribe_resource(
            ctx: ServerRequestContext, params: SubscribeRequestParams
        ) -> EmptyResult:
            await subscribe(AnyUrl(params.uri))
            return EmptyResult()


        mcp._lowlevel_server.add_request_handler("resources/subscribe", SubscribeRequestParams, on_subscribe_resource)
        """,
    )
