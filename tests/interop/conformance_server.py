"""The server that the official conformance suite asks for, written as for a 2025-11-25 session, and adapted.

    python conformance_server.py PORT

Its handlers only `await` their answers. Tool names, prompt names and messages are the suite's. `adapt` takes
its key from `MRTR_KEYS`.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import ClientCapabilities, ElicitationCapability, ElicitResult, SamplingMessage, TextContent
from pydantic import BaseModel, Field

from mrtr_adapter import adapt

server = MCPServer("conformance")


class UserName(BaseModel):
    name: str


class Color(BaseModel):
    color: str


class Confirmation(BaseModel):
    ok: bool


class PromptContext(BaseModel):
    context: str


class Account(BaseModel):
    username: str = Field(description="User's response")
    email: str = Field(description="User's email address")


@server.tool()
async def test_input_required_result_elicitation(ctx: Context) -> str:
    """Greet the user by name."""
    user_name = await ctx.elicit("What is your name?", UserName)
    if user_name.action == "accept":
        return f"Hello, {user_name.data.name}!"
    return "Hello, stranger!"


@server.tool()
async def test_input_required_result_sampling(ctx: Context) -> str:
    """Ask the client's model for a capital."""
    return await complete(ctx, "What is the capital of France?", max_tokens=100)


@server.tool()
async def test_input_required_result_list_roots(ctx: Context) -> str:
    """Name the client's roots."""
    listing = await ctx.session.list_roots()
    return "Roots: " + ", ".join(str(root.uri) for root in listing.roots)


@server.tool()
async def test_input_required_result_request_state(ctx: Context) -> str:
    """Confirm once."""
    confirm = await ctx.elicit("Please confirm", Confirmation)
    return "state-ok" if confirm.action == "accept" and confirm.data.ok else "not confirmed"


@server.tool()
async def test_input_required_result_multiple_inputs(ctx: Context) -> str:
    """Ask the user, the client's model and the client at once."""
    user_name, greeting, listing = await asyncio.gather(
        ctx.elicit("What is your name?", UserName),
        complete(ctx, "Generate a greeting", max_tokens=50),
        ctx.session.list_roots(),
    )
    name = user_name.data.name if user_name.action == "accept" else "stranger"
    return f"{greeting} ({name}, {len(listing.roots)} roots)"


@server.tool()
async def test_input_required_result_multi_round(ctx: Context) -> str:
    """Ask two questions, one after the other."""
    step1 = await ctx.elicit("Step 1: What is your name?", UserName)
    if step1.action != "accept":
        return "No name."
    step2 = await ctx.elicit("Step 2: What is your favorite color?", Color)
    if step2.action != "accept":
        return f"{step1.data.name} likes no color."
    return f"{step1.data.name} likes {step2.data.color}."


@server.tool()
async def test_input_required_result_tampered_state(ctx: Context) -> str:
    """Confirm once; the suite tampers with the state."""
    confirm = await ctx.elicit("Please confirm", Confirmation)
    return f"Finished: {confirm.action}"


@server.tool()
async def test_input_required_result_capabilities(ctx: Context) -> str:
    """Ask the user where the client can, else the client's model."""
    if ctx.session.check_client_capability(ClientCapabilities(elicitation=ElicitationCapability())):
        user_name = await ctx.elicit("What is your name?", UserName)
        return f"The user: {user_name.action}"
    return "The model: " + await complete(ctx, "Generate a name", max_tokens=20)


@server.prompt()
async def test_input_required_result_prompt(ctx: Context) -> str:
    """A prompt about what the user says it is about."""
    user_context = await ctx.elicit("What context should the prompt use?", PromptContext)
    if user_context.action == "accept":
        return f"Answer with this in mind: {user_context.data.context}"
    return "Answer without context."


@server.tool()
async def test_elicitation(message: str, ctx: Context) -> str:
    """Ask the user for an account."""
    answer = await ctx.elicit(message, Account)
    content = answer.data.model_dump() if answer.action == "accept" else {}
    return f"User response: action: {answer.action}, content: {content}"


@server.tool()
async def test_sampling(prompt: str, ctx: Context) -> str:
    """Pass a prompt on to the client's model."""
    return "LLM response: " + await complete(ctx, prompt, max_tokens=100)


@server.tool()
async def test_elicitation_sep1034_defaults(ctx: Context) -> str:
    """Ask with a default for each primitive type (SEP-1034)."""
    properties = {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    }
    return completed(await ctx.session.elicit("Please review the record", form(properties)))


@server.tool()
async def test_elicitation_sep1330_enums(ctx: Context) -> str:
    """Ask with each way to write an enum (SEP-1330)."""
    options = ["option1", "option2", "option3"]
    titled = [
        {"const": f"value{n}", "title": f"{nth} Option"} for n, nth in enumerate(["First", "Second"], 1)
    ]
    properties = {
        "untitledSingle": {"type": "string", "enum": options},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2"],
            "enumNames": ["Option One", "Option Two"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    }
    return completed(await ctx.session.elicit_form("Please choose", form(properties)))


async def complete(ctx: Context, prompt: str, max_tokens: int) -> str:
    """Return what the client's model says to `prompt`."""
    message = SamplingMessage(role="user", content=TextContent(type="text", text=prompt))
    reply = await ctx.session.create_message([message], max_tokens=max_tokens)
    return reply.content.text if isinstance(reply.content, TextContent) else ""


def form(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def completed(answer: ElicitResult) -> str:
    return f"Elicitation completed: action={answer.action}, content={answer.content}"


if __name__ == "__main__":
    adapt(server).run("streamable-http", port=int(sys.argv[1]))
