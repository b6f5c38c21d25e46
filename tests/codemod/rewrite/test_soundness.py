"""Handlers that are easy to get wrong: each is either left as it is, or does what it did."""

from __future__ import annotations

import ast
import sys
from typing import Any

import pytest

from mrtr_codemod.rewrite.verdicts import Level

from . import bare
from .rewriting import HEADER, rewritten

TOOL = "@mcp.tool()\nasync def handler(name: str, items: list[str], ctx: Context) -> str:\n"
ARGUMENTS: dict[str, Any] = {"name": "ada", "items": ["x", "ay", "b"]}
ASK = "answer = await ctx.elicit('sure?', Text)"
HELPERS = """\
REGISTRY: dict[str, list[str]] = {"ada": ["first"]}


def grow(target: list[str]) -> None:
    target.append("grown")


async def ask_and_grow(ctx: Context, target: list[str]) -> int:
    target.append("before")
    reply = await ctx.elicit(f"{len(target)}?", Ok)
    target.append(reply.action)
    return len(target)


"""

CASES = {
    "two names for one list": f"a = ['x']\nb = a\neffect(name)\n{ASK}\na.append('y')\nreturn str(b)",
    "a list inside a list": f"a = ['x']\nb = [a]\neffect(name)\n{ASK}\na.append('y')\nreturn str(b)",
    "an entry of a registry": f"a = REGISTRY['ada']\neffect(name)\n{ASK}\na.append('y')\nreturn str(REGISTRY)",
    "a list kept in a registry": f"a = ['x']\nREGISTRY[name] = a\n{ASK}\na.append('y')\nreturn str(len(REGISTRY))",
    "an argument that a helper changes": f"grow(items)\n{ASK}\nreturn str(items)",
    "an argument changed here": f"items.append('z')\n{ASK}\nreturn str(items)",
    "an argument bound anew": f"items = sorted(items)\neffect(name)\n{ASK}\nreturn str(items)",
    "a helper that changes its argument around an ask": "n = await ask_and_grow(ctx, items)\nreturn f'{n} {items}'",
    "a helper that changes a local around an ask": "a = ['x']\nn = await ask_and_grow(ctx, a)\nreturn f'{n} {a}'",
    "a counter in a closure": (
        f"n = 0\ndef up():\n    nonlocal n\n    n += 1\n    return n\nup()\n{ASK}\nup()\nreturn str(n)"
    ),
    "a closure over a local": f"n = effect(name)\ndef show():\n    return f'{{n}}'\n{ASK}\nreturn show()",
    "a lambda over a loop variable": (
        "shows = []\nfor item in items:\n    shows.append(lambda: item)\n"
        "    answer = await ctx.elicit(item, Ok)\nreturn str([s() for s in shows])"
    ),
    "a name that is deleted": f"a = effect(name)\ndel a\n{ASK}\na = 2\nreturn str(a)",
    "an iterator used up before": f"it = iter(items)\nfirst = next(it)\n{ASK}\nreturn first + next(it)",
    "a generator used up before": f"it = (i for i in items)\nfirst = next(it)\n{ASK}\nreturn first + next(it)",
    "a tuple with a list in it": f"t = ([name], 1)\nt[0].append('y')\n{ASK}\nt[0].append('z')\nreturn str(t)",
    "a number that may be whole": f"n: float = 2 if effect(name) else 2.5\n{ASK}\nreturn str(n)",
    "a truth that is a number": f"n = True + 0 if name else True\neffect(name)\n{ASK}\nreturn repr(n)",
    "a dict with numbers as keys": f"d = {{1: 'a', 2: 'b'}}\neffect(name)\n{ASK}\nreturn str(d[1])",
    "a default dict": (
        f"import collections\nd = collections.defaultdict(list)\nd['a'].append(1)\n{ASK}\n"
        "d['b'].append(2)\nreturn str(d)"
    ),
    "the error of an except": (
        f"note = ''\ntry:\n    int(name)\nexcept ValueError as error:\n    note = str(error)\n{ASK}\nreturn note"
    ),
    "an ask in a try with an else": (
        "try:\n    effect(name)\nexcept ValueError:\n    return 'bad'\nelse:\n"
        f"    {ASK}\n    effect(answer.action)\nreturn 'end'"
    ),
    "an ask in the else of a while": (
        f"n = 0\nwhile n < 2:\n    n += effect(name)\nelse:\n    {ASK}\n"
        "    return f'{n} {answer.action}'\nreturn 'never'"
    ),
    "a return in a loop in a try with a finally": (
        "for item in items:\n    try:\n        answer = await ctx.elicit(item, Ok)\n"
        "        if answer.action != 'accept':\n            continue\n"
        "        if effect(item) > 1:\n            return item\n"
        "    finally:\n        effect('cleaned')\nreturn 'end'"
    ),
    "a raise after the ask in a try": (
        f"try:\n    {ASK}\n    if answer.action == 'accept':\n        raise KeyError(name)\nexcept KeyError as error:\n"
        "    effect(str(error))\nreturn 'end'"
    ),
    "an ask whose answer is thrown away": "await ctx.elicit('one', Ok)\nawait ctx.elicit('two', Text)\nreturn 'end'",
    "the same name for two answers": (
        "answer = await ctx.elicit('one', Ok)\nif answer.action == 'accept':\n"
        "    answer = await ctx.elicit('two', Text)\nreturn answer.action"
    ),
    "an ask in a nested loop with a labelled break": (
        "for a in items:\n    for b in items:\n        answer = await ctx.elicit(a + b, Ok)\n"
        "        if answer.action == 'cancel':\n            break\n"
        "    else:\n        effect('full')\n        continue\n"
        "    effect('broke')\n    break\nreturn 'end'"
    ),
    "a text made of a number that changes later": (
        "n = 1\nif name:\n    n = 3\nt = f'<{n}>'\nfor item in items:\n    answer = await ctx.elicit(item, Ok)\n"
        "    n += 1\nreturn t"
    ),
    "a text made of an argument that changes later": (
        f"t = f'<{{name}}>'\n{ASK}\nname += '!'\nagain = await ctx.elicit(name, Ok)\nreturn t + name"
    ),
    "a condition on an argument that changes later": (
        f"if name == 'ada':\n    {ASK}\n    name += '!'\n    again = await ctx.elicit(name, Ok)\nreturn name"
    ),
    "a slice of a list that changes": (
        "queue = list(items)\nfor item in queue[1:]:\n    queue.remove(item)\n"
        "    answer = await ctx.elicit(f'{item} {len(queue)}', Ok)\nreturn str(queue)"
    ),
    "a loop over a name bound anew inside": (
        "work = list(items)\nfor item in work:\n    work = [item]\n"
        "    answer = await ctx.elicit(item, Ok)\nreturn str(work)"
    ),
    "an augmented attribute": (
        "class Box:\n    n = 0\nbox = Box()\nbox.n += len((await ctx.elicit('one', Ok)).action)\nreturn str(box.n)"
    ),
    "a chained comparison": "return str(1 < len((await ctx.elicit('one', Ok)).action) < effect('late'))",
    "a subscript evaluated before": "d = {'a': 1}\nd[name] = len((await ctx.elicit('one', Ok)).action)\nreturn str(d)",
    "a starred call": "return str(max(*[effect('a')], len((await ctx.elicit('one', Ok)).action), effect('b')))",
    "a conditional in an argument": (
        "return str(pow(effect('a'), (len((await ctx.elicit('one', Ok)).action) if items else effect('b')), 7))"
    ),
    "not and or and": (
        "if not (items and (await ctx.elicit('one', Ok)).action == 'accept') or effect('late') > 9:\n    effect('in')\n"
        "return 'end'"
    ),
    "a question that changes the world": "answer = await ctx.elicit(f'{effect(name)}', Ok)\nreturn answer.action",
    "a list that is emptied by its question": "answer = await ctx.elicit(items.pop(), Ok)\nreturn str(items)",
    "a condition on something that changes": (
        f"if REGISTRY.pop('ada', None):\n    {ASK}\n    return answer.action\nreturn 'gone'"
    ),
}


@pytest.fixture(autouse=True)
def support_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(bare.VENDORED))
    monkeypatch.setitem(sys.modules, "program", None)


@pytest.mark.parametrize("name", CASES)
def test_it_is_left_alone_or_does_what_it_did(name: str) -> None:
    body = "".join(f"    {line}\n" for line in CASES[name].splitlines())
    source = HEADER + HELPERS + TOOL + body
    result = rewritten(source)
    (verdict,) = result.handlers
    if verdict.level is Level.MANUAL:
        marker = next(line for line in result.after.splitlines(keepends=True) if "# mrtr: manual[" in line)
        assert result.after.replace(marker, "") == source
        return
    before, after = (compile(ast.parse(text), "case", "exec") for text in (source, result.after))
    for seed in range(10):
        old = bare.native(before, ARGUMENTS, seed)
        assert bare.in_rounds(after, ARGUMENTS, seed, spoil=seed % 4 == 0) == old, result.after
