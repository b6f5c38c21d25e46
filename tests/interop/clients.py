"""Three foreign clients, each driven the same way: some calls over one connection, and what came of them."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import anyio.to_thread
from fastmcp import Client as FastMCP
from fastmcp.client.elicitation import ElicitResult as FastMCPElicitResult
from fastmcp.client.transports import StdioTransport
from mcp import Client, StdioServerParameters
from mcp.types import (
    CreateMessageRequestParams,
    CreateMessageResult,
    CreateMessageResultWithTools,
    ElicitRequestParams,
    ElicitResult,
    ListRootsResult,
    Root,
    SamplingCapability,
    SamplingToolsCapability,
    TextContent,
    ToolResultContent,
    ToolUseContent,
)

from needs import needs

if TYPE_CHECKING:
    from mcp.client import ClientRequestContext
    from mcp.types import SamplingMessage

Server = str | StdioServerParameters
DRIVER = Path(__file__).parent / "node" / "drive.mjs"
MODERN, LEGACY = "2026-07-28", "2025-11-25"
SAMPLING = SamplingCapability(tools=SamplingToolsCapability())


@dataclass(frozen=True)
class User:
    """What the person, the model and the machine on the client's side answer."""

    forms: dict[str, dict[str, Any]]
    """The content to accept each form's message with. Any other elicitation is a URL, and accepted."""
    model_says: str
    root: str
    model_calls_with: dict[str, Any] = field(default_factory=dict)
    """With which arguments the model first uses a tool that it is offered."""


@dataclass(frozen=True)
class Call:
    """A request of `tools/call`, `prompts/get` or `resources/read`."""

    method: str
    target: str
    """The name of the tool or prompt, or the URI."""
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass
class Seen:
    """What a client saw of one call: everything that it was asked, and the text it got in the end."""

    asked: list[str] = field(default_factory=list)
    text: str = ""


async def python_sdk(server: Server, version: str, user: User, calls: list[Call]) -> list[Seen]:
    seen: list[Seen] = []

    async def elicit(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        seen[-1].asked.append(params.message)
        return ElicitResult(action="accept", content=user.forms.get(params.message))

    async def sample(
        context: ClientRequestContext, params: CreateMessageRequestParams
    ) -> CreateMessageResult | CreateMessageResultWithTools:
        seen[-1].asked.append(said(params.messages[-1]))
        return completion(params, user)

    async def roots(context: ClientRequestContext) -> ListRootsResult:
        seen[-1].asked.append("roots")
        return ListRootsResult(roots=[Root(uri=user.root)])

    client = Client(
        server,
        mode=_mode(version),
        elicitation_callback=elicit,
        sampling_callback=sample,
        sampling_capabilities=SAMPLING,
        list_roots_callback=roots,
    )
    return await _make(calls, client, version, seen)


async def fastmcp(server: Server, version: str, user: User, calls: list[Call]) -> list[Seen]:
    seen: list[Seen] = []

    async def elicit(message: str, *_: object) -> FastMCPElicitResult[Any]:
        seen[-1].asked.append(message)
        return FastMCPElicitResult(action="accept", content=user.forms.get(message))

    async def sample(
        messages: list[SamplingMessage], params: CreateMessageRequestParams, _: object
    ) -> CreateMessageResult | CreateMessageResultWithTools:
        seen[-1].asked.append(said(messages[-1]))
        return completion(params, user)

    async def roots(_: object) -> list[Any]:
        seen[-1].asked.append("roots")
        return [Root(uri=user.root)]

    client: FastMCP[Any] = FastMCP(
        server if isinstance(server, str) else StdioTransport(server.command, server.args, env=server.env),
        mode=_mode(version),
        elicitation_handler=elicit,
        sampling_handler=sample,
        sampling_capabilities=SAMPLING,
        roots=roots,
    )
    return await _make(calls, client, version, seen)


def completion(
    params: CreateMessageRequestParams, user: User
) -> CreateMessageResult | CreateMessageResultWithTools:
    """The model's next message: it uses the first tool that it is offered, once, and then it speaks."""
    if params.tools and not any(isinstance(part, ToolResultContent) for part in _parts(params.messages[-1])):
        use = ToolUseContent(
            type="tool_use", id="use-1", name=params.tools[0].name, input=user.model_calls_with
        )
        return CreateMessageResultWithTools(
            role="assistant", model="none", content=[use], stop_reason="toolUse"
        )
    text = TextContent(type="text", text=user.model_says)
    return CreateMessageResult(role="assistant", model="none", content=text)


def said(message: SamplingMessage) -> str:
    """The text of a message to the model, or the result of the tool that it has used."""
    part = _parts(message)[0]
    return text_of(part.content[0] if isinstance(part, ToolResultContent) else part)


def _parts(message: SamplingMessage) -> list[Any]:
    return message.content if isinstance(message.content, list) else [message.content]


def _mode(version: str) -> Literal["auto", "legacy"]:
    return "auto" if version == MODERN else "legacy"


async def _make(calls: list[Call], client: Any, version: str, seen: list[Seen]) -> list[Seen]:
    async with client:
        assert client.protocol_version == version
        for call in calls:
            seen.append(Seen())
            seen[-1].text = await _request(client, call)
    return seen


async def _request(client: Any, call: Call) -> str:
    if call.method == "tools/call":
        return text_of((await client.call_tool(call.target, call.arguments)).content[0])
    if call.method == "prompts/get":
        return text_of((await client.get_prompt(call.target, call.arguments)).messages[0].content)
    resource = await client.read_resource(call.target)
    # FastMCP's client unwraps what the SDK's returns.
    return str(getattr(resource, "contents", resource)[0].text)


async def typescript_sdk(server: Server, version: str, user: User, calls: list[Call]) -> list[Seen]:
    """Run node/drive.mjs, which prints the negotiated version and what it saw."""
    reach = (
        {"url": server} if isinstance(server, str) else server.model_dump(include={"command", "args", "env"})
    )
    job = {
        "server": reach,
        "version": version,
        "user": {
            "forms": user.forms,
            "modelSays": user.model_says,
            "modelCallsWith": user.model_calls_with,
            "root": user.root,
        },
        "calls": [vars(call) for call in calls],
    }
    printed = json.loads(await anyio.to_thread.run_sync(_run, [needs("node"), str(DRIVER)], json.dumps(job)))
    assert printed["version"] == version
    return [Seen(**seen) for seen in printed["seen"]]


def _run(command: list[str], job: str) -> str:
    run = subprocess.run(command, input=job, capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def text_of(content: Any) -> str:
    assert isinstance(content, TextContent)
    return content.text
