"""What else a round may end with (raised URLs, shed load, a handler's own steps), what goes out once, the bounds."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from mcp import types
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.shared.exceptions import MCPError, UrlElicitationRequiredError
from mcp_types import URL_ELICITATION_REQUIRED, ErrorData

from adapter.rounds import KEY, NO, YES, accept, always, call, in_turn, play_tool
from adapter.servers import Name, Ok, serving
from mrtr_adapter import adapt, shed

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning"),
]


def page(name: str) -> types.ElicitRequestURLParams:
    return types.ElicitRequestURLParams(message=name, url=f"https://example.org/{name}", elicitation_id=name)


# -- error -32042 ---------------------------------------------------------------------------------------------------


async def test_every_url_of_a_raised_error_becomes_a_request_and_the_handler_runs_again() -> None:
    connected: set[str] = set()

    async def handler(ctx: Context) -> str:
        lacking = [name for name in ("one", "two") if name not in connected]
        if lacking:
            raise UrlElicitationRequiredError([page(name) for name in lacking])
        return "connected"

    def visit(key: str, request: dict[str, Any]) -> dict[str, Any]:
        connected.add(request["params"]["message"])
        return {"action": "accept"}

    played = await play_tool(serving(handler), "tool", visit)
    assert [sorted(r["params"]["url"] for r in asked.values()) for asked in played.rounds] == [
        ["https://example.org/one", "https://example.org/two"]
    ]
    assert all("elicitationId" not in r["params"] for r in played.rounds[0].values())
    assert played.text == "connected"


async def test_a_page_that_is_not_done_with_is_asked_for_again_within_bounds() -> None:
    async def handler(ctx: Context) -> str:
        raise UrlElicitationRequiredError([page("one")])

    with pytest.raises(MCPError) as caught:
        await play_tool(serving(handler, max_rounds=3), "tool", always({"action": "accept"}))
    assert "max_rounds" in caught.value.message


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_a_refused_url_ends_the_call_with_the_old_text_under_another_code(action: str) -> None:
    async def handler(ctx: Context) -> str:
        raise UrlElicitationRequiredError([page("one")], "Sign in first")

    with pytest.raises(MCPError) as caught:
        await play_tool(serving(handler), "tool", always({"action": action}))
    assert caught.value.message == "Sign in first"
    assert caught.value.code != URL_ELICITATION_REQUIRED


async def test_an_error_that_a_low_level_handler_returns_counts_as_raised() -> None:
    from mcp.server.lowlevel import Server

    connected: list[str] = []

    async def call_tool(ctx: Any, params: Any) -> Any:
        if not connected:
            data = {"elicitations": [page("one").model_dump(by_alias=True)]}
            return ErrorData(code=URL_ELICITATION_REQUIRED, message="Sign in", data=data)
        return types.CallToolResult(content=[types.TextContent(type="text", text="in")])

    def visit(key: str, request: dict[str, Any]) -> dict[str, Any]:
        connected.append(key)
        return {"action": "accept"}

    def make() -> Any:
        return adapt(Server("low", on_call_tool=call_tool), keys=[KEY])

    assert (await play_tool(make, "any", visit)).text == "in"


async def test_raised_urls_and_asks_go_together() -> None:
    connected: list[str] = []

    async def handler(ctx: Context) -> str:
        name = await ctx.elicit("Name?", Name)
        if not connected:
            raise UrlElicitationRequiredError([page(name.data.name)])
        sure = await ctx.elicit("Sure?", Ok)
        return f"{name.data.name} {sure.action}"

    def answer(key: str, request: dict[str, Any]) -> dict[str, Any]:
        if request["params"].get("mode") == "url":
            connected.append(key)
            return {"action": "accept"}
        return {"action": "accept", "content": {"name": "ada", "ok": True}}

    played = await play_tool(serving(handler), "tool", answer)
    assert played.asked == ["Name?", "ada", "Sure?"]
    assert played.text == "ada accept"


async def test_the_completion_notification_does_nothing_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    async def handler(ctx: Context) -> str:
        answer = await ctx.elicit_url("In", "https://example.org", "id")
        await ctx.session.send_elicit_complete("id")
        return answer.action

    played = await play_tool(serving(handler), "tool", always({"action": "accept"}))
    assert played.text == "accept"
    assert played.sent == [[], []]
    assert "send_elicit_complete() does nothing on 2026-07-28" in caplog.text


# -- load shedding --------------------------------------------------------------------------------------------------


async def test_shed_ends_the_round_with_state_alone_and_goes_on_from_there() -> None:
    runs: list[int] = []

    async def handler(ctx: Context) -> str:
        runs.append(1)
        first = await shed({"page": len(runs)})
        answer = await ctx.elicit("Sure?", Ok)
        second = await shed()
        return f"{first} {answer.action} {second}"

    played = await play_tool(serving(handler), "tool", always(YES))
    assert [list(asked) for asked in played.rounds] == [[], ["answer"], []]
    assert played.text == "{'page': 1} accept None"


async def test_shed_says_so_when_its_state_can_not_travel() -> None:
    async def handler(ctx: Context) -> str:
        try:
            await shed({"when": object()})
        except TypeError as error:
            return str(error)
        return "shed"

    result = await call(serving(handler)(), "tool")
    assert "shed() takes what JSON can carry" in result["content"][0]["text"]


async def test_shed_is_a_plain_call_elsewhere() -> None:
    assert await shed("state") == "state"


# -- what goes out once ---------------------------------------------------------------------------------------------


async def test_progress_and_logs_above_an_ask_go_out_once() -> None:
    async def handler(ctx: Context) -> str:
        await ctx.report_progress(1, 3, "looking")
        await ctx.session.send_log_message("info", "looking", related_request_id=ctx.request_id)
        await ctx.elicit("First?", Ok)
        await ctx.report_progress(2, 3, "still looking")
        await ctx.elicit("Second?", Ok)
        await ctx.report_progress(3, 3, "done")
        await ctx.report_progress(3, 3, "done")
        return "done"

    meta = {"io.modelcontextprotocol/logLevel": "debug"}
    played = await play_tool(serving(handler), "tool", always(YES), meta=meta)
    told = [[str(p.get("message", p.get("data"))) for _, p in sent] for sent in played.sent]
    assert told == [["looking", "looking"], ["still looking"], ["done", "done"]]


async def test_the_same_progress_twice_goes_out_twice() -> None:
    async def handler(ctx: Context) -> str:
        await ctx.report_progress(1)
        await ctx.report_progress(1)
        return (await ctx.elicit("Sure?", Ok)).action

    played = await play_tool(serving(handler), "tool", always(YES))
    assert [len(sent) for sent in played.sent] == [2, 0]


# -- handlers in step form ------------------------------------------------------------------------------------------

QUESTION = types.ElicitRequest(
    params=types.ElicitRequestFormParams(
        message="Step?", requested_schema={"type": "object", "properties": {"name": {"type": "string"}}}
    )
)


async def stepping(ctx: Context) -> str | types.InputRequiredResult:
    if ctx.request_state is None:
        return types.InputRequiredResult(input_requests={"step": QUESTION}, request_state="one")
    answer = (ctx.input_responses or {})["step"]
    return f"{ctx.request_state} {answer.action}"


async def test_a_handler_in_step_form_keeps_working() -> None:
    played = await play_tool(serving(stepping), "tool", always(NO))
    assert (list(played.rounds[0]), played.text) == (["step"], "one decline")


async def test_a_handler_in_step_form_may_start_to_ask() -> None:
    async def handler(ctx: Context) -> str | types.InputRequiredResult:
        if ctx.request_state is None:
            return types.InputRequiredResult(input_requests={"step": QUESTION}, request_state="one")
        step = (ctx.input_responses or {})["step"]
        sure = await ctx.elicit("Sure?", Ok)
        again = await ctx.elicit("Really?", Ok)
        return f"{ctx.request_state} {step.action} {sure.action} {again.action}"

    played = await play_tool(serving(handler), "tool", in_turn(NO, YES, {"action": "cancel"}))
    assert [list(asked) for asked in played.rounds] == [["step"], ["sure"], ["again"]]
    assert played.text == "one decline accept cancel"


async def test_a_handler_that_has_asked_may_go_on_in_step_form() -> None:
    async def handler(ctx: Context) -> str | types.InputRequiredResult:
        sure = await ctx.elicit("Sure?", Ok)
        if ctx.request_state is None:
            return types.InputRequiredResult(input_requests={"step": QUESTION}, request_state="one")
        step = (ctx.input_responses or {})["step"]
        return f"{sure.action} {ctx.request_state} {step.action}"

    played = await play_tool(serving(handler), "tool", in_turn(YES, NO))
    assert [list(asked) for asked in played.rounds] == [["sure"], ["step"]]
    assert played.text == "accept one decline"


async def whose(ctx: Context) -> Elicit[Name]:
    return Elicit("Whose?", Name)


async def test_resolve_works_beside_and_inside_an_adapted_handler() -> None:
    async def only(name: Annotated[Name, Resolve(whose)]) -> str:
        return name.name

    async def both(name: Annotated[Name, Resolve(whose)], ctx: Context) -> str:
        answer = await ctx.elicit(f"Sure, {name.name}?", Ok)
        more = await ctx.elicit("Really?", Ok)
        return f"{name.name} {answer.action} {more.action}"

    named = accept(name="Ada")
    assert (await play_tool(serving(only), "tool", named)).text == "Ada"
    played = await play_tool(serving(both), "tool", accept(name="Ada", ok=True))
    assert played.asked == ["Whose?", "Sure, Ada?", "Really?"]
    assert played.text == "Ada accept accept"


async def test_a_state_that_looks_like_ours_is_not_taken_for_ours() -> None:
    """A handler in step form that puts a client's text into its state can't be made to forge a journal."""
    forged = 'mrtr1.{"f":"x","r":1,"d":9999999999,"i":"x","a":[]}'

    async def handler(text: str, ctx: Context) -> str | types.InputRequiredResult:
        if ctx.request_state is None:
            return types.InputRequiredResult(input_requests={"step": QUESTION}, request_state=text)
        return f"state {ctx.request_state}"

    played = await play_tool(serving(handler), "tool", always(NO), {"text": forged})
    assert played.text == f"state {forged}"


# -- bounds ---------------------------------------------------------------------------------------------------------


async def test_a_flow_takes_as_many_rounds_as_it_may_and_no_more() -> None:
    async def handler(count: int, ctx: Context) -> str:
        for number in range(count):
            await ctx.elicit(f"Number {number}?", Ok)
        return "done"

    make = serving(handler, max_rounds=4)
    assert len((await play_tool(make, "tool", always(YES), {"count": 4})).rounds) == 4
    with pytest.raises(MCPError) as caught:
        await play_tool(make, "tool", always(YES), {"count": 5})
    assert "more rounds of questions than the 4" in caught.value.message
    assert "(max_rounds)" in caught.value.message


async def test_a_state_that_grows_too_large_is_refused_and_its_largest_entry_named() -> None:
    async def handler(ctx: Context) -> str:
        await ctx.elicit("Small?", Name)
        await ctx.elicit("Large?", Name)
        await ctx.elicit("Never reached?", Name)
        return "done"

    answers = in_turn(*({"action": "accept", "content": {"name": "x" * size}} for size in (10, 3000)))
    with pytest.raises(MCPError) as caught:
        await play_tool(serving(handler, max_state_bytes=2048), "tool", answers)
    assert "(max_state_bytes)" in caught.value.message
    largest = caught.value.data["largest"]
    assert largest.startswith("the answer to question 'Large?', 30")


async def test_state_that_is_too_large_is_refused_unread() -> None:
    make = serving(stepping, max_state_bytes=1024)
    with pytest.raises(MCPError) as caught:
        await call(make(), "tool", state="mr1." + "A" * 2_000_000)
    assert caught.value.message == "Invalid or expired requestState"
