"""What holds for the whole server, whichever tools it has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_types import INVALID_PARAMS, METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION

from mrtr_adapter.check.model import (
    ERROR_CODES,
    META,
    SUPPORTED_REQUESTS,
    TOOLS,
    VERSIONS,
    Check,
    Level,
    Status,
    Verdict,
)
from mrtr_adapter.check.subject import decided
from mrtr_adapter.check.wire import VERSION, Reply, Wire

DISCOVER = Check(
    "discover",
    "`server/discover` names the versions and capabilities of the server",
    Level.ERROR,
    VERSIONS,
    "Implement `server/discover`: it is how a client learns the versions that it can speak.",
)
UNKNOWN_VERSION = Check(
    "unknown-version",
    "A protocol version that the server does not speak is refused with -32022 and the ones that it does",
    Level.ERROR,
    VERSIONS,
    "Answer a version that you do not implement with -32022 and `data.supported`.",
)
ENVELOPE = Check(
    "envelope-required",
    "A request without its `_meta` is refused with -32602",
    Level.ERROR,
    META,
    "Refuse a request whose `_meta` lacks the protocol version or the client's capabilities: what a client did not "
    "declare must not be assumed.",
)
UNKNOWN_METHOD = Check(
    "unknown-method",
    "An unknown method is refused with -32601",
    Level.ERROR,
    ERROR_CODES,
    "Answer a method that you do not have with -32601.",
)
UNKNOWN_TOOL = Check(
    "unknown-tool",
    "A call of a tool that does not exist ends with an error and asks nothing",
    Level.ERROR,
    TOOLS,
    "Look the tool up before anything is asked, and answer with -32602 if there is none.",
)
OTHER_METHODS = Check(
    "other-methods-never-ask",
    "No list and no discovery ends with `input_required`, not even when it is sent answers and a state",
    Level.ERROR,
    SUPPORTED_REQUESTS,
    "Ask in `tools/call`, `prompts/get` and `resources/read` only; other requests ignore what they do not know.",
)
CHECKS = (DISCOVER, UNKNOWN_VERSION, ENVELOPE, UNKNOWN_METHOD, UNKNOWN_TOOL, OTHER_METHODS)

_NOBODY = "mrtr-check-no-such-tool"
_LISTS = {
    "tools": ("tools/list",),
    "prompts": ("prompts/list",),
    "resources": ("resources/list", "resources/templates/list"),
}


async def check_server(wire: Wire, discovered: Reply) -> list[Verdict]:
    """All of `CHECKS`. `discovered` is what `server/discover` has given."""
    return [
        _discover(discovered),
        await _unknown_version(wire),
        await _envelope(wire),
        await _unknown_method(wire),
        await _unknown_tool(wire, discovered),
        await _other_methods(wire, discovered),
    ]


def capabilities(discovered: Reply) -> Mapping[str, Any]:
    """What the server says it has; empty if it does not say."""
    found = (discovered.result or {}).get("capabilities")
    return found if isinstance(found, Mapping) else {}


def _discover(discovered: Reply) -> Verdict:
    result = discovered.result or {}
    versions = result.get("supportedVersions")
    knows = isinstance(versions, list) and VERSION in versions
    return decided(DISCOVER, discovered, passed=knows and isinstance(result.get("capabilities"), Mapping))


async def _unknown_version(wire: Wire) -> Verdict:
    reply = await wire.request("server/discover", protocol="1900-01-01")
    data = (reply.error or {}).get("data")
    named = isinstance(data, Mapping) and isinstance(data.get("supported"), list)
    passed = reply.code == UNSUPPORTED_PROTOCOL_VERSION and named
    return decided(UNKNOWN_VERSION, reply, passed=passed, note="sent as version 1900-01-01")


async def _envelope(wire: Wire) -> Verdict:
    if not wire.over_http:
        return Verdict(ENVELOPE, Status.SKIPPED, note="on stdio such a request is one of an older protocol")
    reply = await wire.request("tools/list", envelope=False)
    return decided(ENVELOPE, reply, passed=reply.code == INVALID_PARAMS, note="sent without `_meta`")


async def _unknown_method(wire: Wire) -> Verdict:
    reply = await wire.request("mrtr/check-no-such-method")
    return decided(UNKNOWN_METHOD, reply, passed=reply.code == METHOD_NOT_FOUND)


async def _unknown_tool(wire: Wire, discovered: Reply) -> Verdict:
    if "tools" not in capabilities(discovered):
        return Verdict(UNKNOWN_TOOL, Status.SKIPPED, note="the server has no tools")
    reply = await wire.request("tools/call", {"name": _NOBODY, "arguments": {}})
    return decided(UNKNOWN_TOOL, reply, passed=reply.error is not None or reply.tool_error)


async def _other_methods(wire: Wire, discovered: Reply) -> Verdict:
    """Each list plainly, and with the parameters of a retry, which mean nothing there."""
    retry = {"requestState": "mrtr-check", "inputResponses": {"mrtr-check": {"action": "accept"}}}
    reply = discovered
    for ability, methods in _LISTS.items():
        if ability not in capabilities(discovered):
            continue
        for method in methods:
            for params in ({}, retry):
                reply = await wire.request(method, params)
                if reply.asks:
                    return decided(OTHER_METHODS, reply, passed=False)
    return decided(OTHER_METHODS, reply, passed=not reply.asks)
