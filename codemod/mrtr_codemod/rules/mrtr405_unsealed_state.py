"""MRTR405: a `requestState` is sent without protection."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.state import STATE_WORDS, state_sites
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import MRTR_SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_PLAIN = """
import json
from mcp.server.lowlevel import Server
from mcp.types import CallToolResult, InputRequiredResult
async def call_tool(ctx, params) -> CallToolResult | InputRequiredResult:
    state = {"step": 1, "files": params.arguments["files"]}
    return InputRequiredResult(request_state=json.dumps(state))
server = Server("files", on_call_tool=call_tool)
"""
_ENCODED = """
import base64
import json
from mcp.server import ServerRequestContext
from mcp.types import CallToolRequestParams, CallToolResult, InputRequiredResult
def encode(state: dict) -> str:
    return base64.urlsafe_b64encode(json.dumps(state).encode()).decode()
async def call_tool(ctx: ServerRequestContext, params: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
    return InputRequiredResult(request_state=encode({"step": 1, "files": params.arguments["files"]}))
"""
_HELPER = """
from mcp.server.lowlevel import Server
from mcp.types import InputRequiredResult
from pydantic import BaseModel
class State(BaseModel):
    step: int
def ask(step: int) -> InputRequiredResult:
    return InputRequiredResult(request_state=State(step=step).model_dump_json())
async def call_tool(ctx, params):
    return ask(2)
server = Server("files", on_call_tool=call_tool)
"""
_RAW = """
import json
def ask(requests, step):
    return {"resultType": "input_required", "inputRequests": requests, "requestState": json.dumps({"step": step})}
"""
_BOUNDARY = """
import json
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.types import InputRequiredResult
async def call_tool(ctx, params):
    return InputRequiredResult(request_state=json.dumps({"files": params.arguments["files"]}))
server = Server("files", on_call_tool=call_tool)
server.middleware.append(RequestStateBoundary(RequestStateSecurity(keys=["k" * 32]), default_audience="files"))
"""
_HIGH = """
import json
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import InputRequiredResult
mcp = MCPServer("files")
@mcp.tool()
async def delete(files: list[str], ctx: Context) -> str | InputRequiredResult:
    return InputRequiredResult(request_state=json.dumps({"files": files}))
"""
_SEALED = """
import hashlib
import hmac
import json
from mcp.server.lowlevel import Server
from mcp.types import InputRequiredResult
KEY = b"from the environment"
def seal(state: dict) -> str:
    text = json.dumps(state)
    return text + "." + hmac.new(KEY, text.encode(), hashlib.sha256).hexdigest()
async def call_tool(ctx, params):
    return InputRequiredResult(request_state=seal({"files": params.arguments["files"], "exp": 1}))
server = Server("files", on_call_tool=call_tool)
"""
_REFERENCE = """
import secrets
from mcp.server.lowlevel import Server
from mcp.types import InputRequiredResult
PENDING = {}
async def call_tool(ctx, params):
    handle = secrets.token_urlsafe(16)
    PENDING[handle] = params
    if params.name == "restart":
        return InputRequiredResult(request_state="awaiting-confirm")
    return InputRequiredResult(request_state=handle)
server = Server("files", on_call_tool=call_tool)
"""
_MIDDLEWARE = """
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
async def ask(ctx: ServerRequestContext, call_next: CallNext) -> HandlerResult:
    result = await call_next(ctx)
    state = "again:" + str(result)
    return {"resultType": "input_required", "requestState": state}
"""


def check(view: FileView) -> Iterator[Finding]:
    """One finding for each state that a client could write itself."""
    for site in state_sites(view):
        if not site.exposed or not site.varies or site.is_sealed or site.is_handle or site.is_pickled:
            continue
        if site.is_encoded:
            yield view.finding(
                RULE, site.value, "the `requestState` is only encoded: a client can read it and write its own"
            )
        elif site.is_plain:
            yield view.finding(
                RULE,
                site.value,
                "the `requestState` is neither sealed nor signed: a client can write its own",
            )


RULE = Rule(
    code="MRTR405",
    name="unsealed-state",
    level=Level.WARNING,
    summary="A `requestState` is sent without protection.",
    what="Finds states that a low-level server, or one without an SDK, sends as JSON, text or base64: neither "
    "signed nor "
    "encrypted, and without the SDK's `RequestStateBoundary` around them. A fixed word is left alone, and so "
    "is a random "
    "reference.",
    why="The state comes back from the client, which may change it. One that names the step or the files lets "
    "a client skip "
    "the confirmation, or exchange what was confirmed. Base64 is an encoding, not a seal.",
    example='```python\nInputRequiredResult(request_state=json.dumps({"step": 2, "files": files}))\n```',
    remedy="Append `RequestStateBoundary(RequestStateSecurity(keys=[…]), default_audience=server.name)` to "
    "`server.middleware`; `MCPServer` and FastMCP have it by default. It seals, binds and expires the state.",
    reference=MRTR_SPEC,
    check=check,
    words=STATE_WORDS,
    valid=(_BOUNDARY, _HIGH, _SEALED, _REFERENCE, _MIDDLEWARE),
    invalid=(_PLAIN, _ENCODED, _HELPER, _RAW),
)
