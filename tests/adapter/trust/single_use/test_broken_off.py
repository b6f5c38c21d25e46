"""A call that ends between its answer and its result is reported, and never repeated."""

from __future__ import annotations

from functools import partial
from typing import Any

import anyio
import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import InputRequiredResult

from adapter.rounds import KEY, YES, call
from adapter.servers import Ok
from adapter.trust.single_use.deletion import DESTRUCTIVE, SURE, Deletion, broken_off, stay
from adapter.trust.stores import SwitchedStore
from mrtr_adapter import adapt, once
from mrtr_adapter.stores import Store

pytestmark = pytest.mark.anyio


async def test_a_call_that_is_broken_off_after_an_answer_is_reported_and_never_repeated(store: Store) -> None:
    files, reached = Deletion(store), anyio.Event()
    files.before_delete = partial(stay, reached)
    state = await files.second()
    await broken_off(files.why(state), reached)
    runs = files.runs
    with pytest.raises(MCPError, match=r"was broken off.*Look whether it did") as caught:
        await files.why(state)
    assert caught.value.error.data == {"reason": "interrupted"}
    assert files.runs == runs


async def test_a_handler_in_step_form_that_is_broken_off_is_not_entered_again(store: Store) -> None:
    server = MCPServer("steps")
    entered: list[Any] = []
    reached = anyio.Event()

    @server.tool(annotations=DESTRUCTIVE)
    async def book(ctx: Context) -> str | InputRequiredResult:
        if ctx.input_responses is None:
            return InputRequiredResult.model_validate({"inputRequests": {"sure": SURE}})
        entered.append(ctx.input_responses)
        await stay(reached)
        return "never"

    adapt(server, keys=[KEY], store=store)
    state = (await call(server, "book"))["requestState"]
    await broken_off(call(server, "book", state=state, responses={"sure": YES}), reached)
    with pytest.raises(MCPError, match="was broken off"):
        await call(server, "book", state=state, responses={"sure": YES})
    assert len(entered) == 1


async def test_a_store_that_fails_after_an_answer_ends_the_call_for_good(store: Store) -> None:
    switched = SwitchedStore(store)
    server = MCPServer("bank")
    paid: list[str] = []

    @server.tool(annotations=DESTRUCTIVE)
    async def pay(ctx: Context) -> str:
        await ctx.elicit("Pay?", Ok)
        paid.append("fee")
        switched.down = True
        try:
            await once("pay", paid.append, "paid")
        finally:
            switched.down = False
        return "paid"

    adapt(server, keys=[KEY], store=switched)
    state = (await call(server, "pay"))["requestState"]
    for _ in range(2):
        with pytest.raises(MCPError, match=r"lost its store.*Look whether it did") as caught:
            await call(server, "pay", state=state, responses={"answer": YES})
        assert caught.value.error.data == {"reason": "interrupted"}
    assert paid == ["fee"]
