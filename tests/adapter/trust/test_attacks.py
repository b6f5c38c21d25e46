"""A client that lies: state replayed, moved to another user, tool, call, flow, service or server, or made to hurt."""

from __future__ import annotations

import base64
import json
import time
import tracemalloc
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import anyio
import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError

from adapter.rounds import KEY, YES, call
from adapter.servers import Ok
from mrtr_adapter import adapt
from mrtr_adapter.engine import journal
from mrtr_adapter.engine.suspension import InvalidState
from mrtr_adapter.sealing.seal import SealCodec
from mrtr_adapter.stores.memory import MemoryStore

pytestmark = pytest.mark.anyio

OTHER_KEY = "other-key-" + "o" * 40
ATTACKED = "Invalid or expired requestState"


def user_of(ctx: Any) -> str | None:
    return (ctx.meta or {}).get("user")


class Files:
    """A server that deletes a file after one question. Options of `adapt()` may differ from instance to instance."""

    def __init__(self) -> None:
        self.deleted: list[str] = []
        self.store = MemoryStore()

    def __call__(self, name: str = "files", **options: Any) -> MCPServer:
        server = MCPServer(name)

        async def delete(path: str, ctx: Context) -> str:
            answer = await ctx.elicit(f"Delete {path}?", Ok)
            if answer.action == "accept":
                self.deleted.append(path)
            return answer.action

        server.add_tool(delete, name="delete")
        server.add_tool(delete, name="move")
        given = {"keys": [KEY], "bind_principal": user_of, "store": self.store, "single_use": True, **options}
        return adapt(server, **given)

    async def ask(
        self, server: MCPServer, tool: str = "delete", path: str = "a", user: str | None = None
    ) -> str:
        return str((await call(server, tool, {"path": path}, meta={"user": user}))["requestState"])

    async def answer(
        self, server: MCPServer, state: Any, tool: str = "delete", path: str = "a", user: str | None = None
    ) -> str:
        result = await call(
            server, tool, {"path": path}, meta={"user": user}, state=state, responses={"answer": YES}
        )
        return str(result["content"][0]["text"])


MOVES: dict[str, Mapping[str, Any]] = {
    "to another user": {"user": "eve"},
    "to nobody": {"user": None},
    "to another tool": {"tool": "move"},
    "to other arguments": {"path": "b"},
}


@pytest.mark.parametrize("move", MOVES)
async def test_state_moved_elsewhere_is_refused_and_still_good_where_it_belongs(move: str) -> None:
    files = Files()
    state = await files.ask(files(), user="ada")
    with pytest.raises(MCPError, match=ATTACKED):
        await files.answer(files(), state, **{"user": "ada", **MOVES[move]})
    assert files.deleted == []
    assert await files.answer(files(), state, user="ada") == "accept"


SERVERS: dict[str, Callable[[Files], MCPServer]] = {
    "another audience": lambda files: files(audience="billing"),
    "a server of another name": lambda files: files(name="archive"),
    "a server with another key": lambda files: files(keys=[OTHER_KEY]),
}


@pytest.mark.parametrize("server", SERVERS)
async def test_state_of_another_service_is_refused(server: str) -> None:
    files = Files()
    state = await files.ask(files())
    with pytest.raises(MCPError, match=ATTACKED):
        await files.answer(SERVERS[server](files), state)
    assert files.deleted == []


async def test_two_flows_of_one_call_delete_once_each_however_their_states_are_mixed() -> None:
    files = Files()
    one, other = await files.ask(files()), await files.ask(files())
    for state in (one, other, one, other, other, one):
        assert await files.answer(files(), state) == "accept"
    assert files.deleted == ["a", "a"]


async def test_an_intermediate_state_does_not_come_back_to_life_once_the_flow_is_over() -> None:
    deleted: list[str] = []
    store = MemoryStore()

    def make() -> MCPServer:
        server = MCPServer("files")

        @server.tool()
        async def delete(ctx: Context) -> str:
            first = await ctx.elicit("Sure?", Ok)
            second = await ctx.elicit("Really?", Ok)
            if first.action == second.action == "accept":
                deleted.append("a")
            return f"{first.action} {second.action}"

        return adapt(server, keys=[KEY], store=store, single_use=True)

    first = (await call(make(), "delete"))["requestState"]
    declined = await call(make(), "delete", state=first, responses={"first": {"action": "decline"}})
    result = await call(make(), "delete", state=declined["requestState"], responses={"second": YES})
    assert result["content"][0]["text"] == "decline accept"
    # The user has declined; somebody replays the first state with another answer.
    again = await call(make(), "delete", state=first, responses={"first": YES})
    result = await call(make(), "delete", state=again["requestState"], responses={"second": YES})
    assert result["content"][0]["text"] == "decline accept"
    assert deleted == []


async def test_two_hundred_replays_at_once_delete_once() -> None:
    files = Files()
    state = await files.ask(files())
    texts: list[str] = []

    async def replay() -> None:
        texts.append(await files.answer(files(), state))

    async with anyio.create_task_group() as group:
        for _ in range(200):
            group.start_soon(replay)
    assert texts == ["accept"] * 200
    assert files.deleted == ["a"]


def sealed(plaintext: str) -> str:
    """What only a server could make: state with any content, under a good seal, for `delete a`."""
    claims = {
        "v": 1,
        "iat": time.time(),
        "exp": time.time() + 60,
        "m": "tools/call",
        "t": "delete",
        "aud": "files",
    }
    arguments = json.dumps({"path": "a"}, separators=(",", ":"))
    claims["a"] = _digest(arguments)
    return SealCodec([KEY], max_state_bytes=8 * 1024 * 1024).seal(
        json.dumps({**claims, "s": plaintext}).encode()
    )


def _digest(text: str) -> str:
    from hashlib import sha256

    return base64.urlsafe_b64encode(sha256(text.encode()).digest()[:16]).decode().rstrip("=")


NESTED = '{"a":' * 10_000
BOMBS = {
    "a megabyte of base64": lambda: "mr1." + "A" * 1024 * 1024,
    "a megabyte of nothing known": lambda: "x" * 1024 * 1024,
    "a megabyte of brackets": lambda: "[" * 1024 * 1024,
    "a megabyte of compressed token": lambda: "mr1z." + "A" * 1024 * 1024,
    "a list in its place": lambda: [["x"] * 1000] * 1000,
    "a number in its place": lambda: 10**300,
    "sealed nesting": lambda: sealed(journal.PREFIX + NESTED),
    "a sealed megabyte": lambda: sealed(journal.PREFIX + json.dumps({"f": "x" * 1024 * 1024})),
    "a sealed reference to nothing": lambda: sealed("mrtr1@" + "A" * 16),
    "a sealed later version": lambda: sealed("mrtr2.{}"),
    "a sealed list": lambda: sealed(journal.PREFIX + "[]"),
    "a sealed journal with a field too many": lambda: sealed(
        journal.PREFIX + '{"f":"x","r":1,"d":99999999999,"i":"n","evil":1}'
    ),
}


@pytest.mark.parametrize("bomb", BOMBS)
async def test_hostile_state_is_refused_quickly_and_in_little_memory(bomb: str) -> None:
    files = Files()
    server, state = files(), BOMBS[bomb]()
    tracemalloc.start()
    began = time.monotonic()
    with pytest.raises(MCPError) as caught:
        await files.answer(server, state)
    took, (_, peak) = time.monotonic() - began, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert ATTACKED in caught.value.message or caught.value.error.data == {"reason": "state_lost"}
    assert took < 2
    assert peak < 16 * 1024 * 1024
    assert files.deleted == []


def test_what_the_test_seals_is_good_but_for_its_content() -> None:
    sound = sealed(journal.PREFIX + '{"f":"x","r":1,"d":99999999999,"i":"n"}')
    anyio.run(lambda: _expect_question(Files(), sound))


async def _expect_question(files: Files, state: str) -> None:
    asked = await call(files(), "delete", {"path": "a"}, state=state)
    assert "answer" in asked["inputRequests"]


def test_a_compressed_bomb_is_not_inflated_beyond_the_bound() -> None:
    codec = SealCodec([KEY], max_state_bytes=64 * 1024, compress=True)
    bomb = codec.sized(64 * 1024 * 1024).seal(b"\0" * 32 * 1024 * 1024)
    assert len(bomb) < 64 * 1024
    tracemalloc.start()
    with pytest.raises(Exception, match="too large once decompressed"):
        codec.unseal(bomb)
    assert tracemalloc.get_traced_memory()[1] < 4 * 1024 * 1024
    tracemalloc.stop()


def test_compressed_state_whose_end_is_cut_off_is_refused() -> None:
    codec = SealCodec([KEY], max_state_bytes=64 * 1024)
    whole = zlib.compress(b"x" * 1000)
    forged = SealCodec([KEY], max_state_bytes=64 * 1024, compress=True)
    token = _seal_raw(forged, whole[:-6])
    with pytest.raises(Exception, match="cut short"):
        codec.unseal(token)


def _seal_raw(codec: SealCodec, deflated: bytes) -> str:
    """A token of that codec around bytes that it did not compress itself."""
    original = zlib.compress
    zlib.compress = lambda data, *args, **kwargs: deflated  # type: ignore[assignment]
    try:
        return codec.seal(b"")
    finally:
        zlib.compress = original


@pytest.mark.parametrize("text", ["", "{", "null", "[]", '{"f":1}', "[" * 100_000, '"' + "x" * 100_000])
def test_no_journal_text_ends_in_anything_but_refusal(text: str) -> None:
    with pytest.raises(InvalidState):
        journal.redeem(journal.PREFIX + text)
