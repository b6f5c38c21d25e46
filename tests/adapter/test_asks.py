"""Every way in which old code asks, and every place from which it may."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import anyio.from_thread
import pytest
from mcp import types
from mcp.server.elicitation import elicit_url, elicit_with_validation
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.message import ServerMessageMetadata

from adapter.rounds import KEY, NO, YES, accept, always, by_key, in_turn, play, play_tool
from adapter.servers import Ok, serving
from mrtr_adapter import adapt

pytestmark = pytest.mark.anyio

OK_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
}
MESSAGE = {"role": "assistant", "model": "tiny", "content": {"type": "text", "text": "hello"}}
ROOTS = {"roots": [{"uri": "file:///srv/app", "name": "app"}]}


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def prompt(text: str) -> list[types.SamplingMessage]:
    return [types.SamplingMessage(role="user", content=types.TextContent(type="text", text=text))]


# -- the ways to ask ------------------------------------------------------------------------------------------------


async def by_context(ctx: Context) -> str:
    answer = await ctx.elicit("Sure?", Ok)
    return f"{answer.action} {answer.data.ok}" if answer.action == "accept" else answer.action


async def by_elicit_with_validation(ctx: Context) -> str:
    answer = await elicit_with_validation(ctx.session, "Sure?", Ok)
    return f"{answer.action} {answer.data.ok}" if answer.action == "accept" else answer.action


async def by_session_elicit(ctx: Context) -> str:
    answer = await ctx.session.elicit("Sure?", OK_SCHEMA)
    return f"{answer.action} {answer.content['ok']}" if answer.content else answer.action


async def by_session_elicit_form(ctx: Context) -> str:
    answer = await ctx.session.elicit_form("Sure?", OK_SCHEMA, related_request_id=ctx.request_id)
    return f"{answer.action} {answer.content['ok']}" if answer.content else answer.action


async def by_send_request(ctx: Context) -> str:
    answer = await ctx.session.send_request(
        types.ElicitRequest(
            params=types.ElicitRequestFormParams(message="Sure?", requested_schema=OK_SCHEMA)
        ),
        types.ElicitResult,
        None,
        ServerMessageMetadata(related_request_id=ctx.request_id),
    )
    return f"{answer.action} {answer.content['ok']}" if answer.content else answer.action


FORMS = [by_context, by_elicit_with_validation, by_session_elicit, by_session_elicit_form, by_send_request]


@pytest.mark.parametrize("handler", FORMS)
async def test_a_form_is_asked_and_its_answer_comes_back(handler: Callable[..., Any]) -> None:
    played = await play_tool(serving(handler), "tool", always(YES))
    assert played.text == "accept True"
    assert played.asked == ["Sure?"]
    assert next(iter(played.rounds[0].values()))["method"] == "elicitation/create"


@pytest.mark.parametrize("handler", FORMS)
@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_a_refusal_comes_back_as_one(handler: Callable[..., Any], action: str) -> None:
    assert (await play_tool(serving(handler), "tool", always({"action": action}))).text == action


async def url_by_context(ctx: Context) -> str:
    return (await ctx.elicit_url("Sign in", "https://example.org/in", "id-1")).action


async def url_by_session(ctx: Context) -> str:
    return (await ctx.session.elicit_url("Sign in", "https://example.org/in", "id-1")).action


async def url_by_function(ctx: Context) -> str:
    return (await elicit_url(ctx.session, "Sign in", "https://example.org/in", "id-1")).action


@pytest.mark.parametrize("handler", [url_by_context, url_by_session, url_by_function])
async def test_a_url_is_asked_without_the_id_that_the_protocol_dropped(handler: Callable[..., Any]) -> None:
    played = await play_tool(serving(handler), "tool", always({"action": "accept"}))
    (request,) = played.rounds[0].values()
    assert request["params"] == {"mode": "url", "message": "Sign in", "url": "https://example.org/in"}
    assert played.text == "accept"


async def test_a_message_is_sampled() -> None:
    async def handler(ctx: Context) -> str:
        reply = await ctx.session.create_message(prompt("hi"), max_tokens=5, system_prompt="be brief")
        return f"{type(reply).__name__} {reply.content.text}"

    played = await play_tool(serving(handler), "tool", always(MESSAGE))
    (request,) = played.rounds[0].values()
    assert request["method"] == "sampling/createMessage"
    assert request["params"]["maxTokens"] == 5
    assert played.text == "CreateMessageResult hello"


async def test_a_message_is_sampled_with_tools() -> None:
    tool = types.Tool(name="clock", input_schema={"type": "object"})

    async def handler(ctx: Context) -> str:
        reply = await ctx.session.create_message(prompt("time?"), max_tokens=5, tools=[tool])
        return f"{type(reply).__name__} {[block.type for block in reply.content_as_list]}"

    use = {"type": "tool_use", "id": "t1", "name": "clock", "input": {}}
    result = {"role": "assistant", "model": "tiny", "content": [use], "stopReason": "toolUse"}
    played = await play_tool(serving(handler), "tool", always(result))
    (request,) = played.rounds[0].values()
    assert request["params"]["tools"][0]["name"] == "clock"
    assert played.text == "CreateMessageResultWithTools ['tool_use']"


async def test_roots_are_listed() -> None:
    async def handler(ctx: Context) -> str:
        roots = await ctx.session.list_roots()
        return f"{[str(root.uri) for root in roots.roots]}"

    played = await play_tool(serving(handler), "tool", always(ROOTS))
    assert played.rounds == [{"roots": {"method": "roots/list"}}]
    assert played.text == "['file:///srv/app']"


# -- the places to ask from -----------------------------------------------------------------------------------------


async def confirmed(ctx: Context, what: str) -> bool:
    ask = ctx.elicit
    answer = await ask(f"{what}?", Ok)
    return answer.action == "accept" and answer.data.ok


class Desk:
    """Its methods are tools; the ask stands three calls below, behind an alias."""

    async def tool(self, ctx: Context) -> str:
        return "done" if await self._agreed(ctx) else "left"

    async def _agreed(self, ctx: Context) -> bool:
        session = ctx
        return await confirmed(session, "Go on")


async def in_gather(ctx: Context) -> str:
    return str(await asyncio.gather(confirmed(ctx, "One"), confirmed(ctx, "Two")))


async def in_create_task(ctx: Context) -> str:
    task = asyncio.create_task(confirmed(ctx, "One"))
    return f"{await confirmed(ctx, 'Two')} {await task}"


async def in_asyncio_task_group(ctx: Context) -> str:
    async with asyncio.TaskGroup() as group:
        one, two = group.create_task(confirmed(ctx, "One")), group.create_task(confirmed(ctx, "Two"))
    return f"{one.result()} {two.result()}"


async def in_anyio_task_group(ctx: Context) -> str:
    found = {}

    async def ask(what: str) -> None:
        found[what] = await confirmed(ctx, what)

    async with anyio.create_task_group() as group:
        group.start_soon(ask, "One")
        group.start_soon(ask, "Two")
    return str(sorted(found.items()))


async def in_wait(ctx: Context) -> str:
    done, _ = await asyncio.wait({asyncio.create_task(confirmed(ctx, what)) for what in ("One", "Two")})
    return str([task.result() for task in done])


ON_ASYNCIO = [in_gather, in_create_task, in_wait]
if hasattr(asyncio, "TaskGroup"):
    ON_ASYNCIO.append(in_asyncio_task_group)


@pytest.mark.parametrize("handler", [*ON_ASYNCIO, in_anyio_task_group])
async def test_concurrent_asks_come_in_one_round(handler: Callable[..., Any], anyio_backend: str) -> None:
    if anyio_backend == "trio" and handler in ON_ASYNCIO:
        return
    played = await play_tool(serving(handler), "tool", always(YES))
    assert [sorted(r["params"]["message"] for r in asked.values()) for asked in played.rounds] == [
        ["One?", "Two?"]
    ]
    assert played.text.count("True") == 2


async def test_concurrent_asks_after_some_work_come_in_one_round() -> None:
    async def ask_later(ctx: Context, pause: float) -> bool:
        await anyio.sleep(pause)
        return await confirmed(ctx, f"After {pause}")

    async def handler(ctx: Context) -> str:
        async with anyio.create_task_group() as group:
            for pause in (0, 0.001, 0.005, 0.01):
                group.start_soon(ask_later, ctx, pause)
        return "done"

    played = await play_tool(serving(handler), "tool", always(YES))
    assert [len(asked) for asked in played.rounds] == [4]


async def test_a_method_asks_through_helpers_and_aliases() -> None:
    played = await play_tool(serving(Desk().tool), "tool", always(YES))
    assert (played.text, played.asked) == ("done", ["Go on?"])


async def test_a_loop_asks_once_a_turn() -> None:
    async def handler(ctx: Context) -> str:
        picked = []
        for number in range(4):
            answer = await ctx.elicit(f"Take {number}?", Ok)
            if answer.action != "accept":
                break
            picked.append(number)
        return str(picked)

    played = await play_tool(serving(handler), "tool", in_turn(YES, YES, YES, NO))
    assert played.text == "[0, 1, 2]"
    assert [len(asked) for asked in played.rounds] == [1, 1, 1, 1]


async def test_an_ask_inside_try_finally_and_async_with() -> None:
    @asynccontextmanager
    async def lent() -> AsyncIterator[str]:
        yield "lent"

    async def handler(ctx: Context) -> str:
        try:
            async with lent() as thing:
                answer = await ctx.elicit("Use it?", Ok)
                return f"{thing} {answer.action}"
        finally:
            await anyio.sleep(0)

    assert (await play_tool(serving(handler), "tool", always(YES))).text == "lent accept"


def in_a_thread(ctx: Context) -> str:
    answer = anyio.from_thread.run(ctx.elicit, "Sure?", Ok)
    return f"thread {answer.action}"


def in_a_thread_that_catches(ctx: Context) -> str:
    try:
        answer = anyio.from_thread.run(ctx.elicit, "Sure?", Ok)
    except Exception as error:
        return f"caught {type(error).__name__}"
    return f"thread {answer.action}"


@pytest.mark.parametrize("handler", [in_a_thread, in_a_thread_that_catches])
async def test_a_sync_handler_asks_from_its_thread(handler: Callable[..., Any]) -> None:
    before = anyio.to_thread.current_default_thread_limiter().borrowed_tokens
    played = await play_tool(serving(handler), "tool", always(YES))
    assert (played.text, played.asked) == ("thread accept", ["Sure?"])
    assert anyio.to_thread.current_default_thread_limiter().borrowed_tokens == before


async def test_prompts_and_resource_templates_ask() -> None:
    def make() -> MCPServer:
        server = MCPServer("test")

        @server.prompt()
        async def letter(kind: str, ctx: Context) -> str:
            answer = await ctx.elicit(f"A {kind} letter?", Ok)
            return f"{kind} {answer.action}"

        @server.resource("archive://{year}")
        async def archive(year: str, ctx: Context) -> str:
            answer = await ctx.elicit(f"Open {year}?", Ok)
            return f"{year} {answer.action}"

        return adapt(server, keys=[KEY])

    played = await play(make, "prompts/get", {"name": "letter", "arguments": {"kind": "kind"}}, always(YES))
    assert played.result["messages"][0]["content"]["text"] == "kind accept"
    played = await play(make, "resources/read", {"uri": "archive://1999"}, always(NO))
    assert played.result["contents"][0]["text"] == "1999 decline"


async def test_low_level_handlers_ask() -> None:
    async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        answer = await ctx.session.elicit_form(f"{params.name}?", OK_SCHEMA)
        return types.CallToolResult(content=[types.TextContent(type="text", text=answer.action)])

    async def get_prompt(ctx: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        answer = await ctx.session.elicit_form("Prompt?", OK_SCHEMA)
        content = types.TextContent(type="text", text=answer.action)
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])

    async def read_resource(ctx: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        answer = await ctx.session.elicit_form("Resource?", OK_SCHEMA)
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=params.uri, text=answer.action)]
        )

    def make() -> Server[Any]:
        return adapt(
            Server("low", on_call_tool=call_tool, on_get_prompt=get_prompt, on_read_resource=read_resource),
            keys=[KEY],
        )

    assert (await play_tool(make, "anything", always(YES))).text == "accept"
    played = await play(make, "prompts/get", {"name": "p"}, always(NO))
    assert played.result["messages"][0]["content"]["text"] == "decline"
    played = await play(make, "resources/read", {"uri": "x://y"}, always(NO))
    assert played.result["contents"][0]["text"] == "decline"


# -- keys that people can read --------------------------------------------------------------------------------------


async def test_keys_are_the_names_that_answers_are_given() -> None:
    async def handler(ctx: Context) -> str:
        user_name = await ctx.elicit("Name?", Ok)
        typed: Any = await ctx.elicit("Typed?", Ok)
        if (walrus := await ctx.elicit("Walrus?", Ok)).action != "accept":
            return "no"
        inner = (await ctx.elicit("Inner?", Ok)).action
        await ctx.elicit("Nameless?", Ok)
        return f"{user_name.action} {typed.action} {walrus.action} {inner}"

    played = await play_tool(serving(handler), "tool", always(YES))
    assert [list(asked) for asked in played.rounds] == [
        ["user_name"],
        ["typed"],
        ["walrus"],
        ["inner"],
        ["answer"],
    ]


async def test_keys_that_repeat_in_a_round_are_numbered() -> None:
    played = await play_tool(serving(in_anyio_task_group), "tool", always(YES))
    assert sorted(played.rounds[0]) == ["answer", "answer_2"]


async def test_answers_go_to_the_keys_they_were_given_for() -> None:
    async def handler(ctx: Context) -> str:
        found = {}

        async def first() -> None:
            left = await ctx.elicit("Left?", Ok)
            found["left"] = left.data.ok

        async def second() -> None:
            right = await ctx.elicit("Right?", Ok)
            found["right"] = right.data.ok

        async with anyio.create_task_group() as group:
            group.start_soon(first)
            group.start_soon(second)
        return f"{found['left']} {found['right']}"

    no = {"action": "accept", "content": {"ok": False}}
    played = await play_tool(serving(handler), "tool", by_key(left=no, right=YES))
    assert played.text == "False True"


async def test_the_session_says_that_it_can_be_asked() -> None:
    async def handler(ctx: Context) -> str:
        if not ctx.session.can_send_request:
            return "can't ask"
        return (await ctx.elicit("Sure?", Ok)).action

    assert (await play_tool(serving(handler), "tool", accept(ok=True))).text == "accept"
