"""What `adapt()` does to a server, and what it leaves as it is."""

from __future__ import annotations

from typing import Any

import pytest
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError

from adapter.rounds import KEY, YES, always, call, play_tool
from adapter.servers import Ok
from mrtr_adapter import adapt
from mrtr_adapter.binding.middleware import ReplayMiddleware
from mrtr_adapter.sealing.seal import SealCodec

pytestmark = pytest.mark.anyio

OTHER = "other-key-" + "o" * 40


async def ask(ctx: Context) -> str:
    return (await ctx.elicit("Sure?", Ok)).action


def fresh(**options: Any) -> MCPServer:
    server = MCPServer("test", **options)
    server.add_tool(ask, name="tool")
    return server


def names(server: Any) -> list[str]:
    return [type(entry).__name__ for entry in server.middleware]


def boundary(server: Any) -> RequestStateBoundary:
    (found,) = (entry for entry in server.middleware if isinstance(entry, RequestStateBoundary))
    return found


async def test_it_returns_the_server_and_stands_right_behind_the_boundary() -> None:
    server = fresh()

    async def owners(ctx: Any, call_next: Any) -> Any:
        return await call_next(ctx)

    server.middleware.append(owners)
    assert adapt(server, keys=[KEY]) is server
    assert names(server) == [
        "OpenTelemetryMiddleware",
        "TellingBoundary",
        "ReplayMiddleware",
        "function",
    ]


async def test_handlers_may_be_registered_before_or_after() -> None:
    server = adapt(MCPServer("test"), keys=[KEY])
    server.add_tool(ask, name="tool")
    assert (await call(server, "tool"))["resultType"] == "input_required"


async def test_twice_is_as_good_as_once() -> None:
    def make() -> MCPServer:
        return adapt(adapt(fresh(), keys=[KEY], max_rounds=3))

    server = make()
    assert names(server).count("ReplayMiddleware") == 1
    (replaying,) = (entry for entry in server.middleware if isinstance(entry, ReplayMiddleware))
    assert replaying.terms.max_rounds == 3
    assert isinstance(boundary(server)._security.codec, SealCodec)
    assert (await play_tool(make, "tool", always(YES))).text == "accept"


async def test_a_second_time_changes_what_it_is_given_and_nothing_else() -> None:
    server = adapt(fresh(), keys=[KEY], ttl=50, max_rounds=3)
    adapt(server, max_rounds=5)
    (replaying,) = (entry for entry in server.middleware if isinstance(entry, ReplayMiddleware))
    assert (replaying.terms.max_rounds, boundary(server)._security.ttl) == (5, 50)


async def test_a_low_level_server_gets_a_boundary() -> None:
    server: Server[Any] = adapt(Server("low"), keys=[KEY])
    assert names(server) == ["OpenTelemetryMiddleware", "TellingBoundary", "ReplayMiddleware"]
    assert boundary(server)._audience == "low"


async def test_a_server_without_middleware_is_adapted_too() -> None:
    bare: Server[Any] = Server("low")
    bare.middleware.clear()
    assert names(adapt(bare, keys=[KEY])) == ["TellingBoundary", "ReplayMiddleware"]


@pytest.mark.parametrize(
    "policy",
    [
        {"keys": [OTHER], "ttl": 30},
        {"keys": [OTHER, KEY]},
        {"keys": [OTHER], "audience": "desk"},
        {"keys": [OTHER], "bind_principal": None},
        {"codec": SealCodec([OTHER], max_state_bytes=4096), "ttl": 31},
    ],
)
async def test_a_policy_of_the_owners_is_kept(policy: dict[str, Any]) -> None:
    security = RequestStateSecurity(**policy)
    server = adapt(fresh(request_state_security=security))
    kept = boundary(server)._security
    assert (kept.codec, kept.ttl, kept.audience) == (security.codec, security.ttl, security.audience)
    assert kept.bind_principal is security.bind_principal


async def test_keys_beside_a_policy_of_the_owners_are_a_clear_error() -> None:
    security = RequestStateSecurity(keys=[OTHER], ttl=30)
    with pytest.raises(ValueError, match="has a request_state_security= of its own"):
        adapt(fresh(request_state_security=security), keys=[KEY])


async def test_a_policy_that_adapt_changed_is_not_taken_for_the_owners() -> None:
    server = adapt(adapt(fresh(), ttl=50), keys=[KEY])
    assert isinstance(boundary(server)._security.codec, SealCodec)
    assert boundary(server)._security.ttl == 50


async def test_a_nameless_server_with_keys_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    adapt(MCPServer(), keys=[KEY], audience="desk")
    assert "has no name" not in caplog.text
    adapt(MCPServer(), keys=[KEY])
    assert "this server has no name" in caplog.text


async def test_keys_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MRTR_KEYS", f"{OTHER},{KEY}")
    first = await call(adapt(fresh()), "tool")
    monkeypatch.setenv("MRTR_KEYS", f"{KEY} {OTHER}")
    retry = {"state": first["requestState"], "responses": {"answer": YES}}
    assert (await call(adapt(fresh()), "tool", **retry))["content"][0]["text"] == "accept"


async def test_keys_rotate_without_losing_a_flow() -> None:
    old, new = [OTHER], [KEY]
    sealed = {
        phase: (await call(adapt(fresh(), keys=ring), "tool"))["requestState"]
        for phase, ring in {"old": old, "both": old + new, "new first": new + old}.items()
    }
    for ring in (old + new, new + old):
        for state in sealed.values():
            result = await call(adapt(fresh(), keys=ring), "tool", state=state, responses={"answer": YES})
            assert result["resultType"] == "complete"
    with pytest.raises(MCPError):
        await call(adapt(fresh(), keys=new), "tool", state=sealed["old"], responses={"answer": YES})


async def test_the_audience_keeps_services_apart() -> None:
    state = (await call(adapt(fresh(), keys=[KEY], audience="a"), "tool"))["requestState"]
    with pytest.raises(MCPError):
        await call(adapt(fresh(), keys=[KEY], audience="b"), "tool", state=state, responses={"answer": YES})


async def test_the_principal_keeps_users_apart() -> None:
    def make(user: str) -> MCPServer:
        return adapt(fresh(), keys=[KEY], bind_principal=lambda ctx: user)

    state = (await call(make("ada"), "tool"))["requestState"]
    retry = {"state": state, "responses": {"answer": YES}}
    with pytest.raises(MCPError):
        await call(make("eve"), "tool", **retry)
    assert (await call(make("ada"), "tool", **retry))["resultType"] == "complete"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"keys": []}, "no key"),
        ({"keys": ["short"]}, "key 1 has 5 bytes, 32 are needed; make one with `mrtr keygen`"),
        ({"keys": [KEY, KEY]}, "key 2 is in the ring already"),
        ({"max_rounds": 0}, "max_rounds is at least 1"),
        ({"max_state_bytes": 10}, "max_state_bytes is at least 1024"),
        ({"lifetime": 0}, "lifetime is a positive number of seconds"),
        ({"lifetime": float("inf")}, "lifetime is a positive number of seconds"),
        ({"ttl": -1}, "ttl must be a positive finite number"),
        ({"on_missing_capability": "ignore"}, "on_missing_capability is 'refuse' or 'raise'"),
    ],
)
async def test_an_option_that_makes_no_sense_is_a_clear_error(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        adapt(fresh(), **{"keys": [KEY], **options})


async def test_what_is_no_server_is_a_clear_error() -> None:
    with pytest.raises(TypeError, match=r"takes an MCPServer or a low-level Server .*, not builtins\.dict"):
        adapt({})


async def test_the_owners_middleware_runs_under_replay_and_sees_plaintext() -> None:
    seen: list[Any] = []

    def make() -> MCPServer:
        server = adapt(fresh(), keys=[KEY])

        async def owners(ctx: Any, call_next: Any) -> Any:
            seen.append(sorted(ctx.params))
            return await call_next(ctx)

        server.middleware.append(owners)
        return server

    assert (await play_tool(make, "tool", always(YES))).text == "accept"
    assert seen == [["_meta", "arguments", "name"]] * 2
