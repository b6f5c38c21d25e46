"""MRTR408: a `requestState` sealed by hand never expires."""

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
_FOREVER = (
    _SEAL
    + """
async def call_tool(ctx, params):
    return InputRequiredResult(request_state=seal({"step": 1, "sub": "user-1"}))
server = Server("files", on_call_tool=call_tool)
"""
)
_SIGNED = """
import jwt
def ask(requests, user):
    state = jwt.encode({"sub": user, "step": 1}, "key", algorithm="HS256")
    return {"resultType": "input_required", "inputRequests": requests, "requestState": state}
"""
_EXPIRES = (
    _SEAL
    + """
async def call_tool(ctx, params):
    return InputRequiredResult(request_state=seal({"step": 1, "expires_at": time.time() + 600}))
server = Server("files", on_call_tool=call_tool)
"""
)
_CHECKED_LATER = {
    "state.py": """
import hashlib
import hmac
import json
KEY = b"from the environment"
def seal(payload: dict) -> str:
    raw = json.dumps(payload).encode()
    return raw.hex() + "." + hmac.new(KEY, raw, hashlib.sha256).hexdigest()
def unseal(token: str, now: float) -> dict:
    payload = json.loads(bytes.fromhex(token.partition(".")[0]))
    if payload["exp"] < now:
        raise ValueError("too old")
    return payload
""",
    "server.py": """
from state import seal
def ask(requests, payload):
    return {"resultType": "input_required", "inputRequests": requests, "requestState": seal(payload)}
""",
}
_READ_WITH_AGE = """
from itsdangerous import URLSafeTimedSerializer
BOX = URLSafeTimedSerializer("from the environment")
def ask(requests, user):
    return {"resultType": "input_required", "inputRequests": requests, "requestState": BOX.dumps({"sub": user})}
def resume(message):
    return BOX.loads(message["params"]["requestState"], max_age=600)
"""


def check(view: FileView) -> Iterator[Finding]:
    """One finding for each state that is good for ever."""
    for site in state_sites(view):
        if site.exposed and site.seal_is_seen and not site.is_handle and not site.expires:
            yield view.finding(
                RULE, site.value, "the sealed `requestState` is good for ever: nothing says when it ends"
            )


RULE = Rule(
    code="MRTR408",
    name="unexpiring-state",
    level=Level.WARNING,
    summary="A `requestState` sealed by hand never expires.",
    what="Finds states that a low-level server, or one without an SDK, signs or encrypts itself, when nothing in "
    "the files that make them speaks of an expiry, an age or a time to live.",
    why="Without an end, a state found in a log resumes the call long after the data, the user's rights or the "
    "consent behind it have changed.",
    example='```python\njwt.encode({"step": 2, "sub": user}, key)  # no exp\n```',
    remedy="Let the SDK's `RequestStateBoundary` do it (`ttl=600`), or put an expiry under the seal and refuse what "
    "is past it.",
    reference=MRTR_SPEC,
    check=check,
    words=STATE_WORDS,
    valid=(_EXPIRES, _CHECKED_LATER, _READ_WITH_AGE),
    invalid=(_FOREVER, _SIGNED),
)
