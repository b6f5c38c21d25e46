"""One server serves both eras: an older session is pushed to as before, whichever form the handler has."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from mcp import Client, types
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.shared.exceptions import MCPError

from adapter.rounds import KEY
from adapter.servers import Name, Ok, serving
from mrtr_adapter import adapt, shed

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning"),
]

FORM = types.ElicitRequest(
    params=types.ElicitRequestFormParams(
        message="Form?", requested_schema={"type": "object", "properties": {"name": {"type": "string"}}}
    )
)
URL = types.ElicitRequest(params=types.ElicitRequestURLParams(message="Page?", url="https://example.org/in"))
SAMPLE = types.CreateMessageRequest(
    params=types.CreateMessageRequestParams(
        messages=[types.SamplingMessage(role="user", content=types.TextContent(type="text", text="hi"))],
        max_tokens=5,
    )
)
MESSAGE = types.CreateMessageResult(
    role="assistant", model="tiny", content=types.TextContent(type="text", text="hello")
)


class Person:
    """The client's side of an older session."""

    def __init__(self, *actions: str) -> None:
        self.asked: list[Any] = []
        self._actions = list(actions)

    async def elicit(self, context: Any, params: Any) -> types.ElicitResult:
        self.asked.append(params)
        action = self._actions.pop(0) if self._actions else "accept"
        content = {"name": "Ada", "ok": True} if action == "accept" and params.mode != "url" else None
        return types.ElicitResult(action=action, content=content)

    async def sample(self, context: Any, params: Any) -> types.CreateMessageResult:
        self.asked.append(params)
        return MESSAGE

    async def roots(self, context: Any) -> types.ListRootsResult:
        self.asked.append("roots")
        return types.ListRootsResult(roots=[])


async def result_of(server: Any, person: Person, tool: str = "tool") -> Any:
    """What a call on an older session ends with; an error too."""
    low = getattr(server, "_lowlevel_server", server)
    async with Client(
        low,
        mode="legacy",
        elicitation_callback=person.elicit,
        sampling_callback=person.sample,
        list_roots_callback=person.roots,
    ) as client:
        try:
            return await client.session.call_tool(tool, {})
        except MCPError as error:
            return error


async def test_an_old_handler_is_pushed_for_as_before() -> None:
    runs: list[int] = []

    async def handler(ctx: Context) -> str:
        runs.append(1)
        first = await ctx.elicit("First?", Ok)
        await shed()
        second = await ctx.elicit("Second?", Ok)
        return f"{first.action} {second.action}"

    person = Person("accept", "decline")
    result = await result_of(serving(handler)(), person)
    assert result.content[0].text == "accept decline"
    assert [params.message for params in person.asked] == ["First?", "Second?"]
    assert runs == [1]


async def test_a_handler_in_step_form_is_pushed_for_and_entered_again() -> None:
    seen: list[Any] = []

    async def handler(ctx: Context) -> str | types.InputRequiredResult:
        seen.append((ctx.request_state, sorted(ctx.input_responses or {})))
        if ctx.request_state is None:
            requests = {"form": FORM, "url": URL, "sample": SAMPLE, "roots": types.ListRootsRequest()}
            return types.InputRequiredResult(input_requests=requests, request_state="one")
        if ctx.request_state == "one":
            return types.InputRequiredResult(input_requests={"form": FORM}, request_state="two")
        answer = (ctx.input_responses or {})["form"]
        return f"{ctx.request_state} {answer.action}"

    person = Person()
    result = await result_of(serving(handler)(), person)
    assert result.content[0].text == "two accept"
    assert seen == [(None, []), ("one", ["form", "roots", "sample", "url"]), ("two", ["form"])]
    assert len(person.asked) == 5
    assert all(params.elicitation_id for params in person.asked if getattr(params, "mode", "") == "url")


async def test_a_low_level_handler_in_step_form_is_pushed_for() -> None:
    async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> Any:
        if params.request_state is None:
            return {
                "resultType": "input_required",
                "requestState": "one",
                "inputRequests": {"form": FORM.model_dump(by_alias=True, exclude_none=True)},
            }
        text = f"{params.request_state} {(params.input_responses or {})['form'].action}"
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)])

    async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool(name="tool", input_schema={"type": "object"})])

    server = adapt(Server("low", on_list_tools=list_tools, on_call_tool=call_tool), keys=[KEY])
    result = await result_of(server, Person("cancel"))
    assert result.content[0].text == "one cancel"


async def test_a_prompt_in_step_form_is_pushed_for() -> None:
    server = MCPServer("test")

    @server.prompt()
    async def greet(ctx: Context) -> Any:
        if ctx.request_state is None:
            return types.InputRequiredResult(input_requests={"form": FORM}, request_state="one")
        return f"Hello {(ctx.input_responses or {})['form'].content['name']}"

    adapt(server, keys=[KEY])
    person = Person()
    async with Client(server, mode="legacy", elicitation_callback=person.elicit) as client:
        result = await client.session.get_prompt("greet")
    assert result.messages[0].content.text == "Hello Ada"


async def test_state_without_questions_is_entered_again() -> None:
    async def handler(ctx: Context) -> str | types.InputRequiredResult:
        turns = int(ctx.request_state or 0)
        return "done" if turns == 3 else types.InputRequiredResult(request_state=str(turns + 1))

    assert (await result_of(serving(handler)(), Person())).content[0].text == "done"


async def test_a_step_form_handler_that_never_ends_is_bounded() -> None:
    async def handler(ctx: Context) -> str | types.InputRequiredResult:
        return types.InputRequiredResult(input_requests={"form": FORM}, request_state="again")

    person = Person()
    error = await result_of(serving(handler, max_rounds=3)(), person)
    assert "(max_rounds)" in error.message
    assert len(person.asked) <= 4


async def test_a_step_form_question_that_the_client_can_not_take_is_refused() -> None:
    async def handler(ctx: Context) -> str | types.InputRequiredResult:
        return types.InputRequiredResult(input_requests={"form": FORM}, request_state="one")

    server = serving(handler)()
    async with Client(server, mode="legacy") as client:
        with pytest.raises(MCPError) as caught:
            await client.session.call_tool("tool", {})
    assert caught.value.data == {"requiredCapabilities": {"elicitation": {"form": {}}}}


async def test_resolve_serves_an_older_session_as_before() -> None:
    async def whose(ctx: Context) -> Elicit[Name]:
        return Elicit("Whose?", Name)

    async def handler(name: Annotated[Name, Resolve(whose)]) -> str:
        return name.name

    handler.__annotations__["name"] = Annotated[Name, Resolve(whose)]
    assert (await result_of(serving(handler)(), Person())).content[0].text == "Ada"


async def test_both_eras_are_served_at_once() -> None:
    async def handler(ctx: Context) -> str:
        return (await ctx.elicit("Sure?", Ok)).action

    server = serving(handler)()
    old, new = Person("decline"), Person("accept")
    async with (
        Client(server, mode="legacy", elicitation_callback=old.elicit) as legacy,
        Client(server, elicitation_callback=new.elicit) as modern,
    ):
        first = await legacy.call_tool("tool", {})
        second = await modern.call_tool("tool", {})
    assert (first.content[0].text, second.content[0].text) == ("decline", "accept")
