"""Questions that are asked at the same time: one round, a key for each."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from . import bare
from .rewriting import HEADER, rewritten
from .test_shapes import TOOL, same


@pytest.fixture(autouse=True)
def support_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(bare.VENDORED))
    monkeypatch.setitem(sys.modules, "program", None)


def test_a_question_for_each_item_of_a_list() -> None:
    after = same(
        "    n = effect(name)\n"
        "    answers = await asyncio.gather(*[ctx.elicit(f'{item} of {n}?', Ok) for item in items])\n"
        "    return f'{n} {[answer.action for answer in answers]}'\n"
    )
    assert '    answers = [steps.form(f"answers_{at}", Ok) for at, item in enumerate(items, 1)]\n' in after
    assert "    if None in answers:\n" in after


def test_a_question_for_each_pair_of_items_that_are_chosen() -> None:
    same(
        "    pairs = {item: effect(item) for item in items}\n"
        "    at = 'taken'\n"
        "    a = await asyncio.gather(*(ctx.elicit(f'{k}{v}{at}', Text) for k, v in pairs.items() if v < 2))\n"
        "    return f'{pairs} {[x.data.text for x in a if x.action == \"accept\"]}'\n"
    )


def test_no_items_are_no_questions() -> None:
    same(
        "    answers = await asyncio.gather(*[ctx.elicit(i, Ok) for i in items if i == 'none'])\n"
        "    sure = await ctx.elicit('sure?', Ok)\n    return f'{answers} {sure.action}'\n"
    )


def test_answers_for_a_set_belong_to_the_items_of_the_first_round() -> None:
    body = (
        "    answers = await asyncio.gather(*[ctx.elicit(f'{item}?', Ok) for item in {*items, name}])\n"
        "    return f'{[answer.action for answer in answers]}'\n"
    )
    assert "items_2: list[str]" in same(body), "another process goes through the set in another order"


def test_what_is_made_of_a_set_rides_in_the_state() -> None:
    body = (
        "    kinds = {*items, name}\n    order = list(kinds)\n    answer = await ctx.elicit(f'{order[0]}?', Ok)\n"
        "    return f'{order[0]} {answer.action}'\n"
    )
    assert "order: list[str]" in same(body)


def test_an_effect_in_the_questions_leaves_the_handler_alone() -> None:
    body = "    await asyncio.gather(*[ctx.elicit(f'{effect(i)}', Ok) for i in items])\n    return 'x'\n"
    (verdict,) = rewritten(HEADER + TOOL + body).handlers
    assert verdict.rule == "evaluation-order"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="asyncio.TaskGroup came with Python 3.11")
def test_a_task_group_of_questions_is_one_round() -> None:
    after = same(
        "    n = effect(name)\n"
        "    async with asyncio.TaskGroup() as group:\n"
        "        # Both at once.\n"
        "        first = group.create_task(ctx.elicit(f'{n}?', Text))\n"
        "        second = group.create_task(ctx.elicit('b', Ok), name='second')\n"
        "    if first.result().action != 'accept':\n        return second.result().action\n"
        "    return first.result().data.text\n"
    )
    assert (
        '    # Both at once.\n    first, second = steps.form("first", Text), steps.form("second", Ok)\n'
        in after
    )
    assert "TaskGroup" not in after


@pytest.mark.parametrize(
    "more",
    ["        group.create_task(asyncio.sleep(0))\n", "        effect(name)\n", "    TASKS.append(task)\n"],
)
def test_a_task_group_that_does_more_is_left_alone(more: str) -> None:
    body: Any = (
        "    async with asyncio.TaskGroup() as group:\n        task = group.create_task(ctx.elicit('a', Ok))\n"
        f"{more}    return task.result().action\n"
    )
    (verdict,) = rewritten(HEADER + "TASKS = []\n\n\n" + TOOL + body).handlers
    assert verdict.rule == "task-group"
    assert "`gather` the questions alone" in verdict.reason
