"""`adapt(server)`: the one line that an owner adds."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeVar

from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp.server.request_state import (
    AESGCMRequestStateCodec,
    RequestStateBoundary,
    RequestStateSecurity,
    authenticated_principal,
)

from mrtr_adapter.binding import versions
from mrtr_adapter.binding.boundary import RestartingBoundary, TellingBoundary
from mrtr_adapter.binding.legacy import serve_steps
from mrtr_adapter.binding.middleware import Context, FindHandler, ReplayMiddleware
from mrtr_adapter.binding.named import NameCheck
from mrtr_adapter.binding.options import checked, chosen_effects
from mrtr_adapter.custody.custody import Custody, SingleUse
from mrtr_adapter.custody.vault import store_codec
from mrtr_adapter.engine import entropy, watch
from mrtr_adapter.engine.terms import Terms
from mrtr_adapter.fastmcp import is_fastmcp
from mrtr_adapter.sealing.keys import configured_keys
from mrtr_adapter.sealing.seal import SealCodec
from mrtr_adapter.stores import Store, open_store

logger = logging.getLogger("mrtr")

ServerT = TypeVar("ServerT")
BindPrincipal = Callable[[Context], "str | None"]
OnEffect = Literal["warn", "refuse", "ignore"] | Mapping[str, Literal["warn", "refuse", "ignore"]]
_DEFAULT_TTL = 600.0
_NAMELESS = "mcp-server"
"""What MCPServer calls itself when nobody names it."""


class _AdaptedPolicy(RequestStateSecurity):
    """A policy that `adapt()` has put in place. `owners` tells that its codec is the owner's own."""

    owners: bool = False


def adapt(
    server: ServerT,
    *,
    keys: Sequence[str | bytes] | None = None,
    ttl: float | None = None,
    lifetime: float | None = None,
    max_rounds: int | None = None,
    max_state_bytes: int | None = None,
    max_entries: int | None = None,
    audience: str | None = None,
    bind_principal: BindPrincipal | None = None,
    on_missing_capability: Literal["refuse", "raise"] | None = None,
    record: bool | None = None,
    on_effect: OnEffect | None = None,
    on_invalid_state: Literal["error", "restart"] | None = None,
    on_changed_handler: Literal["continue", "restart"] | None = None,
    store: Store | str | None = None,
    single_use: SingleUse | None = None,
    reference_above_bytes: int | None = None,
    compress: bool | None = None,
) -> ServerT:
    """Let the await-style handlers of a server run on protocol 2026-07-28, as they are.

    Handlers may be registered before or after. Clients on older protocols are served as before. Called again, it
    changes what it is given and nothing else.

    Args:
        server: an `mcp` >= 2 `MCPServer` or low-level `Server`, or a `fastmcp` >= 4 `FastMCP`.
        keys: the ring that seals `requestState`; the first one seals, each of them opens. All instances of a server
            need the same. Without it `MRTR_KEYS` is used, and without that the server's own policy stays, which by
            default is a key that this process alone has.
        ttl: how long a client may take to answer one round, in seconds (600).
        lifetime: how long a whole flow may take, in seconds (3600).
        max_rounds: how many rounds of questions one call may take (8; clients give up at 10).
        max_state_bytes: how large a flow's journal may grow, in bytes before sealing (65536).
        max_entries: how many answers, recordings and readings of the clock a flow may carry (256).
        audience: names the service that the state is for (the server's name).
        bind_principal: who a request comes from; a state is good for the same principal only (the authenticated
            client, issuer and subject).
        on_missing_capability: what happens when a handler asks what the client did not declare: `refuse` ends the
            call with -32021 whatever the handler catches; `raise` raises that error into the handler (`refuse`).
        record: whether `uuid4()`, `secrets` and `random` repeat their draws, and `now()` its readings, when a
            handler is replayed (yes).
        on_effect: what happens when a handler changes something above its question, which each replay repeats: `warn`
            once for each handler, `refuse` the call, or `ignore` it; or a map from tool to one of these, with `*` for
            the others (`warn`). The log tells a name that nothing has, once a client lists the tools.
        on_invalid_state: what a state that fails a check gets: `error`, or `restart`, a fresh first round.
        on_changed_handler: what a handler whose code has changed since the last round does: `continue` with the
            answers that still fit its questions, or `restart` with none (`continue`).
        store: keeps what is to happen once beyond the life of a process: a `Store`, or the URL of one, such as
            `sqlite:///FILE` or `redis://HOST:PORT/DB` (none).
        single_use: whose states are redeemed once only: all (True), none (False), of tools annotated `destructive`,
            or of these names. Without a store the memory of this process has to do (`destructive`). The log tells a
            name that nothing has, once a client lists the tools.
        reference_above_bytes: a larger journal goes to the store, and the state carries a handle to it (never).
        compress: whether state is compressed before it is sealed. Its length then tells how much the answers in it
            resemble one another, and a client that chooses some of them can so guess the others (no).

    Returns:
        The same server.

    Raises:
        TypeError: it is not a server that can be adapted.
        UnsupportedVersion: the installed mcp or fastmcp is none that this works with.
        ValueError: an option that makes no sense, a bad key, no such store, or keys for a server whose owner gave it
            a policy of its own (`request_state_security=`), which is kept.
    """
    low, find_handler = _binding(server)
    replaying = next((entry for entry in low.middleware if isinstance(entry, ReplayMiddleware)), None)
    before = replaying.terms if replaying else Terms()
    given: dict[str, Any] = {
        "lifetime": lifetime,
        "max_rounds": max_rounds,
        "max_state_bytes": max_state_bytes,
        "max_entries": max_entries,
        "on_missing_capability": on_missing_capability,
        "record": record,
        "on_effect": None if on_effect is None else chosen_effects(on_effect),
        "on_invalid_state": on_invalid_state,
        "on_changed_handler": on_changed_handler,
    }
    terms = checked(replace(before, **{name: value for name, value in given.items() if value is not None}))
    ring = keys if keys is not None else configured_keys()
    opened = open_store(store) if isinstance(store, str) else store
    boundary = _seal(low, ring, keys is not None, ttl, audience, bind_principal, terms, compress)
    custody = replaying.custody if replaying else Custody(low)
    custody.use(store_codec(boundary._security.codec), opened, single_use, reference_above_bytes)
    if replaying is not None:
        replaying.terms = terms
    else:
        replaying = _install(low, boundary, find_handler, terms, custody)
    replaying.names = replaying.names or NameCheck(low)
    return server


def adapt_like(server: object, other: Server[Any]) -> None:
    """Adapt a server on the terms of another one that is adapted, and with its seal. An owner's own seal is kept.

    Nothing happens to a server that is adapted already.
    """
    low, find_handler = _binding(server)
    if any(isinstance(entry, ReplayMiddleware) for entry in low.middleware):
        return
    like = next(entry for entry in other.middleware if isinstance(entry, ReplayMiddleware))
    own, seal = _boundary(low), _boundary(other)
    assert seal is not None
    boundary = (
        own if own is not None and _is_owners(own._security) else _placed(low, seal._security, like.terms)
    )
    _install(low, boundary, find_handler, like.terms, like.custody.also_of(low))


def _boundary(low: Server[Any]) -> RequestStateBoundary | None:
    return next((entry for entry in low.middleware if isinstance(entry, RequestStateBoundary)), None)


def _install(
    low: Server[Any],
    boundary: RequestStateBoundary,
    find_handler: FindHandler,
    terms: Terms,
    custody: Custody,
) -> ReplayMiddleware:
    entropy.install()
    watch.install()
    replaying = ReplayMiddleware(low, find_handler, terms, custody)
    low.middleware.insert(low.middleware.index(boundary) + 1, replaying)
    serve_steps(low, max_rounds=terms.max_rounds)
    return replaying


def _binding(server: object) -> tuple[Server[Any], FindHandler]:
    versions.require("mcp")
    if is_fastmcp(server):
        from mrtr_adapter.fastmcp.binding import bind

        return bind(server, adapt_like)
    if isinstance(server, MCPServer):
        return server._lowlevel_server, _mcpserver_handlers(server)
    if isinstance(server, Server):
        return server, _lowlevel_handlers(server)
    raise TypeError(
        "adapt() takes an MCPServer or a low-level Server of mcp >= 2, or a FastMCP of fastmcp >= 4, "
        f"not {type(server).__module__}.{type(server).__qualname__}"
    )


def _mcpserver_handlers(server: MCPServer[Any]) -> FindHandler:
    def find(method: str, params: Mapping[str, Any]) -> Callable[..., Any] | None:
        name = params.get("name", "")
        if method == "tools/call":
            tool = server._tool_manager.get_tool(name)
            return tool.fn if tool else None
        if method == "prompts/get":
            prompt = server._prompt_manager.get_prompt(name)
            return prompt.fn if prompt else None
        return None

    return find


def _lowlevel_handlers(server: Server[Any]) -> FindHandler:
    def find(method: str, params: Mapping[str, Any]) -> Callable[..., Any] | None:
        entry = server.get_request_handler(method)
        return entry.handler if entry else None

    return find


def _seal(
    low: Server[Any],
    ring: Sequence[str | bytes] | None,
    explicit: bool,
    ttl: float | None,
    audience: str | None,
    bind_principal: BindPrincipal | None,
    terms: Terms,
    compress: bool | None,
) -> RequestStateBoundary:
    """The server's boundary, with our codec and what else is asked for. An owner's own policy is kept."""
    found = _boundary(low)
    policy = found._security if found else RequestStateSecurity.ephemeral()
    owners = _is_owners(policy)
    if owners:
        if explicit:
            raise ValueError(
                f"{low.name} has a request_state_security= of its own, which is kept: "
                "give the keys there, not to adapt()"
            )
        ring = None
    codec = policy.codec if ring is None else SealCodec(ring, max_state_bytes=terms.max_state_bytes)
    if compress is not None:
        if not isinstance(codec, SealCodec):
            raise ValueError("compress needs keys that were given to adapt() or in MRTR_KEYS")
        codec = codec.compressing(compress)
    named = policy.audience if audience is None else audience
    if ring is not None and named is None and low.name == _NAMELESS:
        logger.warning(
            "this server has no name, so it takes the state of any other nameless server with the same keys: name it, "
            "or give adapt() an audience"
        )
    adapted = _AdaptedPolicy(
        codec=codec,
        ttl=policy.ttl if ttl is None else ttl,
        bind_principal=policy.bind_principal if bind_principal is None else bind_principal,
        audience=named,
    )
    adapted.owners = owners
    return _placed(low, adapted, terms)


def _placed(low: Server[Any], policy: RequestStateSecurity, terms: Terms) -> RequestStateBoundary:
    """A boundary with this policy, in the place of the server's own."""
    found = _boundary(low)
    kind = RestartingBoundary if terms.on_invalid_state == "restart" else TellingBoundary
    boundary = kind(policy, default_audience=found._audience if found else low.name)
    if found is None:
        # Behind OpenTelemetry and before all else, as MCPServer has it.
        low.middleware.insert(min(1, len(low.middleware)), boundary)
    else:
        low.middleware[low.middleware.index(found)] = boundary
    return boundary


def _is_owners(policy: RequestStateSecurity) -> bool:
    """Whether somebody chose this policy. One that looks just like the default can't be told from it."""
    if isinstance(policy, _AdaptedPolicy):
        return policy.owners
    if isinstance(policy.codec, SealCodec):
        return True
    return not (
        type(policy.codec) is AESGCMRequestStateCodec
        and len(policy.codec._ring) == 1
        and policy.ttl == _DEFAULT_TTL
        and policy.audience is None
        and policy.bind_principal is authenticated_principal
    )
