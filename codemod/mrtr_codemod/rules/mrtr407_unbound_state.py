"""MRTR407: a `requestState` sealed by hand is bound to nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.state import STATE_WORDS, state_sites
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import MRTR_SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_SEAL = """
import hashlib
import hmac
import json
import time
from mcp.server.lowlevel import Server
from mcp.types import InputRequiredResult
KEY = b"from the environment"
def seal(payload: dict) -> str:
    text = json.dumps(payload)
    return text + "." + hmac.new(KEY, text.encode(), hashlib.sha256).hexdigest()
"""
_UNBOUND = (
    _SEAL
    + """
async def call_tool(ctx, params):
    count = len(params.arguments)
    return InputRequiredResult(request_state=seal({"step": 1, "exp": time.time() + 600}))
server = Server("files", on_call_tool=call_tool)
"""
)
_FERNET = """
from cryptography.fernet import Fernet
BOX = Fernet(b"from the environment")
def ask(requests, step):
    state = BOX.encrypt(str(step + 1).encode()).decode()
    return {"resultType": "input_required", "inputRequests": requests, "requestState": state}
"""
_BOUND = (
    _SEAL
    + """
async def call_tool(ctx, params):
    payload = {"step": 1, "sub": "user-1", "tool": params.name, "exp": time.time() + 600}
    return InputRequiredResult(request_state=seal(payload))
server = Server("files", on_call_tool=call_tool)
"""
)
_BOUNDARY = (
    _SEAL
    + """
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
async def call_tool(ctx, params):
    return InputRequiredResult(request_state=seal({"step": 1}))
server = Server("files", on_call_tool=call_tool)
server.middleware.append(RequestStateBoundary(RequestStateSecurity(keys=["k" * 32]), default_audience="files"))
"""
)
_HANDED_IN = """
import base64
import hashlib
import hmac
import json
KEY = b"from the environment"
def input_required(requests: dict, payload: dict) -> dict:
    return {"resultType": "input_required", "inputRequests": requests, "requestState": signed(payload)}
def signed(payload: dict) -> str:
    raw = json.dumps(payload).encode()
    return raw.hex() + "." + hmac.new(KEY, raw, hashlib.sha256).hexdigest()
"""
_ELSEWHERE = """
from mcp.server.lowlevel import Server
from mcp.types import InputRequiredResult
from company_seals import seal
async def call_tool(ctx, params):
    return InputRequiredResult(request_state=seal({"step": 1}))
server = Server("files", on_call_tool=call_tool)
"""


def check(view: FileView) -> Iterator[Finding]:
    """One finding for each state that fits any call of any user."""
    for site in state_sites(view):
        if site.exposed and site.seal_is_seen and not site.is_handle and not site.is_bound:
            yield view.finding(
                RULE,
                site.value,
                "the sealed `requestState` names neither the caller nor the call it belongs to",
            )


RULE = Rule(
    code="MRTR407",
    name="unbound-state",
    level=Level.WARNING,
    summary="A `requestState` sealed by hand is bound to no caller and no call.",
    what="Finds states that a low-level server, or one without an SDK, signs or encrypts itself, when nothing that "
    "takes part in making them speaks of a user, a client, the tool or its arguments.",
    why="A valid seal says that the server made the state, not for whom. One user's state, found in a log, resumes "
    "another user's call; a state confirmed for one file resumes a call for another.",
    example="```python\nInputRequiredResult(request_state=fernet.encrypt(b'{\"step\": 2}').decode())\n```",
    remedy="Let the SDK's `RequestStateBoundary` do it: it binds method, name, arguments, audience and principal. Or "
    "put the principal and a digest of the arguments under the seal, and compare both when it comes back.",
    reference=MRTR_SPEC,
    check=check,
    words=STATE_WORDS,
    valid=(_BOUND, _BOUNDARY, _HANDED_IN, _ELSEWHERE),
    invalid=(_UNBOUND, _FERNET),
)
