"""A helper may leave it to its caller whether a failed ask counts as a yes: then the call is what fails open."""

from __future__ import annotations

import pytest

from mrtr_codemod.check import Options, check
from mrtr_codemod.model import Level
from mrtr_codemod.source import SourceFile

_HEAD = """
import os
from dataclasses import dataclass
from typing import NamedTuple
from pydantic import BaseModel
from fastmcp import Context, FastMCP
mcp = FastMCP("files")
"""
_PLAIN = """
async def sure(ctx: Context, message: str, auto: bool = {default}) -> bool:
    try:
        answer = await ctx.elicit(message, bool)
    except Exception:
        return auto
    return answer.action == "accept"

@mcp.tool
async def delete(path: str, ctx: Context) -> str:
    {call}
        return "kept"
    os.remove(path)
    return "gone"
"""
_RECORD = """
{made}
    confirmed: bool
    asked: bool
{body}
async def sure(ctx: Context, message: str, *, auto: bool = False) -> Outcome:
    if ctx is None:
        return Outcome(confirmed=False, asked=False)
    try:
        answer = await ctx.elicit(message, bool)
        return Outcome(confirmed=answer.action == "accept", asked=True)
    except Exception:
        if auto:
            return Outcome(confirmed=True, asked=False)
        return Outcome(confirmed=False, asked=False)

@mcp.tool
async def delete(path: str, ctx: Context) -> str:
    outcome = await sure(ctx, "Delete?", auto={auto})
    {between}
    if not outcome.confirmed:
        return "kept"
    os.remove(path)
    return "gone"
"""
_DATA = {
    "dataclass": "@dataclass(frozen=True)\nclass Outcome:",
    "named tuple": "class Outcome(NamedTuple):",
    "pydantic": "class Outcome(BaseModel):",
}


def _levels(text: str) -> list[Level]:
    report = check([SourceFile("server.py", _HEAD + text)], Options(select=frozenset({"MRTR303"})))
    assert not report.failures
    return [finding.level for finding in report.findings]


def _record(made: str = "dataclass", *, auto: bool = True, between: str = "", body: str = "") -> str:
    return _RECORD.format(made=_DATA[made], auto=auto, between=between, body=body)


@pytest.mark.parametrize(
    ("default", "call"),
    [
        (False, "if not await sure(ctx, 'Delete?', True):"),
        (False, "if not await sure(ctx, 'Delete?', auto=True):"),
        (True, "if not await sure(ctx, 'Delete?'):"),
    ],
)
def test_the_call_that_says_yes_beforehand_is_an_error(default: bool, call: str) -> None:
    assert _levels(_PLAIN.format(default=default, call=call)) == [Level.ERROR]


@pytest.mark.parametrize(
    ("default", "call"),
    [
        (True, "if not await sure(ctx, 'Delete?', False):"),
        (True, "if not await sure(ctx, 'Delete?', auto=False):"),
        (False, "if not await sure(ctx, 'Delete?'):"),
    ],
)
def test_the_call_that_says_no_beforehand_stays_silent(default: bool, call: str) -> None:
    assert _levels(_PLAIN.format(default=default, call=call)) == []


@pytest.mark.parametrize("call", ["if not await sure(ctx, *more):", "if not await sure(ctx, 'x', **more):"])
def test_what_a_call_does_not_tell_is_not_guessed(call: str) -> None:
    assert _levels(_PLAIN.format(default=True, call=f"more = os.environ\n    {call}")) == []


@pytest.mark.parametrize("made", _DATA)
def test_a_yes_in_an_object_is_followed(made: str) -> None:
    assert _levels(_record(made)) == [Level.ERROR]
    assert _levels(_record(made, auto=False)) == []


def test_an_object_that_is_changed_or_that_works_things_out_is_not_trusted() -> None:
    assert _levels(_record(between="outcome.confirmed = os.path.exists(path)")) == []
    assert _levels(_record(body="    def __post_init__(self):\n        self.confirmed = False\n")) == []


def test_what_a_handler_looks_at_before_it_acts_counts() -> None:
    assert _levels(_record(between="if not outcome.asked:\n        return 'could not ask'")) == []
