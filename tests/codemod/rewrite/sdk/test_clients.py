"""Clients: their HTTP client is opened by them, timeouts are seconds, pages have parameters."""

from __future__ import annotations

from codemod.rewrite.sdk.moving import becomes, moved, told


def test_what_was_for_the_http_client_goes_to_one() -> None:
    becomes(
        """\
        from mcp import ClientSession
        from mcp.client.streamable_http import streamablehttp_client


        async def main(url):
            async with streamablehttp_client(url, headers={"a": "b"}, timeout=5) as (read, write, _):
                async with ClientSession(read, write) as session:
                    await session.initialize()
        """,
        """\
        from httpx2 import AsyncClient, Timeout
        from mcp import ClientSession
        from mcp.client.streamable_http import streamable_http_client


        async def main(url):
            async with AsyncClient(headers={"a": "b"}, timeout=Timeout(5, read=300)) as http_client, streamable_http_client(url, http_client=http_client) as (read, write):
                async with ClientSession(read, write) as session:
                    await session.initialize()
        """,  # noqa: E501
    )


def test_without_options_only_the_name_changes() -> None:
    becomes(
        """\
        from mcp.client.streamable_http import streamablehttp_client


        async def main():
            async with streamablehttp_client("http://x") as (read, write, _):
                return read, write
        """,
        """\
        from mcp.client.streamable_http import streamable_http_client


        async def main():
            async with streamable_http_client("http://x") as (read, write):
                return read, write
        """,
    )


def test_a_session_id_that_is_read_is_told() -> None:
    found = moved(
        """\
        from mcp.client.streamable_http import streamablehttp_client


        async def main():
            async with streamablehttp_client("http://x") as (read, write, session_id):
                return session_id()
        """
    )
    assert told(found)[0].startswith("line 5: `session_id` is gone: read the header `mcp-session-id`")


def test_seconds_and_pages() -> None:
    becomes(
        """\
        from datetime import timedelta

        from mcp import ClientSession


        async def f(session: ClientSession, cursor):
            await session.call_tool("x", {}, read_timeout_seconds=timedelta(minutes=1))
            return await session.list_tools(cursor=cursor), await session.list_prompts(cursor)
        """,
        """\
        from datetime import timedelta

        from mcp import ClientSession
        from mcp.types import PaginatedRequestParams


        async def f(session: ClientSession, cursor):
            await session.call_tool("x", {}, read_timeout_seconds=timedelta(minutes=1).total_seconds())
            return await session.list_tools(params=PaginatedRequestParams(cursor=cursor)), await session.list_prompts(params=PaginatedRequestParams(cursor=cursor))
        """,  # noqa: E501
    )


def test_a_server_in_memory() -> None:
    becomes(
        """\
        from mcp.server.fastmcp import FastMCP
        from mcp.shared.memory import create_connected_server_and_client_session as connected

        mcp = FastMCP("x")


        async def test():
            async with connected(mcp._mcp_server) as session:
                assert not (await session.call_tool("x", {})).isError
        """,
        """\
        from mcp import Client
        from mcp.server.mcpserver import MCPServer

        mcp = MCPServer("x")


        async def test():
            async with Client(mcp._lowlevel_server, mode="legacy") as session:
                assert not (await session.call_tool("x", {})).is_error
        """,
    )
