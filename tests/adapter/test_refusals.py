"""What a client did not declare is never asked, nor read as permission; nothing asks outside three methods."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import types
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import MISSING_REQUIRED_CLIENT_CAPABILITY

from adapter.rounds import EVERYTHING, KEY, YES, always, call, play_tool, send
from adapter.servers import Ok, serving
from mrtr_adapter import adapt

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning"),
]

MESSAGES = [types.SamplingMessage(role="user", content=types.TextContent(type="text", text="hi"))]
TOOLS = [types.Tool(name="clock", input_schema={"type": "object"})]


async def form(ctx: Context) -> str:
    return (await ctx.elicit("Sure?", Ok)).action


async def url(ctx: Context) -> str:
    return (await ctx.elicit_url("In", "https://example.org", "i")).action


async def sample(ctx: Context) -> str:
    return (await ctx.session.create_message(MESSAGES, max_tokens=1)).model


async def sample_with_tools(ctx: Context) -> str:
    return (await ctx.session.create_message(MESSAGES, max_tokens=1, tools=TOOLS)).model


async def sample_with_choice(ctx: Context) -> str:
    choice = types.ToolChoice(mode="auto")
    return (await ctx.session.create_message(MESSAGES, max_tokens=1, tool_choice=choice)).model


async def roots(ctx: Context) -> str:
    return str(await ctx.session.list_roots())


async def raised_url(ctx: Context) -> str:
    from mcp.shared.exceptions import UrlElicitationRequiredError

    page = types.ElicitRequestURLParams(message="In", url="https://example.org", elicitation_id="i")
    raise UrlElicitationRequiredError([page])


LACKING = [
    (form, {}, {"elicitation": {"form": {}}}),
    (form, {"elicitation": {"url": {}}}, {"elicitation": {"form": {}}}),
    (url, {}, {"elicitation": {"url": {}}}),
    (url, {"elicitation": {}}, {"elicitation": {"url": {}}}),
    (url, {"elicitation": {"form": {}}}, {"elicitation": {"url": {}}}),
    (raised_url, {"elicitation": {}}, {"elicitation": {"url": {}}}),
    (sample, {"elicitation": {}}, {"sampling": {}}),
    (sample_with_tools, {"sampling": {}}, {"sampling": {"tools": {}}}),
    (sample_with_choice, {"sampling": {}}, {"sampling": {"tools": {}}}),
    (roots, {"sampling": {}}, {"roots": {}}),
]
IDS = [f"{handler.__name__}-{declared}" for handler, declared, _ in LACKING]


@pytest.mark.parametrize(("handler", "declared", "required"), LACKING, ids=IDS)
async def test_a_call_that_needs_more_is_refused(handler: Any, declared: Any, required: Any) -> None:
    with pytest.raises(MCPError) as caught:
        await call(serving(handler)(), "tool", capabilities=declared)
    assert caught.value.code == MISSING_REQUIRED_CLIENT_CAPABILITY
    assert caught.value.data == {"requiredCapabilities": required}


@pytest.mark.parametrize(("handler", "declared", "required"), LACKING, ids=IDS)
async def test_no_except_can_read_the_refusal_as_permission(
    handler: Any, declared: Any, required: Any
) -> None:
    if handler is raised_url:
        return  # leaves the handler of its own accord
    done = []

    async def careless(ctx: Context) -> str:
        try:
            await handler(ctx)
        except Exception:
            done.append("unconfirmed")
        return "done"

    with pytest.raises(MCPError) as caught:
        await call(serving(careless)(), "tool", capabilities=declared)
    assert caught.value.code == MISSING_REQUIRED_CLIENT_CAPABILITY
    assert done == []


@pytest.mark.parametrize("declared", [{"elicitation": {}}, {"elicitation": {"form": {}}}, EVERYTHING])
async def test_a_bare_elicitation_capability_means_form(declared: Any) -> None:
    assert (await call(serving(form)(), "tool", capabilities=declared))["resultType"] == "input_required"


@pytest.mark.parametrize(
    ("handler", "declared"),
    [
        (url, {"elicitation": {"url": {}}}),
        (sample, {"sampling": {}}),
        (roots, {"roots": {}}),
        (sample_with_tools, EVERYTHING),
    ],
)
async def test_a_call_that_has_what_it_needs_asks(handler: Any, declared: Any) -> None:
    assert (await call(serving(handler)(), "tool", capabilities=declared))["resultType"] == "input_required"


async def test_the_owner_may_have_the_error_raised_into_the_handler() -> None:
    async def handler(ctx: Context) -> str:
        try:
            await ctx.elicit("Sure?", Ok)
        except MCPError as error:
            return f"default, because {error.code}"
        return "asked"

    make = serving(handler, on_missing_capability="raise")
    result = await call(make(), "tool", capabilities={})
    assert result["content"][0]["text"] == f"default, because {MISSING_REQUIRED_CLIENT_CAPABILITY}"


async def test_a_handler_can_look_at_what_this_call_declared() -> None:
    async def handler(ctx: Context) -> str:
        wanted = types.ClientCapabilities(elicitation=types.ElicitationCapability())
        return str(ctx.session.check_client_capability(wanted))

    assert (await call(serving(handler)(), "tool", capabilities={}))["content"][0]["text"] == "False"
    assert (await call(serving(handler)(), "tool"))["content"][0]["text"] == "True"


# -- asks where no round can end ------------------------------------------------------------------------------------


async def test_an_ask_while_listing_says_where_it_came_from() -> None:
    from mcp.server.lowlevel import Server

    async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
        await ctx.session.elicit_form("May you see them?", {"type": "object", "properties": {}})
        return types.ListToolsResult(tools=[])

    server = adapt(Server("low", on_list_tools=list_tools), keys=[KEY])
    with pytest.raises(MCPError) as caught:
        await send(server, "tools/list", {})
    assert "elicitation/create was sent from test_refusals.py:" in caught.value.message
    assert "while serving tools/list" in caught.value.message
    assert "only tools/call, prompts/get and resources/read" in caught.value.message


async def test_an_ask_while_completing_says_so() -> None:
    server = MCPServer("test")

    @server.completion()
    async def complete(ref: Any, argument: Any, context: Any) -> None:
        await kept[0].list_roots()

    @server.prompt()
    async def greet(name: str) -> str:
        return name

    kept: list[Any] = []

    async def keep(ctx: Any, call_next: Any) -> Any:
        kept.append(ctx.session)
        return await call_next(ctx)

    adapt(server, keys=[KEY])
    server.middleware.append(keep)
    params = {"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "name", "value": "a"}}
    with pytest.raises(MCPError) as caught:
        await send(server, "completion/complete", params)
    assert "while serving completion/complete" in caught.value.message


async def test_a_session_that_outlives_its_call_can_not_ask() -> None:
    kept: list[Context] = []

    async def handler(ctx: Context) -> str:
        kept.append(ctx)
        return "done"

    await call(serving(handler)(), "tool")
    with pytest.raises(MCPError) as caught:
        await kept[0].elicit("Still there?", Ok)
    assert "after the call had ended" in caught.value.message


# -- one error for state that fails a check -------------------------------------------------------------------------


async def test_tampered_foreign_and_outdated_state_get_the_one_frozen_error() -> None:
    make = serving(form)
    good = (await call(make(), "tool"))["requestState"]
    elsewhere = (await call(serving(form, keys=["another-key-" + "x" * 40])(), "tool"))["requestState"]
    other_arguments = (await call(make(), "tool", {"extra": 1}))["requestState"]
    for state in (
        good[:-1],
        good + "A",
        good[:20] + "x" + good[21:],
        elsewhere,
        other_arguments,
        "",
        "mrtr1.{}",
    ):
        with pytest.raises(MCPError) as caught:
            await call(make(), "tool", state=state, responses={"answer": YES})
        assert (caught.value.code, caught.value.message) == (-32602, "Invalid or expired requestState")
        assert caught.value.data == {"reason": "invalid_request_state"}
    assert (await play_tool(make, "tool", always(YES))).text == "accept"


async def test_state_past_its_time_gets_the_frozen_error(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    now = time.time()
    for seconds, options in ((700, {}), (100, {"ttl": 50}), (400, {"lifetime": 300})):
        make = serving(form, **options)
        state = (await call(make(), "tool"))["requestState"]
        monkeypatch.setattr("time.time", lambda seconds=seconds: now + seconds)
        with pytest.raises(MCPError) as caught:
            await call(make(), "tool", state=state, responses={"answer": YES})
        assert caught.value.message == "Invalid or expired requestState"
        monkeypatch.undo()
