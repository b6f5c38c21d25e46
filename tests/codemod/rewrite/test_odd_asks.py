"""Helpers, gathered questions and `except` blocks in odd places: each does what it did, or stays and says why."""

from __future__ import annotations

import ast
import sys
from textwrap import dedent, indent

import pytest

from . import bare
from .rewriting import HEADER, refused, rewritten
from .test_odd_code import ARGUMENTS, TOOL

HELPER = """\
async def one(ctx: Context, what: str) -> str:
    n = effect(f"one {what}")
    reply = await ctx.elicit(f"{what} {n}", Ok)
    effect(f"got {reply.action}")
    return reply.action


"""

REWRITTEN = {
    "helpers whose results are ignored": r"""
        effect(name)
        await one(ctx, 'a')
        await one(ctx, 'b')
        return 'x'
    """,
    "a helper in the condition of a loop": r"""
        n = effect(name)
        while (got := await one(ctx, f'{n}')) == 'accept' and n < 5:
            n += 1
        return f'{n} {got}'
    """,
    "a helper twice in an expression": r"""
        return await one(ctx, 'a') + f'{effect(name)}' + await one(ctx, 'b')
    """,
    "a helper in an except block": r"""
        try:
            int(name)
        except ValueError as error:
            more = await one(ctx, f'{error}')
            return more
        return 'n'
    """,
    "gathered questions in a loop": r"""
        out = []
        for i in items:
            answers = await asyncio.gather(*[ctx.elicit(f'{i} {j}', Ok) for j in items])
            out.append([a.action for a in answers])
        return str(out)
    """,
    "gathered questions for the items of a dict": r"""
        d = {i: effect(i) for i in items}
        answers = await asyncio.gather(*[ctx.elicit(f'{k} {v}', Ok) for k, v in d.items()])
        return str([a.action for a in answers])
    """,
    "gathered questions beside a local called at": r"""
        at = effect(name)
        answers = await asyncio.gather(*[ctx.elicit(f'{at} {k}', Ok) for k in items])
        return str([a.action for a in answers]) + str(at)
    """,
    "gathered questions that are numbered": r"""
        n = effect(name)
        answers = await asyncio.gather(*[ctx.elicit(f'{i}:{k}{n}', Ok) for i, k in enumerate(items)])
        return str([a.action for a in answers])
    """,
    "gathered questions for a name that is a local, too": r"""
        item = effect(name)
        answers = await asyncio.gather(*[ctx.elicit(f'{item}', Ok) for item in items])
        return f'{item} {[a.action for a in answers]}'
    """,
    "a loop with an else in an except block": r"""
        for i in items:
            try:
                n = int(i)
            except ValueError as e:
                for j in items:
                    a = await ctx.elicit(f'{e} {j}', Ok)
                    if a.action != 'accept':
                        break
                else:
                    effect('all')
                    continue
                effect('broke')
        return 'x'
    """,
    "two except blocks that ask": r"""
        try:
            if effect(name) > 2:
                raise KeyError(name)
            int(name)
        except KeyError as e:
            a = await ctx.elicit(f'k {e}', Ok)
            return a.action
        except ValueError as e:
            a = await ctx.elicit(f'v {e}', Ok)
            effect(a.action)
        return 'x'
    """,
    "except blocks in each other": r"""
        try:
            try:
                int(name)
            except ValueError as e:
                a = await ctx.elicit(f'v {e}', Ok)
                raise KeyError(a.action)
        except KeyError as e:
            b = await ctx.elicit(f'w {e}', Ok)
            return b.action
        return 'x'
    """,
    "gathered questions until all agree": r"""
        n = 0
        while True:
            answers = await asyncio.gather(*[ctx.elicit(f'{n}{i}', Ok) for i in items[:2]])
            n += 1
            if n > 2 or all(a.action == 'accept' for a in answers):
                break
        return f'{n}'
    """,
}

LEFT = {
    "helpers that are gathered": (
        "dynamic-ask",
        r"""
        a, b = await asyncio.gather(one(ctx, 'a'), one(ctx, 'b'))
        return a + b
    """,
    ),
    "a helper in a comprehension": (
        "ask-in-comprehension",
        r"""
        xs = [await one(ctx, i) for i in items]
        return str(xs)
    """,
    ),
    "an except block before a finally": (
        "ask-in-except",
        r"""
        try:
            got = await one(ctx, 'a')
            if got != 'accept':
                raise ValueError(got)
        except ValueError as error:
            more = await one(ctx, f'{error}')
            return more
        finally:
            effect('fin')
        return got
    """,
    ),
    "a question beside gathered ones": (
        "dynamic-ask",
        r"""
        answers = await asyncio.gather(ctx.elicit('first', Ok), *[ctx.elicit(k, Ok) for k in items])
        return str([a.action for a in answers])
    """,
    ),
    "an error that is bound anew": (
        "ask-in-except",
        r"""
        try:
            int(name)
        except ValueError as e:
            e = str(e)
            a = await ctx.elicit(f'v {e}', Ok)
            return e
        return 'x'
    """,
    ),
    "a context manager that is not known by name": (
        "resource-held",
        r"""
        with __import__('contextlib').suppress(ValueError):
            a = await ctx.elicit('v', Ok)
        return 'x'
    """,
    ),
}


@pytest.fixture(autouse=True)
def support_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(bare.VENDORED))
    monkeypatch.setitem(sys.modules, "program", None)


def handler(body: str) -> str:
    return TOOL + indent(dedent(body).strip("\n"), "    ") + "\n"


@pytest.mark.parametrize("name", REWRITTEN)
def test_it_does_what_it_did(name: str) -> None:
    text = HEADER + HELPER + handler(REWRITTEN[name])
    result = rewritten(text)
    assert [v.rule for v in result.handlers] == [""], result.handlers
    assert rewritten(result.after).after == result.after
    before, after = (compile(ast.parse(t), "odd", "exec") for t in (text, result.after))
    for seed in range(8):
        old = bare.native(before, ARGUMENTS, seed)
        assert bare.in_rounds(after, ARGUMENTS, seed, spoil=seed % 3 == 0) == old, result.after


@pytest.mark.parametrize("name", LEFT)
def test_it_stays_as_it_is_and_says_why(name: str) -> None:
    rule, body = LEFT[name]
    assert refused(handler(body), HEADER + HELPER) == rule
