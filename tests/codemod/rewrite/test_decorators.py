"""What a decorator of the repo makes of a question that comes back through it."""

from __future__ import annotations

import pytest

from mrtr_codemod.check import check
from mrtr_codemod.model import Verdict
from mrtr_codemod.rewrite.engine import Engine, Part
from mrtr_codemod.rewrite.followed import Followed
from mrtr_codemod.rewrite.module_view import ModuleView
from mrtr_codemod.rewrite.verdicts import Level
from mrtr_codemod.source import SourceFile

from .rewriting import HEADER, rewritten
from .test_shapes import TOOL

HANDLER = TOOL.replace("@mcp.tool()\n", "@mcp.tool()\n@{how}\n")
ASK = "    return (await ctx.elicit(f'{name}?', Ok)).action\n"
WRAPPED = """\
import functools


def wrapped(fn):
    @functools.wraps(fn)
    async def inner(*args, **kwargs):
        {body}

    return inner


def given(*names):
    def around(fn):
        @functools.wraps(fn)
        async def inner(*args, **kwargs):
            {inner_body}

        return inner

    return around


"""
HAND_ON = {
    "at once": "return await fn(*args, **kwargs)",
    "after a look": "result = await fn(*args, **kwargs); print('did', result); return result",
    "or not": "if not args: return 'no'; return await fn(*args, **kwargs)",
}
CHANGE = {
    "converted": "return str(await fn(*args, **kwargs))",
    "converted later": "result = await fn(*args, **kwargs); return str(result)",
    "kept": "KEPT[args] = result = await fn(*args, **kwargs); return result",
    "dropped": "await fn(*args, **kwargs); return 'done'",
    "asked about": "result = await fn(*args, **kwargs); return result if result != 'accept' else 'yes'",
}


def decorators(body: str) -> str:
    lines = body.split("; ")
    return WRAPPED.format(body=f"\n{' ' * 8}".join(lines), inner_body=f"\n{' ' * 12}".join(lines))


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("how", ["wrapped", "given('a')"])
@pytest.mark.parametrize(
    ("body", "verdict", "rule"),
    [
        *((body, Verdict.REWRITE_SAFE, "") for body in HAND_ON.values()),
        *((body, Verdict.ADAPTER, "decorator-changes-result") for body in CHANGE.values()),
    ],
    ids=[*HAND_ON, *CHANGE],
)
def test_a_decorator_that_makes_something_else_of_a_result_would_lose_the_question(
    body: str, verdict: Verdict, rule: str, how: str, elsewhere: bool
) -> None:
    decorating = decorators(body)
    server = HEADER + ("" if elsewhere else decorating) + HANDLER.format(how=how) + ASK
    files = {"server.py": server}
    if elsewhere:
        files = {"around.py": decorating, "server.py": f"from around import given, wrapped\n{server}"}
    part = Part.told(ModuleView.of(files["server.py"]), Followed.of(files), "server.py", "", 100)
    (result,) = Engine([part]).run(lambda verdict: True)
    assert [found.rule for found in result.handlers] == [rule]
    (handler,) = check([SourceFile(path, text) for path, text in files.items()]).handlers
    assert handler.verdict is verdict


@pytest.mark.parametrize(
    ("imports", "how", "verdict", "level"),
    [
        ("from tenacity import retry", "retry(tries=3)", Verdict.REWRITE_REVIEW, Level.REVIEW),
        ("import aiocache", "aiocache.cached", Verdict.REWRITE_REVIEW, Level.REVIEW),
        ("from typing_extensions import deprecated", "deprecated('old')", Verdict.REWRITE_SAFE, Level.SAFE),
    ],
)
def test_what_a_library_makes_of_a_question_wants_a_look(
    imports: str, how: str, verdict: Verdict, level: Level
) -> None:
    source = f"{imports}\n{HEADER}{HANDLER.format(how=how)}{ASK}"
    assert [found.level for found in rewritten(source).handlers] == [level]
    (handler,) = check([SourceFile("server.py", source)]).handlers
    assert handler.verdict is verdict
