"""State of every format that was ever released is read, or refused clearly; what is new costs nothing when unused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError

from adapter.rounds import KEY, YES, call
from adapter.servers import Ok, serving
from mrtr_adapter import adapt
from mrtr_adapter.engine.journal import PREFIX, Journal, redeem
from mrtr_adapter.engine.suspension import InvalidState

pytestmark = pytest.mark.anyio

FIXTURES = sorted(Path(__file__).parents[1].joinpath("fixtures").glob("journal-v*.json"))


def fixture(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(path.read_text())
    return loaded


def files(key: str, deleted: list[str]) -> MCPServer:
    server = MCPServer("files")

    @server.tool()
    async def delete(path: str, ctx: Context) -> str:
        sure = await ctx.elicit(f"Delete {path}?", Ok)
        if sure.action == "accept":
            deleted.append(path)
        return sure.action

    return adapt(server, keys=[key])


def test_there_is_a_fixture_of_the_first_format() -> None:
    assert [path.name for path in FIXTURES][:1] == ["journal-v1.json"]


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_every_released_journal_is_read_with_all_its_fields(path: Path) -> None:
    for entry in fixture(path)["journals"]:
        read = redeem(entry["text"])
        assert {name: read.model_dump(mode="json")[name] for name in entry["fields"]} == entry["fields"]


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
@pytest.mark.parametrize("kind", ["plain", "compressed"])
async def test_every_released_token_is_resumed(path: Path, kind: str) -> None:
    deleted: list[str] = []
    stored = fixture(path)
    server = files(stored["key"], deleted)
    result = await call(
        server, "delete", {"path": "a"}, state=stored["tokens"][kind], responses={"sure": YES}
    )
    assert result["content"][0]["text"] == "accept"
    assert deleted == ["a"]


def test_what_the_journal_can_do_costs_nothing_unless_it_is_used() -> None:
    bare = Journal(flow="f", round=1, deadline=2**33, nonce="n")
    assert bare.seal_text() == PREFIX + '{"f":"f","r":1,"d":8589934592,"i":"n"}'


@pytest.mark.parametrize("text", ["mrtr0.{}", "mrtr2.{}", "mrtr12.{}"])
def test_another_version_is_refused_and_named_as_such(text: str) -> None:
    with pytest.raises(InvalidState, match="another format version"):
        redeem(text)


async def test_a_compressed_state_is_smaller_and_opened_by_instances_with_and_without_compression() -> None:
    async def handler(ctx: Context) -> str:
        answers = [(await ctx.elicit(f"Question {number} of a long row?", Ok)).action for number in range(4)]
        return " ".join(answers)

    sizes = []
    for seal, resume in ((True, False), (False, True)):
        state, responses = None, None
        for round_ in range(5):
            server = serving(handler, compress=seal if round_ % 2 == 0 else resume)()
            result = await call(server, "tool", state=state, responses=responses)
            if round_ < 4:
                state, responses = result["requestState"], {"answers": YES, "answer": YES}
                sizes.append((seal if round_ % 2 == 0 else resume, round_, len(state)))
        assert result["content"][0]["text"] == "accept accept accept accept"
    by_round = {(compressed, round_): size for compressed, round_, size in sizes}
    assert by_round[True, 3] < by_round[False, 3]


def test_compression_needs_keys_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MRTR_KEYS", raising=False)
    with pytest.raises(ValueError, match="compress needs keys"):
        adapt(MCPServer("a"), compress=True)


async def test_compression_stays_when_adapt_is_called_again_for_something_else() -> None:
    server = MCPServer("again")

    @server.tool()
    async def ask(ctx: Context) -> str:
        return (await ctx.elicit("Sure?", Ok)).action

    adapt(adapt(server, keys=[KEY], compress=True), max_rounds=3)
    assert (await call(server, "ask"))["requestState"].startswith("mr1z.")


async def test_compressed_state_is_bounded_like_any_other() -> None:
    async def handler(ctx: Context) -> str:
        answer = await ctx.elicit("Large?", Ok)
        return answer.action

    with pytest.raises(MCPError, match="Invalid or expired requestState"):
        await call(serving(handler, compress=True)(), "tool", state="mr1z." + "A" * 1024 * 1024)
