"""MRTR406: a `requestState` is a pickle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.state import STATE_WORDS, state_sites, unpickled_states
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import MRTR_SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_BOTH = """
import base64
import pickle
from mcp.server.lowlevel import Server
from mcp.types import InputRequiredResult
async def call_tool(ctx, params):
    if params.request_state:
        state = pickle.loads(base64.b64decode(params.request_state))
        return state
    return InputRequiredResult(request_state=base64.b64encode(pickle.dumps(params.arguments)).decode())
server = Server("files", on_call_tool=call_tool)
"""
_BEHIND_SEAL = """
import base64
from pickle import dumps
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import InputRequiredResult
mcp = MCPServer("files")
@mcp.tool()
async def delete(files: list[str], ctx: Context) -> str | InputRequiredResult:
    packed = dumps(files)
    return InputRequiredResult(request_state=base64.b64encode(packed).decode())
"""
_READ = """
import dill
def resume(message):
    token = message["params"].get("requestState")
    return dill.loads(bytes.fromhex(token))
"""
_JSON = """
import json
import pickle
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import InputRequiredResult
mcp = MCPServer("files")
CACHE = pickle.loads(b"...")
@mcp.tool()
async def delete(files: list[str], ctx: Context) -> str | InputRequiredResult:
    if ctx.request_state:
        return json.loads(ctx.request_state)["files"]
    return InputRequiredResult(request_state=json.dumps({"files": files}))
"""


def check(view: FileView) -> Iterator[Finding]:
    """One finding for each pickle that is sent, and each that is read."""
    for site in state_sites(view):
        if site.is_pickled:
            yield view.finding(
                RULE, site.value, "the `requestState` is a pickle: who writes it runs code here"
            )
    for call in unpickled_states(view):
        yield view.finding(RULE, call, "a `requestState` is unpickled: who wrote it runs code here")


RULE = Rule(
    code="MRTR406",
    name="pickled-state",
    level=Level.ERROR,
    summary="A `requestState` is a pickle.",
    what="Finds states that are made by, or read with, `pickle`, `dill`, `cloudpickle`, `marshal`, `jsonpickle` or "
    "`joblib`.",
    why="Unpickling runs what the pickle says. The state comes from the client; without a seal any client can run "
    "code on the server, and with one, anybody who learns the key.",
    example="```python\nstate = pickle.loads(base64.b64decode(params.request_state))\n```",
    remedy="Carry inert data: JSON, validated by a strict pydantic model after the seal was checked.",
    reference=MRTR_SPEC,
    check=check,
    words=STATE_WORDS,
    valid=(_JSON,),
    invalid=(_BOTH, _BEHIND_SEAL, _READ),
)
