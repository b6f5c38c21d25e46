"""Shapes that random programs broke once, and those that must read as a person would have written them."""

from __future__ import annotations

import ast
import sys
from typing import Any

import pytest

from . import bare
from .rewriting import HEADER, rewritten

TOOL = "@mcp.tool()\nasync def handler(name: str, items: list[str], ctx: Context) -> str:\n"
ARGUMENTS: dict[str, Any] = {"name": "ada", "items": ["x", "ay", "b"]}


@pytest.fixture(autouse=True)
def support_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(bare.VENDORED))
    monkeypatch.setitem(sys.modules, "program", None)


def same(body: str) -> str:
    """Check that a handler keeps its behaviour over many scripts; its rewritten source."""
    source = HEADER + TOOL + body
    result = rewritten(source)
    assert [v.rule for v in result.handlers] == [""], result.handlers
    before, after = (compile(ast.parse(text), "shape", "exec") for text in (source, result.after))
    for seed in range(12):
        old = bare.native(before, ARGUMENTS, seed)
        assert bare.in_rounds(after, ARGUMENTS, seed, spoil=seed % 3 == 0) == old
    return result.after


def test_a_loop_variable_that_is_changed_comes_back_inside_the_loop() -> None:
    same(
        "    for i, item in enumerate(items):\n        effect(item)\n"
        '        i += len((await ctx.elicit("more?", Text)).action)\n'
        '        answer = await ctx.elicit(f"{i}?", Ok)\n    return f"{i}"\n'
    )


def test_gathered_questions_are_each_built_once() -> None:
    same(
        '    a, b = await asyncio.gather(ctx.elicit(f"{effect(name)}", Ok), ctx.elicit(f"{effect(items[0])}", Text))\n'
        "    return a.action + b.action\n"
    )


def test_what_stands_before_an_ask_in_an_expression_is_evaluated_first_and_once() -> None:
    same('    n = effect("a") + len((await ctx.elicit("b", Ok)).action) + effect("c")\n    return str(n)\n')


def test_an_ask_behind_or_is_left_out_where_it_was() -> None:
    same(
        "    if effect(name) > 5 or (await ctx.elicit('b', Ok)).action == 'accept' or effect('c'):\n"
        "        effect('yes')\n    return 'end'\n"
    )


def test_an_ask_in_a_loop_condition() -> None:
    same(
        "    turns = 0\n    while turns < 3 and (await ctx.elicit(f'{turns}?', Ok)).action == 'accept':\n"
        "        turns += 1\n        effect(f'{turns}')\n    return str(turns)\n"
    )


def test_an_ask_in_elif() -> None:
    same(
        "    if effect(name) > 9:\n        return 'long'\n"
        "    elif (answer := await ctx.elicit('b', Text)).action == 'accept':\n        return answer.data.text\n"
        "    else:\n        effect('no')\n    return 'end'\n"
    )


def test_a_set_is_gone_through_in_the_order_of_the_first_round() -> None:
    same(
        "    seen = []\n    for item in {n + 'x' for n in items}:\n"
        "        answer = await ctx.elicit('next?', Ok)\n        seen.append(answer.action)\n    return str(seen)\n"
    )


def test_a_list_that_grows_while_it_is_gone_through() -> None:
    same(
        "    queue = [name]\n    for item in queue:\n        answer = await ctx.elicit(f'{item}?', Ok)\n"
        "        if answer.action == 'accept' and len(queue) < 4:\n            queue.append(f'{item}!')\n"
        "    return str(queue)\n"
    )


def test_finally_runs_when_the_handler_ends_and_not_between() -> None:
    after = same(
        "    outcome = 'failed'\n    try:\n        effect(name)\n        answer = await ctx.elicit('b', Ok)\n"
        "        outcome = answer.action\n        return outcome\n    finally:\n        effect(f'done {outcome}')\n"
    )
    assert "if not steps.asking:" in after


def test_an_except_around_an_ask_covers_what_it_covered() -> None:
    after = same(
        "    try:\n        answer = await ctx.elicit('b', Text)\n        number = int(answer.data.text)\n"
        "    except Exception as error:\n        effect(type(error).__name__)\n        number = 0\n"
        "    return str(number)\n"
    )
    assert "except CannotAsk:\n        raise" in after


def test_a_clause_that_can_not_catch_a_refusal_is_left_alone() -> None:
    after = same(
        "    try:\n        answer = await ctx.elicit('b', Text)\n    except KeyError:\n        return 'key'\n"
        "    return answer.action\n"
    )
    assert "CannotAsk" not in after


def test_a_question_of_something_that_can_not_be_carried_rides_as_text() -> None:
    after = same(
        "    size = sum(len(item) for item in items)\n    loop = asyncio.get_running_loop()\n    effect(name)\n"
        "    answer = await ctx.elicit(f'{loop is None} {size}?', Ok)\n    return answer.action\n"
    )
    assert "question: str" in after


def test_an_answer_rides_to_the_next_question() -> None:
    after = same(
        "    first = await ctx.elicit('a', Text)\n    second = await ctx.elicit('b', Ok)\n"
        "    return first.data.text if first.action == 'accept' else second.action\n"
    )
    assert "first: Answer[Text]" in after


def test_names_of_the_file_are_not_taken() -> None:
    after = same(
        "    steps, state = effect(name), 'mine'\n    answer = await ctx.elicit(f'{steps}?', Ok)\n"
        "    return f'{steps} {state} {answer.action}'\n"
    )
    assert "steps_2 = Steps(ctx)" in after


def test_comments_and_formatting_move_along() -> None:
    after = same(
        "    n = effect(  name  )   # odd, but ours\n\n    # before the question\n"
        "    answer = await ctx.elicit('b', Ok)  # the question\n\n    # and after\n    return f'{n} {answer.action}'\n"
    )
    for piece in (
        "n = effect(  name  )   # odd, but ours",
        "# before the question",
        "# the question",
        "# and after",
    ):
        assert after.count(piece) == 1


def test_a_guard_without_state_for_a_plain_confirmation() -> None:
    after = same(
        "    if not items:\n        return 'nothing'\n    answer = await ctx.elicit(f'Delete {name}?', Ok)\n"
        "    if answer.action != 'accept':\n        return 'kept'\n    effect(name)\n    return 'deleted'\n"
    )
    body = after[after.index("async def handler") :]
    assert body == (
        "async def handler(name: str, items: list[str], ctx: Context) -> str | InputRequiredResult:\n"
        "    steps = Steps(ctx)\n    if not items:\n        return 'nothing'\n"
        '    answer = steps.form("answer", Ok)\n    if answer is None:\n'
        "        return steps.ask(answer=form(f'Delete {name}?', Ok))\n"
        "    if answer.action != 'accept':\n        return 'kept'\n    effect(name)\n    return 'deleted'\n"
    )


def test_untouched_lines_are_untouched() -> None:
    odd = "x  =  {  'a':1 }   # keep\n\n\ndef other( a,b ) :\n\treturn a\n\n\n"
    source = HEADER + odd + TOOL + "    answer = await ctx.elicit('b', Ok)\n    return answer.action\n"
    assert odd in rewritten(source).after


def test_a_head_that_grew_too_long_is_broken_over_lines() -> None:
    helper = "async def is_the_user_really_sure_of_this(ctx: Context, question: str, detail: str = 'none') -> bool:\n"
    source = (
        HEADER
        + helper
        + ("    return (await ctx.elicit(f'{question} {detail}', Ok)).action == 'accept'\n\n\n")
        + TOOL
        + "    return str(await is_the_user_really_sure_of_this(ctx, name))\n"
    )
    after = rewritten(source).after
    assert (
        "async def is_the_user_really_sure_of_this(\n    ctx: Context,\n    question: str,\n    detail: str = 'none',\n"
        "    *,\n    steps: Steps,\n) -> bool | InputRequiredResult:\n"
    ) in after
