"""From FastMCP 2 and 3 to FastMCP 4."""

from __future__ import annotations

import pytest

from codemod.rewrite.sdk.moving import becomes, moved, running
from mrtr_codemod.rewrite.sdk.rename import rename

pytestmark = pytest.mark.anyio

HEAD = "from fastmcp import Context, FastMCP\n\nmcp = FastMCP('x')\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("mcp.mount(other, prefix='a')", "mcp.mount(other, namespace='a')"),
        ("mcp.mount(other, as_proxy=False)", "mcp.mount(other)"),
        ("mcp.remove_tool('t')", "mcp.local_provider.remove_tool('t')"),
        ("FastMCP('y', on_duplicate_tools='warn', on_duplicate_resources='warn', on_duplicate_prompts='warn')",
         "FastMCP('y', on_duplicate='warn')"),
        ("async def f(): return await mcp.get_tools()",
         "async def f(): return {tool.name: tool for tool in await mcp.list_tools()}"),
        ("async def f(ctx: Context):\n    ctx.set_state('k', 1)\n    x = 2",
         "async def f(ctx: Context):\n    await ctx.set_state('k', 1, serializable=False)\n    x = 2"),
        ("async def f(ctx: Context): return [ctx.get_state('k').x]",
         "async def f(ctx: Context): return [(await ctx.get_state('k')).x]"),
        ("async def f(ctx: Context): return await ctx.get_state('k')",
         "async def f(ctx: Context): return await ctx.get_state('k')"),
        ("@mcp.tool\ndef add(a: int) -> int: return a\n\n\nprint(add.fn(1))",
         "@mcp.tool\ndef add(a: int) -> int: return a\n\n\nprint(add(1))"),
        ("@mcp.tool(enabled=True)\ndef add(a: int) -> int: return a",
         "@mcp.tool()\ndef add(a: int) -> int: return a"),
    ],
)  # fmt: skip
def test_what_has_a_form_that_does_the_same(before: str, after: str) -> None:
    becomes(f"{HEAD}{before}\n", f"{HEAD}{after}\n")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("mcp.import_server(other)", "`mcp.import_server` is gone: `mount(server)` takes its place"),
        ("FastMCP('y', tool_serializer=str)", "`FastMCP(tool_serializer=...)` is gone: return a `ToolResult`"),
        ("FastMCP('y', sampling_handler=s)", "`FastMCP(sampling_handler=...)` is gone: nothing samples on the"),
        ("@mcp.tool(exclude_args=['a'])\ndef f(a: int): ...", "`tool(exclude_args=...)` is gone: give the parameter"),
        ("@mcp.tool(task=True)\nasync def f(): ...", "tasks are an extension now: install fastmcp-tasks"),
        ("def f(ctx: Context): ctx.set_state('k', 1)", "`ctx.set_state` is awaited now: make the function around it"),
        ("@mcp.tool\ndef f(): ...\n\n\nprint(f.description)", "`f` is the function itself now: get the component by"),
    ],
)  # fmt: skip
def test_what_has_none_is_told(source: str, told: str) -> None:
    (note,) = moved(f"{HEAD}{source}\n").notes
    assert note.message.startswith(told)


def test_a_local_of_the_same_name_is_no_component() -> None:
    becomes(*[f"{HEAD}@mcp.resource('a://b')\ndef desk():\n    desk = place()\n    return desk.fn\n"] * 2)


def test_proxies() -> None:
    becomes(
        "from fastmcp import FastMCP\n\nproxy = FastMCP.as_proxy('http://x')\nproxy.mount(other, as_proxy=True)\n",
        "from fastmcp.server import create_proxy\n\nproxy = create_proxy('http://x')\nproxy.mount(create_proxy(other))\n",
    )


@pytest.mark.parametrize(
    "ask", ["sample('a')", "list_roots()", "elicit('a', None)", "sample_step(messages=[])"]
)
def test_asks_that_stay_are_told_with_sdk_only(ask: str) -> None:
    source = f"{HEAD}async def f(ctx: Context): return await ctx.{ask}\n".encode()
    assert rename(source).notes == ()
    (note,) = rename(source, asks_stay=True).notes
    assert note.line == 4
    assert note.message == (
        f"`ctx.{ask.partition('(')[0]}` is not served on 2026-07-28; run `mrtr rewrite` without --sdk-only, or "
        "serve the file by `mrtr run`"
    )


async def test_a_server_of_2_serves_under_4() -> None:
    from fastmcp import Client

    scope = running(
        """\
        from fastmcp import Context, FastMCP
        from fastmcp.prompts.prompt import Message

        mcp = FastMCP("x", port=80, on_duplicate_tools="warn")
        other = FastMCP("y")
        mcp.mount(other, prefix="o")


        @mcp.tool
        async def state(ctx: Context) -> str:
            ctx.set_state("k", object())
            return type(ctx.get_state("k")).__name__


        @other.prompt
        def greet() -> list:
            return [{"role": "user", "content": "hi"}, Message("hello", role="assistant")]


        async def names():
            return sorted(await mcp.get_tools())


        if __name__ == "__main__":
            mcp.run(transport="http")
        """
    )
    assert await scope["names"]() == ["state"]
    async with Client(scope["mcp"]) as client:
        assert (await client.call_tool("state")).data == "object"
        messages = (await client.get_prompt("o_greet")).messages
        assert [(m.role, m.content.text) for m in messages] == [("user", "hi"), ("assistant", "hello")]
