"""A recorded exception is the same in every round."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from mcp.server.mcpserver import Context

from adapter.servers import Ok
from adapter.trust.recording.calls import KEEPERS, Calls, twice_asking
from mrtr_adapter import RecordedError, once
from mrtr_adapter.stores.memory import MemoryStore

pytestmark = pytest.mark.anyio


class Declined(Exception):
    pass


@pytest.mark.parametrize("keep", KEEPERS)
async def test_a_recorded_exception_comes_back_by_the_type_that_the_caller_names(
    keep: Callable[..., Awaitable[Any]], store: MemoryStore | None
) -> None:
    world = Calls()

    def charge() -> None:
        world(1)
        raise Declined("no cover")

    async def handler(ctx: Context) -> str:
        try:
            await keep("charge", charge, errors=Declined)
        except Declined as declined:
            said = f"declined: {declined}"
        await ctx.elicit("Sure?", Ok)
        return said

    assert (await twice_asking(handler, store=store)).text == "declined: no cover"
    assert world.made == [1]


class Unlucky(Declined):
    pass


class Complicated(Exception):
    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"{code} {text}")


FAILURES: dict[str, tuple[Exception, Any, type[Exception], str]] = {
    "a type derived from the named one": (Unlucky("no luck"), (KeyError, Declined), Declined, "no luck"),
    "a type that takes more than a text": (
        Complicated(7, "x"),
        Complicated,
        RecordedError,
        "Complicated: 7 x",
    ),
    "any exception": (Declined("no cover"), Exception, RecordedError, "Declined: no cover"),
}


@pytest.mark.parametrize("case", FAILURES)
@pytest.mark.parametrize("keep", KEEPERS)
async def test_a_recorded_exception_is_the_same_in_the_first_run_and_in_its_replays(
    keep: Callable[..., Awaitable[Any]], case: str, store: MemoryStore | None
) -> None:
    failure, errors, expected, text = FAILURES[case]
    seen: list[tuple[type[Exception], str]] = []

    def fail() -> None:
        raise failure

    async def handler(ctx: Context) -> str:
        try:
            await keep("fails", fail, errors=errors)
        except Exception as error:
            seen.append((type(error), str(error)))
        return (await ctx.elicit("Sure?", Ok)).action

    await twice_asking(handler, store=store)
    assert seen == [(expected, text)] * 2


async def test_once_takes_any_failure_for_done(store: MemoryStore | None) -> None:
    world = Calls()
    seen: list[str] = []

    def charge() -> None:
        world(1)
        raise TimeoutError("no reply")

    async def handler(ctx: Context) -> str:
        try:
            await once("charge", charge)
        except RecordedError as error:
            seen.append(str(error))
        return (await ctx.elicit("Sure?", Ok)).action

    await twice_asking(handler, store=store)
    assert seen == ["TimeoutError: no reply"] * 2
    assert world.made == [1]


@pytest.mark.parametrize("keep", KEEPERS)
async def test_a_failure_that_is_not_to_be_recorded_may_be_tried_again(
    keep: Callable[..., Awaitable[Any]], store: MemoryStore | None
) -> None:
    world = Calls()

    def flaky() -> int:
        if world(1) < 3:
            raise ConnectionError
        return 3

    async def handler(ctx: Context) -> str:
        for _ in range(2):
            try:
                return f"got {await keep('fetch', flaky, errors=())}"
            except ConnectionError:
                continue
        return (await ctx.elicit("Sure?", Ok)).action

    assert (await twice_asking(handler, store=store)).text == "got 3"
