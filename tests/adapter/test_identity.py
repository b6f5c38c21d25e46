"""An answer belongs to a question: never to a place, never to another question."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

import anyio
import pytest
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError

from adapter.rounds import NO, YES, accept, always, call, in_turn, play_tool
from adapter.servers import Name, Ok, serving

pytestmark = pytest.mark.anyio


async def test_equal_questions_get_their_own_answers_in_order() -> None:
    async def handler(ctx: Context) -> str:
        names = []
        for _ in range(3):
            answer = await ctx.elicit("Name?", Name)
            names.append(answer.data.name)
        return " ".join(names)

    answers = in_turn(*({"action": "accept", "content": {"name": n}} for n in ("a", "b", "c")))
    assert (await play_tool(serving(handler), "tool", answers)).text == "a b c"


async def test_equal_questions_at_once_get_their_own_answers_in_order() -> None:
    async def handler(ctx: Context) -> str:
        answers = await asyncio.gather(*(ctx.elicit("Name?", Name) for _ in range(3)))
        return " ".join(answer.data.name for answer in answers)

    answers = in_turn(*({"action": "accept", "content": {"name": n}} for n in ("a", "b", "c")))
    played = await play_tool(serving(handler), "tool", answers)
    assert [len(asked) for asked in played.rounds] == [3]
    assert played.text == "a b c"


async def test_a_changed_question_is_asked_again_and_its_old_answer_is_not_delivered() -> None:
    runs = itertools.count(1)

    async def handler(ctx: Context) -> str:
        run = next(runs)
        files = 3 if run == 1 else 300
        answer = await ctx.elicit(f"Delete {files} files?", Ok)
        return f"{files} {answer.action}"

    played = await play_tool(serving(handler), "tool", in_turn(YES, NO))
    assert played.asked == ["Delete 3 files?", "Delete 300 files?"]
    assert played.text == "300 decline"


async def test_a_question_that_always_changes_ends_with_the_difference_and_what_to_do() -> None:
    runs = itertools.count(1)

    async def handler(ctx: Context) -> str:
        answer = await ctx.elicit(f"It is {next(runs)} o'clock. Go?", Ok)
        return answer.action

    with pytest.raises(MCPError) as caught:
        await play_tool(serving(handler), "tool", always(YES))
    assert caught.value.data == {
        "reason": "replay_diverged",
        "was": "It is 3 o'clock. Go?",
        "now": "It is 4 o'clock. Go?",
    }
    message = caught.value.message
    assert "tools/call tool" in message
    assert "test_identity.py:" in message
    assert "o'clock" not in message  # whoever traces requests records it
    assert "memo()" in message


async def test_a_question_that_changes_now_and_then_is_no_divergence() -> None:
    runs = itertools.count(1)

    async def handler(ctx: Context) -> str:
        run = next(runs)
        for number in range(3):
            # Changes once for each question, and is then stable.
            version = min(max(run - 2 * number, 1), 2)
            answer = await ctx.elicit(f"Question {number}, version {version}?", Ok)
        return answer.action

    assert (await play_tool(serving(handler), "tool", always(YES))).text == "accept"


async def test_an_answer_survives_a_round_that_does_not_come_to_its_question() -> None:
    runs = itertools.count(1)

    async def handler(ctx: Context) -> str:
        run = next(runs)
        found: dict[str, Any] = {}

        async def slow() -> None:
            if run == 2:
                await anyio.sleep(0.5)
            found["slow"] = await ctx.elicit("Slow?", Name)

        async def quick() -> None:
            first = await ctx.elicit("Quick?", Name)
            second = await ctx.elicit(f"After {first.data.name}?", Name)
            found["quick"] = second

        async with anyio.create_task_group() as group:
            group.start_soon(slow)
            group.start_soon(quick)
        return f"{found['slow'].data.name} {found['quick'].data.name}"

    def answer(key: str, request: dict[str, Any]) -> dict[str, Any]:
        return {"action": "accept", "content": {"name": request["params"]["message"]}}

    played = await play_tool(serving(handler), "tool", answer)
    assert played.text == "Slow? After Quick??"
    assert played.asked.count("Slow?") == 1


async def test_what_a_handler_edits_in_place_changes_nothing() -> None:
    async def handler(paths: list[str], options: dict[str, Any], ctx: Context) -> str:
        paths.append("mine")
        options["deep"]["mine"] = True
        first = await ctx.session.elicit_form(
            "Sure?", {"type": "object", "properties": {"tags": {"type": "array"}}}
        )
        assert first.content is not None
        tags = first.content["tags"]
        assert isinstance(tags, list)
        tags.append("mine")
        second = await ctx.elicit("Really?", Ok)
        return f"{paths} {options} {tags} {second.action}"

    answers = in_turn({"action": "accept", "content": {"tags": ["theirs"]}}, YES)
    arguments = {"paths": ["theirs"], "options": {"deep": {"theirs": True}}}
    played = await play_tool(serving(handler), "tool", answers, arguments)
    assert played.text == (
        "['theirs', 'mine'] {'deep': {'theirs': True, 'mine': True}} ['theirs', 'mine'] accept"
    )


async def test_a_low_level_handler_may_edit_its_arguments_too() -> None:
    from mcp import types
    from mcp.server.lowlevel import Server

    from adapter.rounds import KEY
    from mrtr_adapter import adapt

    async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        arguments = params.arguments or {}
        arguments["list"].append(1)
        arguments["new"] = True
        ctx.params["arguments"]["list"].append(2)
        answer = await ctx.session.elicit_form("Sure?", {"type": "object", "properties": {}})
        text = f"{arguments['list']} {answer.action}"
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)])

    def make() -> Server[Any]:
        return adapt(Server("low", on_call_tool=call_tool), keys=[KEY])

    played = await play_tool(make, "any", always({"action": "accept", "content": {}}), {"list": []})
    assert played.text == "[1, 2] accept"


async def test_a_recorded_answer_beats_one_that_is_sent_again() -> None:
    async def handler(ctx: Context) -> str:
        first = await ctx.elicit("First?", Name)
        second = await ctx.elicit("Second?", Name)
        return f"{first.data.name} {second.data.name}"

    make = serving(handler)
    one = await call(make(), "tool")
    answer = {"action": "accept", "content": {"name": "honest"}}
    two = await call(make(), "tool", state=one["requestState"], responses={"first": answer})
    forged = {"action": "accept", "content": {"name": "forged"}}
    three = await call(
        make(), "tool", state=two["requestState"], responses={"first": forged, "second": answer}
    )
    assert three["content"][0]["text"] == "honest honest"


async def test_answers_with_no_state_are_ignored() -> None:
    async def handler(ctx: Context) -> str:
        user_name = await ctx.elicit("Name?", Name)
        return user_name.action

    result = await call(
        serving(handler)(), "tool", responses={"user_name": {"action": "accept", "content": {"name": "x"}}}
    )
    assert result["resultType"] == "input_required"


async def test_answers_before_they_were_asked_for_are_ignored() -> None:
    async def handler(ctx: Context) -> str:
        first = await ctx.elicit("First?", Ok)
        second = await ctx.elicit("Second?", Ok)
        return f"{first.action} {second.action}"

    make = serving(handler)
    one = await call(make(), "tool")
    early = {"first": YES, "second": YES, "third": YES}
    two = await call(make(), "tool", state=one["requestState"], responses=early)
    assert list(two["inputRequests"]) == ["second"]


async def test_answers_of_another_round_do_not_pass_under_their_old_key() -> None:
    """The key `answer` is asked for twice; the answer to the first question is not one to the second."""

    async def handler(ctx: Context) -> str:
        answer = await ctx.elicit("Small?", Ok)
        if answer.action == "accept":
            answer = await ctx.elicit("Large?", Ok)
        return answer.action

    make = serving(handler)
    one = await call(make(), "tool")
    two = await call(make(), "tool", state=one["requestState"], responses={"answer": YES})
    assert two["inputRequests"]["answer"]["params"]["message"] == "Large?"
    # The first state again, with the answer that is meant for the second question.
    again = await call(make(), "tool", state=one["requestState"], responses={"answer": NO})
    assert again["content"][0]["text"] == "decline"


async def test_a_missing_answer_is_asked_for_again_with_the_others_kept() -> None:
    async def handler(ctx: Context) -> str:
        async def ask(what: str) -> str:
            answer = await ctx.elicit(f"{what}?", Name)
            return answer.data.name

        return " ".join(await asyncio.gather(ask("One"), ask("Two")))

    def answer(key: str, request: dict[str, Any]) -> dict[str, Any] | None:
        return {"action": "accept", "content": {"name": key}} if len(asked) or key == "answer" else None

    asked: list[str] = []

    def in_two_goes(key: str, request: dict[str, Any]) -> dict[str, Any] | None:
        message = request["params"]["message"]
        first_time = message not in asked
        asked.append(message)
        if message == "Two?" and first_time:
            return None
        return {"action": "accept", "content": {"name": message}}

    played = await play_tool(serving(handler), "tool", in_two_goes)
    assert played.text == "One? Two?"
    assert asked == ["One?", "Two?", "Two?"]


@pytest.mark.parametrize("content", [{"name": 5}, {}, {"other": "x"}, None])
async def test_content_that_breaks_the_schema_is_asked_again(content: Any) -> None:
    async def handler(ctx: Context) -> str:
        answer = await ctx.elicit("Name?", Name)
        return answer.data.name

    bad = {"action": "accept"} if content is None else {"action": "accept", "content": content}
    good = {"action": "accept", "content": {"name": "Ada"}}
    played = await play_tool(serving(handler), "tool", in_turn(bad, good))
    assert played.asked == ["Name?", "Name?"]
    assert played.text == "Ada"


async def test_content_that_breaks_a_hand_written_schema_is_asked_again() -> None:
    schema = {"type": "object", "properties": {"parts": {"type": "integer", "minimum": 1, "maximum": 5}}}

    async def handler(ctx: Context) -> str:
        answer = await ctx.session.elicit_form("Parts?", schema)
        return f"{answer.content}"

    parts = ({"action": "accept", "content": {"parts": n}} for n in (0, 9, 3))
    played = await play_tool(serving(handler), "tool", in_turn(*parts))
    assert len(played.asked) == 3
    assert played.text == "{'parts': 3}"


async def test_a_schema_that_is_none_lets_every_content_pass() -> None:
    async def handler(ctx: Context) -> str:
        answer = await ctx.session.elicit_form(
            "Any?", {"type": "object", "properties": {"n": {"type": "string", "pattern": "["}}}
        )
        return f"{answer.content}"

    assert (await play_tool(serving(handler), "tool", accept(n="x"))).text == "{'n': 'x'}"


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"action": "maybe"},
        {"action": "accept", "content": "yes"},
        {"roots": []},
        {"role": "assistant", "model": "m", "content": {"type": "text", "text": "x"}},
        {"content": {"ok": True}},
    ],
)
async def test_what_is_no_answer_at_all_is_a_protocol_error(answer: dict[str, Any]) -> None:
    async def handler(ctx: Context) -> str:
        sure = await ctx.elicit("Sure?", Ok)
        return sure.action

    make = serving(handler)
    one = await call(make(), "tool")
    with pytest.raises(MCPError) as caught:
        await call(make(), "tool", state=one["requestState"], responses={"sure": answer})
    assert caught.value.code == -32602
    assert "sure" in caught.value.message


@pytest.mark.parametrize("responses", [[], "yes", 5, {"sure": 5}, {"sure": None}, {"sure": [YES]}])
async def test_responses_of_another_shape_are_a_protocol_error(responses: Any) -> None:
    async def handler(ctx: Context) -> str:
        sure = await ctx.elicit("Sure?", Ok)
        return sure.action

    make = serving(handler)
    one = await call(make(), "tool")
    with pytest.raises(MCPError) as caught:
        await call(make(), "tool", state=one["requestState"], responses=responses)
    assert caught.value.code == -32602


async def test_a_protocol_error_can_not_be_caught_by_the_handler() -> None:
    async def handler(ctx: Context) -> str:
        try:
            sure = await ctx.elicit("Sure?", Ok)
        except BaseException:
            return "deleted anyway"
        return sure.action

    make = serving(handler)
    one = await call(make(), "tool")
    with pytest.raises(MCPError):
        await call(make(), "tool", state=one["requestState"], responses={"sure": {"action": "maybe"}})
