"""`on_commit`: once, after the last round, and only if the call succeeds."""

from __future__ import annotations

import pytest
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError

from adapter.rounds import YES, call
from adapter.servers import Ok, serving
from mrtr_adapter import memo, on_commit

pytestmark = pytest.mark.anyio


async def test_work_on_commit_is_done_once_and_after_the_last_round() -> None:
    done: list[str] = []

    async def notify(what: str) -> None:
        done.append(what)

    async def handler(ctx: Context) -> str:
        on_commit(notify, "above the question")
        await ctx.elicit("Sure?", Ok)
        on_commit(done.append, "below")
        done.append("result")
        return "done"

    server = serving(handler)
    asked = await call(server(), "tool")
    assert done == []
    await call(server(), "tool", state=asked["requestState"], responses={"answer": YES})
    assert done == ["result", "above the question", "below"]


async def test_a_call_that_fails_commits_nothing() -> None:
    done: list[str] = []
    failure: Exception = ValueError("an error result")

    async def handler(ctx: Context) -> str:
        on_commit(done.append, "committed")
        raise failure

    assert (await call(serving(handler)(), "tool"))["isError"]
    failure = MCPError(-32000, "a protocol error")
    with pytest.raises(MCPError, match="a protocol error"):
        await call(serving(handler)(), "tool")
    assert done == []


async def test_on_commit_inside_a_recording_is_refused() -> None:
    async def handler(ctx: Context) -> str:
        try:
            await memo("value", on_commit, print)
        except RuntimeError as error:
            return str(error)
        return "registered"

    assert "on_commit inside memo('value')" in (await call(serving(handler)(), "tool"))["content"][0]["text"]


async def test_work_that_fails_on_commit_is_logged_and_the_result_stands(
    caplog: pytest.LogCaptureFixture,
) -> None:
    done: list[str] = []

    def fails() -> None:
        raise RuntimeError("mail is down")

    async def handler(ctx: Context) -> str:
        on_commit(fails)
        on_commit(done.append, "next")
        return "done"

    assert (await call(serving(handler)(), "tool"))["content"][0]["text"] == "done"
    assert done == ["next"]
    assert "fails failed after its call had completed" in caplog.text
