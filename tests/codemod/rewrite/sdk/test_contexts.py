"""Contexts lost a parameter, some names, and the ways to get hold of one without being given it."""

from __future__ import annotations

from codemod.rewrite.sdk.moving import becomes, moved, told


def test_the_context_lost_the_session() -> None:
    becomes(
        """\
        from mcp.server.fastmcp import Context
        from mcp.server.session import ServerSession


        def f(a: Context[ServerSession, None], b: Context[ServerSession, dict]): ...
        """,
        """\
        from mcp.server.mcpserver import Context


        def f(a: Context, b: Context[dict]): ...
        """,
    )


def test_names_of_the_context() -> None:
    becomes(
        """\
        from mcp.server.fastmcp import Context, FastMCP

        mcp = FastMCP("x")


        @mcp.tool()
        async def f(ctx: Context) -> str:
            await ctx.info(message="hello")
            return ctx.fastmcp.name
        """,
        """\
        from mcp.server.mcpserver import Context, MCPServer

        mcp = MCPServer("x")


        @mcp.tool()
        async def f(ctx: Context) -> str:
            await ctx.info(data="hello")
            return ctx.mcp_server.name
        """,
    )


def test_a_handler_is_given_the_context_that_it_asked_the_server_for() -> None:
    becomes(
        """\
        from mcp.server.fastmcp import FastMCP

        mcp = FastMCP("x")


        @mcp.tool()
        async def f(a: int, b: int = 2) -> str:
            return mcp.get_context().request_id


        @mcp.tool()
        async def g() -> str:
            return mcp.get_context().request_id
        """,
        """\
        from mcp.server.mcpserver import Context, MCPServer

        mcp = MCPServer("x")


        @mcp.tool()
        async def f(a: int, ctx: Context, b: int = 2) -> str:
            return ctx.request_id


        @mcp.tool()
        async def g(ctx: Context) -> str:
            return ctx.request_id
        """,
    )


def test_elsewhere_it_is_told() -> None:
    found = moved(
        """\
        from mcp.server.fastmcp import FastMCP

        mcp = FastMCP("x")


        def helper() -> str:
            return mcp.get_context().request_id
        """
    )
    assert told(found) == (
        "line 7: `mcp.get_context()` is gone: take `ctx: Context` as a parameter of the handler, and hand it on to "
        "where it is used",
    )


def test_request_contexts_of_both_sides() -> None:
    becomes(
        """\
        from typing import Any

        from mcp import ClientSession
        from mcp.shared.context import RequestContext


        async def sampling(context: RequestContext[ClientSession, Any], params): ...
        """,
        """\
        from mcp.client import ClientRequestContext


        async def sampling(context: ClientRequestContext, params): ...
        """,
    )
