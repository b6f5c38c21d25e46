"""A replayed handler draws the same random numbers; nobody else does."""

from __future__ import annotations

import random
import secrets
import threading
import uuid
from random import choice, randint
from uuid import uuid4

import anyio.to_thread
import pytest
from mcp.server.mcpserver import Context

from adapter.rounds import YES, always, play_tool
from adapter.servers import Ok, serving
from mrtr_adapter.engine import entropy

pytestmark = pytest.mark.anyio

DRAWS = {
    "uuid.uuid4": lambda: uuid.uuid4(),
    "from uuid import uuid4": lambda: uuid4(),
    "secrets.token_hex": lambda: secrets.token_hex(40),
    "secrets.randbelow": lambda: secrets.randbelow(10**9),
    "secrets.choice": lambda: secrets.choice(range(10**9)),
    "random.random": lambda: random.random(),
    "random.getrandbits": lambda: random.getrandbits(77),
    "random.randbytes": lambda: random.randbytes(9),
    "random.gauss": lambda: random.gauss(0, 1),
    "random.sample": lambda: random.sample(range(10**6), 5),
    "from random import choice": lambda: choice(range(10**9)),
    "from random import randint": lambda: randint(0, 10**9),
    "random.SystemRandom": lambda: random.SystemRandom().random(),
}


@pytest.mark.parametrize("name", DRAWS)
async def test_a_draw_is_the_same_in_every_round_and_another_in_every_flow(name: str) -> None:
    draws: list[str] = []

    async def handler(ctx: Context) -> str:
        draws.append(f"{DRAWS[name]()} {DRAWS[name]()}")
        await ctx.elicit("First?", Ok)
        await ctx.elicit("Second?", Ok)
        return draws[-1]

    await play_tool(serving(handler), "tool", always(YES))
    assert len(draws) == 3
    assert len(set(draws)) == 1
    first, second = draws[0].split(" ", 1)
    assert first != second
    await play_tool(serving(handler), "tool", always(YES))
    assert len(set(draws)) == 2


async def test_a_draw_in_a_thread_of_the_handler_is_recorded_too() -> None:
    draws: list[str] = []

    def handler(ctx: Context) -> str:
        draws.append(str(uuid.uuid4()))
        import anyio.from_thread

        return str(anyio.from_thread.run(ctx.elicit, "Sure?", Ok).action)

    await play_tool(serving(handler), "tool", always(YES))
    assert len(draws) == 2
    assert len(set(draws)) == 1


async def test_recording_can_be_left_out() -> None:
    draws: list[str] = []

    async def handler(ctx: Context) -> str:
        draws.append(str(uuid.uuid4()))
        return (await ctx.elicit("Sure?", Ok)).action

    await play_tool(serving(handler, record=False), "tool", always(YES))
    assert len(set(draws)) == 2


async def test_a_handler_that_seeds_the_generator_gets_its_own_sequence() -> None:
    expected = random.Random(42).random()

    async def handler(ctx: Context) -> str:
        random.seed(42)
        return f"{random.random()} {(await ctx.elicit('Sure?', Ok)).action}"

    assert (await play_tool(serving(handler), "tool", always(YES))).text == f"{expected} accept"


async def test_threads_of_one_flow_never_draw_the_same() -> None:
    drawn: list[str] = []

    async def handler(ctx: Context) -> str:
        async with anyio.create_task_group() as group:
            for _ in range(8):
                group.start_soon(
                    anyio.to_thread.run_sync, lambda: drawn.extend(str(uuid.uuid4()) for _ in range(200))
                )
        return (await ctx.elicit("Sure?", Ok)).action

    from adapter.rounds import call

    await call(serving(handler)(), "tool")
    assert len(set(drawn)) == 1600


async def test_nothing_is_recorded_outside_a_flow() -> None:
    entropy.install()
    entropy.install()
    assert len({uuid.uuid4() for _ in range(100)}) == 100
    assert random.random() != random.random()
    random.seed(7)
    first = random.random()
    random.seed(7)
    assert random.random() == first
    random.seed()
    done: list[float] = []
    thread = threading.Thread(target=lambda: done.append(random.random()))
    thread.start()
    thread.join()
    assert 0 <= done[0] < 1
    assert random.getrandbits(0) == 0
