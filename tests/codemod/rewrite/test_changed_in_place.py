"""A local that is changed in place between asks comes back as it was left, whatever way the change was made."""

from __future__ import annotations

import ast
import sys
from typing import Any

import pytest

from . import bare
from .rewriting import HEADER, refused, rewritten

TOOL = "@mcp.tool()\nasync def handler(items: list[str], ctx: Context) -> str:\n"
ARGUMENTS: dict[str, Any] = {"items": ["x", "ay", "b"]}

CASES = {
    "a list chosen where it changes": (
        "yes: list[str] = []\nno: list[str] = []\nfor item in items:\n    answer = await ctx.elicit(item, Ok)\n"
        "    (yes if answer.action == 'accept' else no).append(item)\nreturn f'{yes} {no}'"
    ),
    "a list chosen before it changes": (
        "yes: list[str] = []\nno: list[str] = []\nfor item in items:\n    answer = await ctx.elicit(item, Ok)\n"
        "    chosen = yes if answer.action == 'accept' else no\n    chosen.append(item)\nreturn f'{yes} {no}'"
    ),
    "a list reached through a dict": (
        "found: dict[str, list[str]] = {'a': []}\nfor item in items:\n    answer = await ctx.elicit(item, Ok)\n"
        "    found.get('a', []).append(item)\nreturn str(found)"
    ),
    "a heap": (
        "import heapq\nheap: list[str] = []\nfor item in items:\n    answer = await ctx.elicit(item, Ok)\n"
        "    heapq.heappush(heap, item)\nreturn str(heap)"
    ),
}
SHARED = {
    "lists changed by a loop over them": (
        "a: list[str] = []\nb: list[str] = []\nfor item in items:\n    for one in (a, b):\n        one.append(item)\n"
        "    answer = await ctx.elicit(item, Ok)\nreturn f'{a} {b}'"
    ),
    "a list in a dict literal": (
        "yes: list[str] = []\nno: list[str] = []\nfor item in items:\n    answer = await ctx.elicit(item, Ok)\n"
        "    {'accept': yes}.get(answer.action, no).append(item)\nreturn f'{yes} {no}'"
    ),
    "a method of a list kept as a value": (
        "seen: list[str] = []\nadd = seen.append\nfor item in items:\n    answer = await ctx.elicit(item, Ok)\n"
        "    add(item)\nreturn str(seen)"
    ),
}


@pytest.fixture(autouse=True)
def support_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(bare.VENDORED))
    monkeypatch.setitem(sys.modules, "program", None)


@pytest.mark.parametrize("name", CASES)
def test_a_change_in_place_survives_the_ask(name: str) -> None:
    body = "".join(f"    {line}\n" for line in CASES[name].splitlines())
    source = HEADER + TOOL + body
    after = rewritten(source).after
    old, new = (compile(ast.parse(text), "case", "exec") for text in (source, after))
    assert "Steps(ctx)" in after
    for seed in range(10):
        assert bare.in_rounds(new, ARGUMENTS, seed, spoil=seed % 4 == 0) == bare.native(
            old, ARGUMENTS, seed
        ), after


@pytest.mark.parametrize("name", SHARED)
def test_an_object_that_more_than_a_local_holds_stays_with_the_adapter(name: str) -> None:
    body = "".join(f"    {line}\n" for line in SHARED[name].splitlines())
    assert refused(body, HEADER + TOOL) in ("shared-object", "untyped-local")
