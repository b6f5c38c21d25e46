"""`memo`, `once`, `now`, `flow` and recorded values: what was recorded is not done again, in any round."""

from __future__ import annotations

import dataclasses
import enum
import functools
import threading
from collections.abc import Awaitable, Callable
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import anyio
import anyio.from_thread
import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, SecretStr

from adapter.rounds import YES, Played, accept, always, call, play_tool
from adapter.servers import Name, Ok, serving
from mrtr_adapter import RecordedError, Unrecordable, adapt, flow, memo, now, on_commit, once
from mrtr_adapter.stores.memory import MemoryStore
from mrtr_adapter.telemetry import spans

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=["in the state", "in a store"])
def store(request: pytest.FixtureRequest) -> MemoryStore | None:
    return MemoryStore() if request.param == "in a store" else None


class Calls:
    """Counts, and stands for the outside world."""

    def __init__(self) -> None:
        self.made: list[Any] = []

    def __call__(self, value: Any) -> int:
        self.made.append(value)
        return len(self.made)


async def twice_asking(handler: Callable[..., Any], **options: Any) -> Played:
    return await play_tool(serving(handler, **options), "tool", always(YES))


KEEPERS = [memo, once]


@pytest.mark.parametrize("keep", KEEPERS)
async def test_a_recorded_function_runs_in_the_first_round_only(
    keep: Callable[..., Awaitable[Any]], store: MemoryStore | None
) -> None:
    world = Calls()

    async def charge(amount: int) -> int:
        await anyio.sleep(0)
        return world(amount)

    async def handler(ctx: Context) -> str:
        first = await keep("charge", charge, 7)
        await ctx.elicit("Sure?", Ok)
        second = await keep("check", world, 8)
        await ctx.elicit("Really?", Ok)
        return f"{first} {second}"

    played = await twice_asking(handler, store=store)
    assert played.text == "1 2"
    assert world.made == [7, 8]
    assert len(played.rounds) == 2


class Kind(enum.Enum):
    ROUND = "round"


class Money(BaseModel):
    amount: Decimal
    when: datetime
    tags: tuple[str, ...] = ()


@dataclasses.dataclass
class Parcel:
    id: UUID
    kind: Kind
    worth: Money


PARCEL = Parcel(
    uuid4(), Kind.ROUND, Money(amount=Decimal("1.50"), when=datetime.now(timezone.utc), tags=("a", "b"))
)


def make_parcel() -> Parcel:
    return PARCEL


def make_parcels() -> dict[str, list[Parcel]]:
    return {"all": [PARCEL]}


class Maker:
    async def __call__(self) -> set[int]:
        return {1, 2}


VALUES: dict[str, tuple[Callable[..., Any], Any, Any]] = {
    "a dataclass": (make_parcel, None, PARCEL),
    "a collection of them": (make_parcels, None, {"all": [PARCEL]}),
    "the result of a callable object": (Maker(), None, {1, 2}),
    "the result of a partial": (functools.partial(make_parcel), None, PARCEL),
    "a model that returns= names": (lambda: PARCEL.worth, Money, PARCEL.worth),
    "plain JSON": (lambda: {"a": [1, 2.5, None, "ü\ud800"]}, None, {"a": [1, 2.5, None, "ü\ud800"]}),
    "nothing": (lambda: None, None, None),
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("keep", KEEPERS)
async def test_a_value_comes_back_by_its_type_in_every_round(
    keep: Callable[..., Awaitable[Any]], name: str, store: MemoryStore | None
) -> None:
    make, returns, expected = VALUES[name]
    seen: list[Any] = []

    async def handler(ctx: Context) -> str:
        seen.append(await keep("value", make, returns=returns))
        return (await ctx.elicit("Sure?", Ok)).action

    await twice_asking(handler, store=store)
    assert seen == [expected, expected]
    assert [type(value) for value in seen] == [type(expected)] * 2


class Derived(Money):
    more: int = 1


def base_with_derived() -> Money:
    return Derived(amount=Decimal(1), when=datetime.now(timezone.utc))


def a_secret() -> SecretStr:
    return SecretStr("hidden")


LOST: dict[str, Callable[[], Any]] = {
    "an undeclared object": lambda: PARCEL.worth,
    "a tuple in place of a list": lambda: (1, 2),
    "no finite number": lambda: float("nan"),
    "a subclass with more fields": base_with_derived,
    "what is blotted out when it is written": a_secret,
}


@pytest.mark.parametrize("name", LOST)
async def test_a_value_that_would_come_back_otherwise_is_refused_at_once(name: str) -> None:
    async def handler(ctx: Context) -> str:
        try:
            await memo("value", LOST[name])
        except Unrecordable as lost:
            return f"refused: {lost}"
        return "recorded"

    text = (await call(serving(handler)(), "tool"))["content"][0]["text"]
    assert text.startswith("refused: ")
    assert "returns" in text


async def test_an_effect_whose_value_can_not_be_recorded_is_still_done_once(
    store: MemoryStore | None,
) -> None:
    world = Calls()

    async def handler(ctx: Context) -> str:
        try:
            await once("value", lambda: (world(1), object()))
        except RecordedError as error:
            said = str(error)
        await ctx.elicit("Sure?", Ok)
        return said

    played = await twice_asking(handler, store=store)
    assert "Unrecordable" in played.text
    assert world.made == [1]


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


@pytest.mark.parametrize("keep", KEEPERS)
async def test_one_name_for_two_recordings_ends_the_call_whatever_the_handler_catches(
    keep: Callable[..., Awaitable[Any]],
) -> None:
    world = Calls()

    async def handler(ctx: Context) -> str:
        for card in ("a", "b"):
            try:
                await keep("charge", world, card)
            except Exception:
                world("went on")
        return "done"

    with pytest.raises(MCPError, match=r"'charge' is recorded at test_recording.py:.* and again at"):
        await call(serving(handler)(), "tool")
    assert world.made == ["a"]


async def test_recordings_may_run_side_by_side_and_inside_one_another(store: MemoryStore | None) -> None:
    world = Calls()
    results: dict[str, Any] = {}

    async def outer() -> int:
        return 10 * await memo("inner", world, "inner")

    async def keep(name: str, function: Callable[..., Any], *args: Any) -> None:
        results[name] = await once(name, function, *args)

    async def handler(ctx: Context) -> str:
        async with anyio.create_task_group() as group:
            group.start_soon(keep, "outer", outer)
            for number in range(3):
                group.start_soon(keep, f"call-{number}", world, number)
        await ctx.elicit("Sure?", Ok)
        return str(sorted(results))

    played = await twice_asking(handler, store=store)
    assert played.text == "['call-0', 'call-1', 'call-2', 'outer']"
    assert sorted(map(str, world.made)) == ["0", "1", "2", "inner"]


async def test_an_effect_that_has_begun_is_finished_and_recorded_although_the_round_ends(
    store: MemoryStore | None,
) -> None:
    world = Calls()
    asked = anyio.Event()

    async def slow() -> int:
        world("begun")
        asked.set()
        await anyio.sleep(0.2)
        return world("finished")

    async def handler(ctx: Context) -> str:
        answer = ""

        async def ask() -> None:
            nonlocal answer
            await asked.wait()
            answer = (await ctx.elicit("Sure?", Ok)).action

        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            group.start_soon(once, "slow", slow)
        return answer

    assert (await twice_asking(handler, store=store)).text == "accept"
    assert world.made == ["begun", "finished"]


@pytest.mark.parametrize("keep", KEEPERS)
async def test_an_ask_inside_a_recording_ends_the_call_and_says_why(
    keep: Callable[..., Awaitable[Any]], store: MemoryStore | None
) -> None:
    async def handler(ctx: Context) -> str:
        async def asks() -> str:
            return (await ctx.elicit("Sure?", Ok)).action

        try:
            return str(await keep("asks", asks))
        except Exception:
            return "went on"

    with pytest.raises(MCPError, match=r"asks inside (memo|once)\('asks'\)"):
        await call(serving(handler, store=store)(), "tool")


async def test_sync_handlers_record_from_their_threads(store: MemoryStore | None) -> None:
    world = Calls()

    def handler(ctx: Context) -> str:
        charged = anyio.from_thread.run(once, "charge", world, 7)
        anyio.from_thread.run(ctx.elicit, "Sure?", Ok)
        return f"{charged} in {threading.current_thread() is threading.main_thread()}"

    assert (await twice_asking(handler, store=store)).text == "1 in False"
    assert world.made == [7]


async def test_uuids_inside_a_recording_do_not_shift_those_outside() -> None:
    async def handler(ctx: Context) -> str:
        await memo("id", lambda: str(uuid4()))
        await ctx.elicit(f"Sure about {uuid4()}?", Ok)
        return "done"

    assert len((await twice_asking(handler)).rounds) == 1


async def test_the_time_stands_still_over_the_rounds_of_a_flow() -> None:
    seen: list[datetime] = []

    async def handler(ctx: Context) -> str:
        started = now()
        seen.append(started)
        await ctx.elicit(f"It is {started}, sure?", Ok)
        return str(now() > started)

    assert (await twice_asking(handler)).text == "True"
    assert seen[0] == seen[1]
    assert abs((datetime.now(timezone.utc) - seen[0]).total_seconds()) < 60
    assert seen[0].tzinfo is timezone.utc


async def test_the_time_goes_on_where_nothing_is_to_be_recorded() -> None:
    seen: list[datetime] = []

    async def handler(ctx: Context) -> str:
        seen.append(now())
        return (await ctx.elicit("Sure?", Ok)).action

    await twice_asking(handler, record=False)
    assert seen[0] < seen[1]


async def test_a_flow_has_one_name_and_one_key_for_each_effect_in_all_its_rounds() -> None:
    seen: list[tuple[str, str]] = []
    rounds: list[tuple[int, bool, bool]] = []

    async def handler(ctx: Context) -> str:
        seen.append((flow().id, flow().idempotency_key("charge")))
        before = flow().replaying
        await ctx.elicit("Sure?", Ok)
        rounds.append((flow().round, before, flow().replaying))
        await ctx.elicit("Really?", Ok)
        return flow().idempotency_key("other")

    played = await twice_asking(handler)
    assert len(set(seen)) == 1
    assert rounds == [(2, True, False), (3, True, True)]
    assert played.text != seen[0][1]
    assert (await twice_asking(handler)).text != played.text


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


async def test_outside_a_flow_all_of_it_is_a_plain_call() -> None:
    world = Calls()

    async def notify() -> None:
        world("notified")

    assert await memo("rate", world, 1) == 1
    assert await once("rate", world, 2) == 2
    on_commit(world, "committed")
    on_commit(notify)
    await anyio.sleep(0.05)
    assert world.made == [1, 2, "committed", "notified"]
    assert flow().round == 1
    assert not flow().replaying
    assert flow().idempotency_key("a") != flow().idempotency_key("a")


async def test_the_same_handler_runs_on_an_older_protocol(anyio_backend: str) -> None:
    from mcp import Client
    from mcp.types import ElicitResult

    world = Calls()

    async def handler(ctx: Context) -> str:
        on_commit(world, "committed")
        charged = await once("charge", world, "charged")
        await memo("rate", world, "rated")
        keys = {flow().idempotency_key("charge") for _ in range(2)}
        answer = await ctx.elicit(f"Sure at {now():%Y}?", Name)
        return f"{charged} {answer.data.name} {len(keys)}" if answer.action == "accept" else "no"

    async def answers(context: Any, params: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"name": "Ada"})

    async with Client(serving(handler)(), mode="legacy", elicitation_callback=answers) as client:
        result = await client.call_tool("tool", {})
    assert result.content[0].text == "1 Ada 1"  # type: ignore[union-attr]
    assert world.made == ["charged", "rated", "committed"]


async def test_recordings_cost_nothing_in_the_state_of_a_flow_without_any(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spans, "here", lambda: None)  # whether somebody traces is another matter

    async def handler(ctx: Context) -> str:
        return (await ctx.elicit("Sure?", Ok)).action

    server = adapt(MCPServer("plain"), keys=["k" * 40], single_use=False)
    server.add_tool(handler, name="tool")
    assert len((await call(server, "tool"))["requestState"]) < 545


async def test_too_many_entries_end_the_flow_and_the_largest_is_named() -> None:
    async def handler(ctx: Context) -> str:
        for number in range(5):
            await memo(f"entry-{number}", lambda: "x" * 10)
        await memo("the large one", lambda: "x" * 500)
        return (await ctx.elicit("Sure?", Ok)).action

    with pytest.raises(MCPError, match=r"records 6 entries and may record 5 \(max_entries\)") as caught:
        await call(serving(handler, max_entries=5)(), "tool")
    assert caught.value.data["largest"] == "what was recorded as 'the large one', 502 bytes"


async def test_a_recorded_value_of_another_type_than_now_ends_the_call() -> None:
    kinds: list[Any] = [str, int]

    async def handler(ctx: Context) -> str:
        try:
            await memo("value", lambda: "text" if kinds[0] is str else 1, returns=kinds[0])
        except Exception:
            return "went on"
        kinds.reverse()
        return (await ctx.elicit("Sure?", Ok)).action

    with pytest.raises(MCPError, match="does not fit its type"):
        await play_tool(serving(handler), "tool", accept(ok=True))
