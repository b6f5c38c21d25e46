"""A recorded value comes back as what it was, or is refused."""

from __future__ import annotations

import dataclasses
import enum
import functools
from collections.abc import Awaitable, Callable
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import pytest
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, SecretStr

from adapter.rounds import accept, call, play_tool
from adapter.servers import Ok, serving
from adapter.trust.recording.calls import KEEPERS, twice_asking
from mrtr_adapter import Unrecordable, memo
from mrtr_adapter.stores.memory import MemoryStore

pytestmark = pytest.mark.anyio


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
