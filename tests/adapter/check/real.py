"""Servers on the SDKs as people write them, each with a tool `sell` that asks once and a tool `buy` that asks twice."""

from __future__ import annotations

from typing import Annotated, Any

from fastmcp import Context as FastContext
from fastmcp import FastMCP
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult
from pydantic import BaseModel

from adapter.rounds import KEY
from mrtr_adapter import adapt


class Ok(BaseModel):
    ok: bool


def adapted() -> MCPServer:
    server = MCPServer("adapted")

    @server.tool()
    async def sell(thing: str, ctx: Context) -> str:
        return f"sell {thing}: {(await ctx.elicit(f'Sell {thing}?', Ok)).action}"

    @server.tool()
    async def buy(thing: str, ctx: Context) -> str:
        first = await ctx.elicit(f"Buy {thing}?", Ok)
        second = await ctx.elicit(f"Really buy {thing}?", Ok)
        return f"buy {thing}: {first.action}, {second.action}"

    return adapt(server, keys=[KEY])


def adapted_fastmcp() -> FastMCP[Any]:
    server = FastMCP("adapted")

    @server.tool
    async def sell(thing: str, ctx: FastContext) -> str:
        return f"sell {thing}: {(await ctx.elicit(f'Sell {thing}?', Ok)).action}"

    @server.tool
    async def buy(thing: str, ctx: FastContext) -> str:
        first = await ctx.elicit(f"Buy {thing}?", Ok)
        second = await ctx.elicit(f"Really buy {thing}?", Ok)
        return f"buy {thing}: {first.action}, {second.action}"

    return adapt(server, keys=[KEY])


def _ask(message: str, state: str) -> InputRequiredResult:
    form = ElicitRequestFormParams(message=message, requested_schema=Ok.model_json_schema())
    return InputRequiredResult(input_requests={"ok": ElicitRequest(params=form)}, request_state=state)


def in_steps() -> MCPServer:
    """The SDK's own step form, which leaves answers and capabilities to the handler."""
    server = MCPServer("steps")

    @server.tool()
    async def sell(thing: str, ctx: Context) -> str | InputRequiredResult:
        if ctx.input_responses is None:
            return _ask(f"Sell {thing}?", "asked")
        return f"sell {thing}: {ctx.input_responses['ok'].action}"  # type: ignore[union-attr]

    @server.tool()
    async def buy(thing: str, ctx: Context) -> str | InputRequiredResult:
        if ctx.input_responses is None or ctx.request_state is None:
            return _ask(f"Buy {thing}?", "first")
        if ctx.request_state == "first":
            return _ask(f"Really buy {thing}?", "second")
        return f"buy {thing}"

    return server


def in_steps_fastmcp() -> FastMCP[Any]:
    server = FastMCP("steps")

    @server.tool
    async def sell(thing: str, ctx: FastContext) -> str | InputRequiredResult:
        if ctx.input_responses is None:
            return _ask(f"Sell {thing}?", "asked")
        return f"sell {thing}: {ctx.input_responses['ok'].action}"  # type: ignore[union-attr]

    @server.tool
    async def buy(thing: str, ctx: FastContext) -> str | InputRequiredResult:
        if ctx.input_responses is None or ctx.request_state is None:
            return _ask(f"Buy {thing}?", "first")
        if ctx.request_state == "first":
            return _ask(f"Really buy {thing}?", "second")
        return f"buy {thing}"

    return server


async def ask_to_sell(thing: str) -> Elicit[Ok]:
    return Elicit(f"Sell {thing}?", Ok)


async def ask_to_buy(thing: str) -> Elicit[Ok]:
    return Elicit(f"Buy {thing}?", Ok)


def resolving() -> MCPServer:
    """The SDK's `Resolve`."""
    server = MCPServer("resolving")

    async def sell(thing: str, ok: Any) -> str:
        return f"sell {thing}: {ok.ok}"

    async def buy(thing: str, ok: Any) -> str:
        return f"buy {thing}: {ok.ok}"

    sell.__annotations__["ok"] = Annotated[Ok, Resolve(ask_to_sell)]
    buy.__annotations__["ok"] = Annotated[Ok, Resolve(ask_to_buy)]
    server.add_tool(sell)
    server.add_tool(buy)
    return server
