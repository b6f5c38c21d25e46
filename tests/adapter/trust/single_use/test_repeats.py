"""Each state is redeemed once; whoever sends it again gets what it led to, and nothing runs."""

from __future__ import annotations

import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError

from adapter.rounds import KEY, YES, call, send
from adapter.servers import Ok
from adapter.trust.single_use.deletion import Deletion
from mrtr_adapter import adapt, on_commit
from mrtr_adapter.stores import Store

pytestmark = pytest.mark.anyio


async def test_a_state_sent_again_gets_the_stored_result_and_deletes_nothing(store: Store) -> None:
    files = Deletion(store)
    state = await files.second()
    first = await files.why(state)
    runs = files.runs
    for _ in range(3):
        again = await files.why(state, name="another answer")
        assert again["content"] == first["content"]
    assert files.deleted == ["a"]
    assert files.runs == runs


async def test_a_repeat_after_a_lost_reply_gets_the_next_question_and_can_go_on_from_there(
    store: Store,
) -> None:
    files = Deletion(store)
    state = await files.first()
    lost = await files.sure(state)
    again = await files.sure(state)
    assert again["inputRequests"] == lost["inputRequests"]
    assert (await files.why(again["requestState"]))["content"][0]["text"] == "deleted, number 1, accept"
    # Both are the one state of that round, sealed twice.
    assert (await files.why(lost["requestState"]))["content"][0]["text"] == "deleted, number 1, accept"
    assert files.deleted == ["a"]


async def test_an_error_is_stored_like_a_result(store: Store) -> None:
    files = Deletion(store)

    def fail() -> None:
        files.deleted.append("half")
        raise MCPError(-32050, "disk full", data={"free": 0})

    files.before_delete = fail
    state = await files.second()
    for _ in range(2):
        with pytest.raises(MCPError) as caught:
            await files.why(state)
        assert (caught.value.code, caught.value.message, caught.value.error.data) == (
            -32050,
            "disk full",
            {"free": 0},
        )
    assert files.deleted == ["half"]


async def test_a_result_too_large_to_keep_reaches_the_client_once(store: Store) -> None:
    server = MCPServer("large")

    @server.tool()
    async def export(ctx: Context) -> str:
        await ctx.elicit("Sure?", Ok)
        return "x" * (5 * 1024 * 1024)

    adapt(server, keys=[KEY], store=store, single_use=True)
    state = (await call(server, "export"))["requestState"]
    got = await call(server, "export", state=state, responses={"answer": YES})
    assert len(got["content"][0]["text"]) == 5 * 1024 * 1024
    with pytest.raises(MCPError, match="its result could not be kept"):
        await call(server, "export", state=state, responses={"answer": YES})


async def test_a_commit_is_not_repeated_with_its_reply(store: Store) -> None:
    done: list[str] = []
    server = MCPServer("mail")

    @server.tool()
    async def post(ctx: Context) -> str:
        on_commit(done.append, "sent")
        return (await ctx.elicit("Sure?", Ok)).action

    adapt(server, keys=[KEY], store=store, single_use=["post"])
    state = (await call(server, "post"))["requestState"]
    for _ in range(2):
        await call(server, "post", state=state, responses={"answer": YES})
    assert done == ["sent"]


async def test_prompts_and_resources_can_be_redeemed_once_too(store: Store) -> None:
    server = MCPServer("all")
    read: list[str] = []

    @server.resource("letter://{year}")
    async def letter(year: str, ctx: Context) -> str:
        answer = await ctx.elicit("Open it?", Ok)
        read.append(year)
        return f"{answer.action} {len(read)}"

    adapt(server, keys=[KEY], store=store, single_use=True)
    asked = await send(server, "resources/read", {"uri": "letter://1999"})
    retry = {"uri": "letter://1999", "requestState": asked["requestState"], "inputResponses": {"answer": YES}}
    for _ in range(2):
        result = await send(server, "resources/read", retry)
        assert result["contents"][0]["text"] == "accept 1"
