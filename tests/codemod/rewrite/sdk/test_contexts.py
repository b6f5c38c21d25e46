"""Contexts lost a parameter, some names, and the ways to get hold of one without being given it."""

from __future__ import annotations

import pytest

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


OLD = "from mcp.server.fastmcp import Context, FastMCP\n\nmcp = FastMCP('x')\n\n\n@mcp.tool()\n"
NEW = OLD.replace("fastmcp", "mcpserver").replace("FastMCP", "MCPServer")
OWN = "    ctx.report_progress(1)\n"
OTHER = "    context.report_progress(1)\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    ctx = ctx or mcp.get_context()\n", ""),
        ("    ctx: Context = ctx or mcp.get_context()\n", ""),
        ("    ctx = mcp.get_context()\n", ""),
        ("    ctx = ctx if ctx is not None else mcp.get_context()\n", ""),
        ("    ctx = mcp.get_context() if not ctx else ctx\n", ""),
        ("    if ctx is None:\n        ctx = mcp.get_context()\n", ""),
        ("    if not ctx:\n        ctx = mcp.get_context()\n", ""),
        ("    if a:\n        ctx = mcp.get_context()\n", "    if a:\n        pass\n"),
        (
            "    if a:\n        a = 1\n    elif ctx is None:\n        ctx = mcp.get_context()\n",
            "    if a:\n        a = 1\n    elif ctx is None:\n        pass\n",
        ),
        (
            "    if ctx is None:\n        ctx = mcp.get_context()\n    else:\n        a = 1\n",
            "    if ctx is None:\n        pass\n    else:\n        a = 1\n",
        ),
        ("    a = 1; ctx = mcp.get_context()\n", "    a = 1; pass\n"),
        ("    context = ctx or mcp.get_context()\n", ""),
        ("    context = ctx or mcp.get_context()\n    hand(context.session)\n", "    hand(ctx.session)\n"),
        *(
            (f"    context = ctx or mcp.get_context()\n{rest}", f"    context = ctx\n{rest}")
            for rest in (
                "    context = wrapped(context)\n",
                "    hand(f'{context}')\n",
                "    hand(lambda context: context)\n",
                "    hand(lambda ctx: context)\n",
            )
        ),
        ("    hand((ctx or mcp.get_context()).session)\n", "    hand((ctx).session)\n"),
        ("    a = a or mcp.get_context()\n", "    a = a or ctx\n"),
    ],
)
@pytest.mark.parametrize("given", ["ctx: Context = None", "ctx: Context | None = None", "*, ctx: Context"])
def test_a_handler_never_chooses_between_its_context_and_itself(given: str, before: str, after: str) -> None:
    head = f"async def f(a: int, {given}):\n"
    becomes(OLD + head + before + OWN, NEW + head + after + OWN)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    ctx = mcp.get_context()\n" + OWN, "(ctx: Context):\n" + OWN),
        ("    context: Context = mcp.get_context()\n" + OTHER, "(context: Context):\n" + OTHER),
        (
            "    hand(mcp.get_context())\n    hand(mcp.get_context())\n",
            "(ctx: Context):\n    hand(ctx)\n    hand(ctx)\n",
        ),
        (
            "    context = mcp.get_context()\n    context = wrapped(context)\n" + OTHER,
            "(ctx: Context):\n    context = ctx\n    context = wrapped(context)\n" + OTHER,
        ),
        (
            "    ctx = 1\n    context = mcp.get_context()\n    context = wrapped(context, ctx)\n" + OTHER,
            "(ctx_2: Context):\n    ctx = 1\n    context = ctx_2\n    context = wrapped(context, ctx)\n"
            + OTHER,
        ),
    ],
)
def test_a_handler_without_a_context_gets_one_under_the_name_that_it_used(before: str, after: str) -> None:
    other = "\n\n@mcp.tool()\nasync def other(ctx: Context): ...\n"
    becomes(f"{OLD}async def f():\n{before}{other}", f"{NEW}async def f{after}{other}")


@pytest.mark.parametrize(
    "given",
    ["ctx: Context = None", "ctx: Context | None", "ctx: 'Optional[Context]'", "*, ctx: Context = None"],
)
def test_a_function_that_may_be_called_without_its_context_keeps_the_choice(given: str) -> None:
    helper = f"async def f({given}):\n    ctx = ctx or mcp.get_context()\n"
    found = moved(OLD.replace("@mcp.tool()\n", "") + helper)
    assert found.source.endswith(helper)
    (note,) = told(found)
    assert note.startswith("line 7: `mcp.get_context()` is gone: take `ctx: Context` as a parameter")


def test_a_handler_that_is_called_by_others_too_keeps_the_choice() -> None:
    handler = "async def f(ctx: Context = None):\n    ctx = ctx or mcp.get_context()\n\n\nprint(f)\n"
    found = moved(OLD + handler)
    assert found.source.endswith(handler)
    assert len(told(found)) == 1


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
