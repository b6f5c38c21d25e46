"""Prints all that a server and its client see of FastMCP's asks, a line of JSON for each call.

    python probe.py [legacy]

Run by two Pythons: with FastMCP 3, natively, and with FastMCP 4, adapted, on 2026-07-28 or on an older protocol. The
client is FastMCP's own in both. What is printed has to be the same.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import warnings
from dataclasses import dataclass
from typing import Any, Literal

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

import fastmcp  # noqa: E402
from fastmcp import Client, Context, FastMCP  # noqa: E402
from fastmcp.client.elicitation import ElicitResult  # noqa: E402
from fastmcp.exceptions import ToolError  # noqa: E402
from fastmcp.tools import Tool  # noqa: E402
from mcp import types as t  # noqa: E402
from pydantic import BaseModel  # noqa: E402

LEGACY = "legacy" in sys.argv[1:]
OLD = int(fastmcp.__version__.split(".")[0]) < 4
if OLD:
    from fastmcp.server.sampling import SampleStep, SamplingResult, SamplingTool
else:
    from mrtr_adapter import adapt
    from mrtr_adapter.fastmcp.sampling import SampleStep, SamplingResult, SamplingTool


class Stop(BaseModel):
    name: str
    minutes: int = 5


@dataclass
class Ticket:
    zone: int
    return_trip: bool = False


def fare(zone: int, night: bool = False) -> float:
    """The fare of a zone."""
    if zone > 9:
        raise ValueError(f"zone {zone}?")
    return zone * (2.5 if night else 2.0)


async def delay(line: str) -> dict[str, int]:
    """Minutes that a line is late."""
    if line == "none":
        raise ToolError("no such line")
    return {"late": len(line)}


def as_json(value: Any) -> Any:
    """Whatever a handler got, in a form to compare: models and dataclasses by their fields, as on the wire."""
    if isinstance(value, SamplingResult):
        return {"text": value.text, "result": as_json(value.result), "history": as_json(value.history)}
    if isinstance(value, SampleStep):
        return {
            "text": value.text,
            "is_tool_use": value.is_tool_use,
            "tool_calls": as_json(value.tool_calls),
            "response": as_json(value.response),
            "history": as_json(value.history),
        }
    if isinstance(value, BaseModel):
        return value.model_dump(by_alias=True, mode="json", exclude_none=True)
    if isinstance(value, list):
        return [as_json(one) for one in value]
    return value if isinstance(value, str | int | float | bool | dict | None) else repr(value)


CALLS: dict[str, Any] = {}


def probed(ask: Any) -> Any:
    """A call that the server's one tool makes, under its name."""
    CALLS[ask.__name__] = ask
    return ask


def text(said: str, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "model": "m", "content": {"type": "text", "text": said}, **more}


def calls(*wanted: tuple[str, dict[str, Any]], said: str | None = None) -> dict[str, Any]:
    blocks = [
        {"type": "tool_use", "id": f"{name}{place}", "name": name, "input": given}
        for place, (name, given) in enumerate(wanted)
    ]
    if said is not None:
        blocks.insert(0, {"type": "text", "text": said})
    return {"role": "assistant", "model": "m", "content": blocks, "stopReason": "toolUse"}


@probed
async def plain(ctx: Context) -> Any:
    return await ctx.sample("hello")


@probed
async def all_arguments(ctx: Context) -> Any:
    return await ctx.sample(
        ["one", t.SamplingMessage(role="assistant", content=t.TextContent(type="text", text="two")), "three"],
        system_prompt="be brief",
        temperature=0.3,
        max_tokens=7,
        model_preferences="small",
    )


@probed
async def preferences_by_name(ctx: Context) -> Any:
    return await ctx.sample("x", model_preferences=["a", "b"])


@probed
async def preferences_in_full(ctx: Context) -> Any:
    wanted = t.ModelPreferences(hints=[t.ModelHint(name="h")], costPriority=0.5)
    return await ctx.sample("x", model_preferences=wanted)


@probed
async def preferences_of_numbers(ctx: Context) -> Any:
    return await ctx.sample("x", model_preferences=[1])  # type: ignore[list-item]


@probed
async def preferences_of_nothing(ctx: Context) -> Any:
    return await ctx.sample("x", model_preferences=7)  # type: ignore[arg-type]


@probed
async def image_reply(ctx: Context) -> Any:
    return await ctx.sample("draw")


@probed
async def with_tools(ctx: Context) -> Any:
    return await ctx.sample("plan", tools=[fare, delay])


@probed
async def with_tools_masked(ctx: Context) -> Any:
    return await ctx.sample("plan", tools=[fare, delay], mask_error_details=True)


@probed
async def with_tools_at_once(ctx: Context) -> Any:
    return await ctx.sample("plan", tools=[fare, delay], tool_concurrency=0)


@probed
async def with_tools_two_at_once(ctx: Context) -> Any:
    alone = SamplingTool.from_function(fare, name="price", description="A price.", sequential=True)
    return await ctx.sample("plan", tools=[alone, delay], tool_concurrency=2)


@probed
async def with_concurrency_below_zero(ctx: Context) -> Any:
    return await ctx.sample("plan", tools=[fare], tool_concurrency=-1)


@probed
async def with_server_tools(ctx: Context) -> Any:
    counted = Tool.from_function(fare, name="counted")
    renamed = Tool.from_tool(counted, name="renamed")
    return await ctx.sample("plan", tools=[counted, renamed])


@probed
async def with_a_lambda(ctx: Context) -> Any:
    return await ctx.sample("plan", tools=[lambda: 1])


@probed
async def with_no_tool(ctx: Context) -> Any:
    return await ctx.sample("plan", tools=[7])  # type: ignore[list-item]


@probed
async def with_no_tools(ctx: Context) -> Any:
    return await ctx.sample("plan", tools=[])


@probed
async def of_a_model(ctx: Context) -> Any:
    return await ctx.sample("which stop?", result_type=Stop)


@probed
async def of_a_model_with_tools(ctx: Context) -> Any:
    return await ctx.sample("which stop?", result_type=Stop, tools=[fare], max_tokens=99)


@probed
async def of_a_list(ctx: Context) -> Any:
    return await ctx.sample("which stops?", result_type=list[str])


@probed
async def of_a_literal(ctx: Context) -> Any:
    return await ctx.sample("yes or no?", result_type=Literal["yes", "no"])  # type: ignore[arg-type]


@probed
async def of_text(ctx: Context) -> Any:
    return await ctx.sample("which stop?", result_type=str)


@probed
async def never_handed_in(ctx: Context) -> Any:
    return await ctx.sample("which stop?", result_type=Stop)


@probed
async def handed_in_late(ctx: Context) -> Any:
    return await ctx.sample("which stop?", result_type=Stop)


@probed
async def step(ctx: Context) -> Any:
    return await ctx.sample_step("go")


@probed
async def step_with_tools(ctx: Context) -> Any:
    return await ctx.sample_step("go", tools=[fare], tool_choice="required")


@probed
async def step_without_execution(ctx: Context) -> Any:
    return await ctx.sample_step("go", tools=[fare], execute_tools=False)


@probed
async def step_with_a_choice_alone(ctx: Context) -> Any:
    return await ctx.sample_step("go", tool_choice="auto")


@probed
async def step_with_no_choice(ctx: Context) -> Any:
    return await ctx.sample_step("go", tools=[fare], tool_choice="maybe")


@probed
async def steps_by_hand(ctx: Context) -> Any:
    first = await ctx.sample_step("go", tools=[fare])
    return await ctx.sample_step(first.history, tools=[fare])


@probed
async def roots(ctx: Context) -> Any:
    return await ctx.list_roots()


@probed
async def consent(ctx: Context) -> Any:
    return await ctx.elicit("Fine?", response_type=None)


@probed
async def consent_omitted(ctx: Context) -> Any:
    return await ctx.elicit("Fine?")


@probed
async def consent_with_a_title(ctx: Context) -> Any:
    return await ctx.elicit("Fine?", None, response_title="Fine")


@probed
async def form_of_a_dataclass(ctx: Context) -> Any:
    return await ctx.elicit("Ticket?", response_type=Ticket)


@probed
async def form_of_a_number(ctx: Context) -> Any:
    return await ctx.elicit("Zone?", response_type=int, response_title="Zone", response_description="1 to 9")


@probed
async def form_declined(ctx: Context) -> Any:
    return await ctx.elicit("Zone?", response_type=int)


PLAN = [
    calls(("fare", {"zone": 2, "night": True}), ("delay", {"line": "none"}), said="Let me see."),
    calls(("fare", {"zone": 11}), ("price", {"zone": 1}), ("delay", {"line": "tram"}), ("walk", {})),
    text("done", stopReason="endTurn"),
]
STOP = calls(("final_response", {"name": "Dam"}))
BAD = calls(("final_response", {"minutes": 3}))
IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
REPLIES: dict[str, list[dict[str, Any]]] = {
    "image_reply": [{"role": "assistant", "model": "m", "content": IMAGE}],
    "with_tools": PLAN,
    "with_tools_masked": PLAN,
    "with_tools_at_once": PLAN,
    "with_tools_two_at_once": PLAN,
    "with_concurrency_below_zero": PLAN,
    "with_server_tools": [calls(("counted", {"zone": 3}), ("renamed", {"zone": 4})), text("done")],
    "of_a_model": [STOP],
    "of_a_model_with_tools": [calls(("fare", {"zone": 1})), BAD, text("hm"), STOP],
    "of_a_list": [calls(("final_response", {"value": ["a", "b"]}))],
    "of_a_literal": [calls(("final_response", {"value": "no"}))],
    "never_handed_in": [text("no")] * 4,
    "handed_in_late": [text("no"), STOP],
    "step_with_tools": [calls(("fare", {"zone": 1}), said="hm")],
    "step_without_execution": [calls(("fare", {"zone": 1}))],
    "steps_by_hand": [calls(("fare", {"zone": 1})), text("2.0")],
}
FORMS: dict[str, dict[str, Any]] = {
    "consent": {"action": "accept", "content": {}},
    "consent_omitted": {"action": "decline"},
    "form_of_a_dataclass": {"action": "accept", "content": {"zone": 3}},
    "form_of_a_number": {"action": "accept", "content": {"value": 4}},
    "form_declined": {"action": "cancel"},
}

server = FastMCP("probe")


@server.tool
async def run(name: str, ctx: Context) -> str:
    """Make one of the calls, and tell what came of it."""
    try:
        got = as_json(await CALLS[name](ctx))
    except Exception as error:
        cause = type(error.__cause__).__name__ if error.__cause__ else None
        got = {"raised": type(error).__name__, "said": str(error), "cause": cause}
    return json.dumps(got, sort_keys=True)


async def probe(name: str) -> dict[str, Any]:
    seen: list[Any] = []
    replies = iter(REPLIES.get(name, [text("well")]))

    def shown(params: Any) -> None:
        wire = params.model_dump(by_alias=True, mode="json", exclude_none=True)
        seen.append({key: value for key, value in wire.items() if key not in ("_meta", "mode")})

    async def sample(messages: Any, params: Any, _: Any) -> Any:
        shown(params)
        choice = params.toolChoice if OLD else params.tool_choice
        with_tools = params.tools is not None or choice is not None
        kind = t.CreateMessageResultWithTools if with_tools else t.CreateMessageResult
        return kind.model_validate(next(replies))

    async def elicit(message: str, _: Any, params: Any, __: Any) -> Any:
        shown(params)
        return ElicitResult(**FORMS[name])

    era: dict[str, Any] = {} if OLD else {"mode": "legacy" if LEGACY else "auto"}
    client = Client(
        server,
        sampling_handler=sample,
        sampling_capabilities=t.SamplingCapability(tools=t.SamplingToolsCapability()),
        elicitation_handler=elicit,
        roots=["file:///srv/maps"],
        **era,
    )
    async with client:
        assert OLD or (client.protocol_version == "2026-07-28") != LEGACY
        result = await client.call_tool("run", {"name": name})
    return {"seen": seen, "got": json.loads(result.content[0].text)}


async def main() -> None:
    if not OLD:
        adapt(server)
    for name in CALLS:
        print(json.dumps({name: await probe(name)}, sort_keys=True))


if __name__ == "__main__":
    asyncio.run(main())
