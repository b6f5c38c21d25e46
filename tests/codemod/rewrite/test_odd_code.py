"""Odd code, position by position: it does what it did, or stays as it is for the reason that is given."""

from __future__ import annotations

import ast
import sys
from textwrap import dedent, indent
from typing import Any

import pytest

from . import bare
from .rewriting import HEADER, refused, rewritten

TOOL = "@mcp.tool()\nasync def handler(name: str, items: list[str], ctx: Context) -> str:\n"
ARGUMENTS: dict[str, Any] = {"name": "ada", "items": ["x", "ay", "b"]}

REWRITTEN = {
    "a class body that reads locals": r"""
        class Box:
            n = len(name)
            label = f'{n}'
        effect(Box.label)
        a = await ctx.elicit('q', Ok)
        return f'{Box.n} {a.action}'
    """,
    "a string annotation that names the support module's class": r"""
        steps: 'Steps' = None
        n = effect(name)
        a = await ctx.elicit('q', Ok)
        return f'{n} {steps} {a.action}'
    """,
    "asks and effects in a nested f-string": r"""
        return f'{effect("a")} {(await ctx.elicit("q", Ok)).action:>{effect("bb") + 9}} {effect("c")}'
    """,
    "an ask in a nested conditional": r"""
        x = (effect('a') if effect('b') > 3 else (await ctx.elicit('q', Ok)).action) if items else 'none'
        return str(x)
    """,
    "an ask between and and or": r"""
        x = effect('a') and (await ctx.elicit('q', Ok)).action == 'accept' and effect('b') or effect('c')
        return str(x)
    """,
    "an ask as a key of a dict": r"""
        d = {effect('k1'): effect('v1'), (await ctx.elicit('q', Ok)).action: effect('v2')}
        return str(d)
    """,
    "an ask among starred arguments": r"""
        def f(*a, **k):
            return f'{a} {k}'
        return f(effect('p'), *items, k=(await ctx.elicit('q', Ok)).action, **{'z': effect('z')})
    """,
    "a starred target": r"""
        first, *rest = items
        effect(first)
        a = await ctx.elicit('q', Ok)
        return f'{first} {rest} {a.action}'
    """,
    "a global declaration": r"""
        global EFFECTS
        n = effect(name)
        a = await ctx.elicit('q', Ok)
        EFFECTS.append(a.action)
        return f'{n}'
    """,
    "a closure that counts": r"""
        total = 0
        def add(k):
            nonlocal total
            total += k
        add(effect(name))
        a = await ctx.elicit('q', Ok)
        add(1)
        return f'{total} {a.action}'
    """,
    "locals called as the rewrite would call its own": r"""
        state = effect(name)
        answer_2 = 'x'
        answer = await ctx.elicit('q', Ok)
        return f'{state} {answer_2} {answer.action}'
    """,
    "a local called form": r"""
        form = effect(name)
        a = await ctx.elicit('q', Ok)
        return f'{form} {a.action}'
    """,
    "a local called Step": r"""
        Step = effect(name)
        a = await ctx.elicit('q', Ok)
        return f'{Step} {a.action}'
    """,
    "an answer that is deleted": r"""
        out = []
        for i in list(items):
            a = await ctx.elicit(i, Ok)
            out.append(a.action)
            del a
        return str(out)
    """,
    "an else of a while": r"""
        n = 0
        while n < 3:
            n += 1
            a = await ctx.elicit(f'{n}', Ok)
            if a.action == 'cancel':
                break
        else:
            effect('else')
        return str(n)
    """,
    "a continue in a try in a loop": r"""
        n = 0
        for i in items:
            try:
                n += effect(i)
                if n > 1:
                    continue
                a = await ctx.elicit(i, Ok)
            finally:
                effect(f'fin {n}')
        return str(n)
    """,
    "an ask in an assert": r"""
        assert (await ctx.elicit('q', Ok)).action, effect('m')
        return 'x'
    """,
    "a type that only the function imports": r"""
        import datetime
        now = datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)
        effect(name)
        a = await ctx.elicit('q', Ok)
        return f'{now} {a.action}'
    """,
    "bytes": r"""
        data = name.encode()
        effect(name)
        a = await ctx.elicit('q', Ok)
        return f'{data!r} {a.action}'
    """,
    "numbers as keys": r"""
        d = {1: effect(name)}
        a = await ctx.elicit('q', Ok)
        return f'{d} {a.action}'
    """,
    "not a number": r"""
        x = float('nan')
        effect(name)
        a = await ctx.elicit('q', Ok)
        return f'{x} {a.action}'
    """,
    "truths among numbers": r"""
        x = [True, 1, 0]
        x.append(effect(name))
        a = await ctx.elicit('q', Ok)
        return f'{x} {a.action}'
    """,
    "nested lists with None": r"""
        x = [[None, name], [1]]
        effect(name)
        a = await ctx.elicit('q', Ok)
        return f'{x} {a.action}'
    """,
    "a local that may be None": r"""
        x = None
        if effect(name) > 2:
            x = [name]
        a = await ctx.elicit('q', Ok)
        return f'{x} {a.action}'
    """,
    "a local of two types": r"""
        x = effect(name)
        a = await ctx.elicit('q', Ok)
        x = f'{x}!'
        b = await ctx.elicit(x, Text)
        return f'{x} {a.action} {b.action}'
    """,
    "an ask as an argument": r"""
        def f(x=1):
            return x
        return str(f((await ctx.elicit('q', Ok)).action))
    """,
    "an error bound beside": r"""
        error = effect(name)
        try:
            int(name)
        except ValueError as problem:
            effect(str(problem))
        a = await ctx.elicit('q', Ok)
        return f'{error} {a.action}'
    """,
    "two asks in a tuple": r"""
        return str((effect('a'), (await ctx.elicit('q', Ok)).action, (await ctx.elicit('r', Text)).action))
    """,
    "statements on one line": r"""
        n = effect(name); a = await ctx.elicit('q', Ok); n += 1; return f'{n} {a.action}'
    """,
    "lines joined by backslashes": r"""
        n = effect(name) + \
            1
        a = await ctx.elicit('q',
            Ok)
        return f'{n} ' \
            f'{a.action}'
    """,
    "an if on one line": r"""
        n = effect(name)
        if n: a = await ctx.elicit('q', Ok); effect(a.action)
        return f'{n}'
    """,
    "type comments": r"""
        n = effect(name)  # type: int
        a = await ctx.elicit('q', Ok)  # type: ignore
        return f'{n} {a.action}'
    """,
    "a set": r"""
        seen = {*items}
        effect(name)
        a = await ctx.elicit('q', Ok)
        return f'{sorted(seen)} {a.action}'
    """,
    "a local called list": r"""
        list = effect(name)
        a = await ctx.elicit('q', Ok)
        return f'{list} {a.action}'
    """,
    "a walrus in a negated condition": r"""
        if not (a := await ctx.elicit('q', Ok)):
            return 'never'
        return a.action
    """,
    "an ask in a subscript": r"""
        d = {'accept': 1, 'decline': 2, 'cancel': 3}
        return str(d[(await ctx.elicit('q', Ok)).action] + effect('z'))
    """,
    "an ask in a slice": r"""
        return str(items[effect('a') - 1 : len((await ctx.elicit('q', Ok)).action)])
    """,
    "a comparison by identity": r"""
        x = items
        effect(name)
        a = await ctx.elicit('q', Ok)
        return f'{x is items} {a.action}'
    """,
}

LEFT = {
    "an ask added to an entry": (
        "evaluation-order",
        r"""
        d = {'k': effect('a')}
        d['k'] += len((await ctx.elicit('q', Ok)).action)
        return str(d)
    """,
    ),
    "a walrus in a comprehension": (
        "maybe-unbound",
        r"""
        xs = [y for i in items if (y := effect(i))]
        a = await ctx.elicit(f'{y}', Ok)
        return f'{xs} {y} {a.action}'
    """,
    ),
    "vars()": (
        "reads-frame",
        r"""
        n = effect(name)
        a = await ctx.elicit('q', Ok)
        return str(sorted(vars()))
    """,
    ),
    "a return in finally": (
        "swallowing-finally",
        r"""
        try:
            a = await ctx.elicit('q', Ok)
            return a.action
        finally:
            effect('fin')
            if len(items) > 5:
                return 'swallowed'
    """,
    ),
    "a guard with an effect": (
        "evaluation-order",
        r"""
        match name:
            case n if effect(n) > 1:
                a = await ctx.elicit(n, Ok)
                return a.action
            case _:
                return 'none'
    """,
    ),
    "a generator that is half used up": (
        "uncarriable-local",
        r"""
        it = (effect(i) for i in items)
        first = next(it)
        a = await ctx.elicit(f'{first}', Ok)
        return f'{list(it)}'
    """,
    ),
    "tuples as keys": (
        "uncarriable-local",
        r"""
        d = {(1, 'a'): effect(name)}
        a = await ctx.elicit('q', Ok)
        return f'{d} {a.action}'
    """,
    ),
    "a lambda over a local that changes": (
        "untyped-local",
        r"""
        n = effect(name)
        f = lambda: n + 1
        a = await ctx.elicit('q', Ok)
        n += 5
        return f'{f()} {a.action}'
    """,
    ),
    "an async comprehension": (
        "generator",
        r"""
        async def g():
            yield 1
        xs = [x async for x in g()]
        effect(name)
        a = await ctx.elicit('q', Ok)
        return f'{xs} {a.action}'
    """,
    ),
    "a nested function that does not ask": (
        "untyped-local",
        r"""
        async def inner(k):
            return k * 2
        n = await inner(effect(name))
        a = await ctx.elicit('q', Ok)
        return f'{n} {await inner(3)} {a.action}'
    """,
    ),
}


@pytest.fixture(autouse=True)
def support_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(bare.VENDORED))
    monkeypatch.setitem(sys.modules, "program", None)


def source(body: str) -> str:
    return HEADER + TOOL + indent(dedent(body).strip("\n"), "    ") + "\n"


@pytest.mark.parametrize("name", REWRITTEN)
def test_it_does_what_it_did(name: str) -> None:
    text = source(REWRITTEN[name])
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
    assert refused(source(body).removeprefix(HEADER)) == rule
