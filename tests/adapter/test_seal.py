"""Tokens and journals: what was sealed comes back, and nothing else is accepted."""

from __future__ import annotations

import logging
import string
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp.server.mcpserver import Context
from mcp.server.request_state import InvalidRequestState
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel

from adapter.mutants import mutants
from adapter.rounds import KEY, YES, call
from adapter.servers import Ok, serving
from mrtr_adapter.engine.journal import Answered, Asked, Inner, Journal, redeem
from mrtr_adapter.engine.suspension import InvalidState
from mrtr_adapter.sealing.seal import SealCodec

OTHER = "other-key-" + "o" * 40
CODEC = SealCodec([KEY, OTHER], max_state_bytes=64 * 1024)
MUTANTS = 100_000


def built(model: type[BaseModel], **fields: Any) -> st.SearchStrategy[Any]:
    """Models from their fields' names; their signature has the names on the wire."""
    return st.fixed_dictionaries(fields).map(lambda values: model(**values))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(max_size=8), JSON, max_size=4)
NAMES = st.text(string.ascii_letters, min_size=1, max_size=16)
ASKED = built(Asked, digest=NAMES, occurrence=st.integers(0, 9), text=st.none() | st.text(max_size=160))
ANSWERED = built(Answered, digest=NAMES, occurrence=st.integers(0, 9), answer=OBJECTS, checked=st.booleans())
JOURNALS = built(
    Journal,
    flow=NAMES,
    round=st.integers(1, 100),
    deadline=st.integers(int(time.time()) + 3600, 2**40),
    nonce=NAMES,
    handler=st.text(max_size=8),
    answers=st.lists(ANSWERED, max_size=4),
    asked=st.dictionaries(NAMES, ASKED, max_size=4),
    changes=st.integers(0, 3),
    raised=st.booleans(),
    sent=st.text(string.ascii_letters, max_size=40),
    shed=st.lists(JSON, max_size=3),
    seed=st.none() | st.text("0123456789abcdef", min_size=32, max_size=32),
    inner=st.none()
    | built(Inner, state=st.none() | st.text(), responses=st.none() | OBJECTS, open=st.booleans()),
)


@given(JOURNALS)
def test_a_journal_comes_back_as_it_went(journal: Journal) -> None:
    assert redeem(journal.seal_text()) == journal


@given(st.binary(max_size=2000))
def test_a_token_gives_back_what_was_sealed(payload: bytes) -> None:
    token = CODEC.seal(payload)
    assert CODEC.unseal(token) == payload
    assert set(token) <= set(string.ascii_letters + string.digits + "-_.")


def test_the_same_payload_never_gives_the_same_token() -> None:
    assert len({CODEC.seal(b"same") for _ in range(1000)}) == 1000


def test_every_key_of_the_ring_opens_and_the_first_one_seals() -> None:
    token = SealCodec([OTHER], max_state_bytes=4096).seal(b"old")
    assert CODEC.unseal(token) == b"old"
    with pytest.raises(InvalidRequestState):
        SealCodec([OTHER], max_state_bytes=4096).unseal(CODEC.seal(b"new"))


@given(st.text(max_size=400) | st.text("ABCab01-_", max_size=400).map(lambda body: "mr1." + body))
def test_text_that_nobody_sealed_is_refused(token: str) -> None:
    with pytest.raises(InvalidRequestState):
        CODEC.unseal(token)


@given(
    st.text(max_size=200)
    | OBJECTS.map(lambda value: "mrtr1." + str(value))
    | JSON.map(lambda v: f"mrtr1.{v}")
)
def test_plaintext_of_another_shape_is_no_journal(text: str) -> None:
    with pytest.raises(InvalidState):
        redeem(text)


@pytest.mark.parametrize(
    "body",
    [
        '{"f":"x","r":1,"d":1,"i":"x"}',  # past its deadline
        '{"f":"x","r":0,"d":9999999999,"i":"x"}',
        '{"f":"x","r":"1","d":9999999999,"i":"x"}',
        '{"f":"x","r":1,"d":9999999999,"i":"x","zzz":1}',
        '{"f":"x","r":1,"d":9999999999,"i":"x","a":[{"q":"d","n":-1,"a":{}}]}',
        '{"f":"x","r":1,"d":NaN,"i":"x"}',
        "[" * 100_000,
        '{"f":"x","r":1,"d":9999999999,"i":"x","l":' + "[" * 5000 + "]" * 5000 + "}",
        "null",
        "",
    ],
)
def test_a_journal_that_breaks_the_schema_is_refused(body: str) -> None:
    with pytest.raises(InvalidState):
        redeem("mrtr1." + body)


def test_no_mutant_of_a_token_is_accepted() -> None:
    token = CODEC.seal(b"x" * 300)
    foreign = [CODEC.seal(b"y" * 300), SealCodec([OTHER], max_state_bytes=4096).seal(b"z" * 300)]
    valid = {token, *foreign}
    for mutant in mutants(token, foreign, MUTANTS):
        if mutant in valid:
            continue  # a swap of equal characters, a splice at the very end
        with pytest.raises(InvalidRequestState):
            CODEC.unseal(mutant)


@pytest.mark.anyio
async def test_every_mutant_of_a_state_gets_the_one_frozen_error_and_runs_nothing() -> None:
    runs: list[int] = []

    async def handler(ctx: Context) -> str:
        runs.append(1)
        answer = await ctx.elicit("Sure?", Ok)
        return answer.action

    server = serving(handler)()
    token = (await call(server, "tool"))["requestState"]
    foreign = [(await call(server, "tool"))["requestState"]]
    ran = len(runs)
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    try:
        for mutant in mutants(token, foreign, 2000):
            if mutant in (token, *foreign):
                continue
            with pytest.raises(MCPError) as caught:
                await call(server, "tool", state=mutant, responses={"answer": YES})
            assert (caught.value.code, caught.value.message) == (-32602, "Invalid or expired requestState")
    finally:
        logging.getLogger("mcp").setLevel(logging.NOTSET)
    assert len(runs) == ran


settings.register_profile("adapter", max_examples=200, deadline=None)
settings.load_profile("adapter")
