"""The server's side of MRTR: wire → boundary → **here** → handler, and back.

Stands right behind the SDK's `RequestStateBoundary`, so the state that it reads and writes is plaintext which the
boundary has verified, and seals (expiry, method, target, arguments, audience and principal).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, SERVER_INFO_META_KEY, InputRequiredResult
from mcp_types.methods import INPUT_REQUIRED_METHODS, is_input_required, serialize_server_result
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, ValidationError

from mrtr_adapter.binding.boundary import without_state
from mrtr_adapter.binding.fingerprint import fingerprint
from mrtr_adapter.binding.named import NameCheck
from mrtr_adapter.binding.urls import open_urls
from mrtr_adapter.custody.custody import Custody
from mrtr_adapter.engine import replay
from mrtr_adapter.engine.answers import keepable
from mrtr_adapter.engine.commits import Commits, pending
from mrtr_adapter.engine.flows import Flow, Round
from mrtr_adapter.engine.journal import Inner, Journal, is_ours, redeem
from mrtr_adapter.engine.session import AskingSession, ClosedSession
from mrtr_adapter.engine.suspension import (
    InvalidState,
    StateLost,
    frozen_state_error,
    malformed_answer,
    state_lost,
)
from mrtr_adapter.engine.terms import Terms
from mrtr_adapter.telemetry import refusals, rounds, spans

logger = logging.getLogger("mrtr")

Context = ServerRequestContext[Any, Any]
FindHandler = Callable[[str, Mapping[str, Any]], Callable[..., Any] | None]
"""The function that serves a request: `(method, params) -> handler`."""


class ReplayMiddleware:
    """Runs the handlers of one server under flows, on 2026-07-28. Older sessions pass through untouched."""

    def __init__(
        self, server: Server[Any], find_handler: FindHandler, terms: Terms, custody: Custody
    ) -> None:
        self.server = server
        self.find_handler = find_handler
        self.terms = terms
        self.custody = custody
        self.names: NameCheck | None = None
        """Of the server whose owner has named something. One behind it has names of its own."""

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        if ctx.method == "tools/list" and self.names is not None:
            named = {"single_use": self.custody.named, "on_effect": tuple(self.terms.on_effect.named)}
            await self.names.check(ctx, named)
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            commits = ctx.method in INPUT_REQUIRED_METHODS
            return await (_committing(call_next, ctx) if commits else call_next(ctx))
        if ctx.method not in INPUT_REQUIRED_METHODS:
            return await call_next(_as_seen(ctx, session=ClosedSession(ctx.session, ctx.method)))
        params = dict(ctx.params or {})
        try:
            state = params.get("requestState")
            journal = await self._journal(ctx.method, params, state) if is_ours(state) else None
            flow = self._flow(ctx, params, journal)
            inner = _as_seen(ctx, session=AskingSession(ctx.session, flow), params=params)
            if journal is None:
                return await self._serve(inner, flow, call_next)
            return await self.custody.redeem(journal, flow, partial(self._serve, inner, flow, call_next))
        except InvalidState as reason:
            refusals.by_journal(ctx.method, reason)
            logger.warning("requestState rejected on %s: %s", ctx.method, reason)
            if self.terms.on_invalid_state == "restart":
                return await self(_as_seen(ctx, params=without_state(ctx.params)), call_next)
            raise (state_lost() if isinstance(reason, StateLost) else frozen_state_error()) from None

    async def _serve(self, ctx: Context, flow: Flow, call_next: CallNext) -> HandlerResult:
        """Run one round, and tell of it."""
        if flow.memory.before is not None:
            rounds.resumed(flow)
        try:
            result = await self._round(ctx, flow, call_next)
        except Exception as error:
            rounds.failed(flow, error)
            raise
        rounds.ended(flow, result)
        return result

    async def _round(self, ctx: Context, flow: Flow, call_next: CallNext) -> HandlerResult:
        outcome: HandlerResult | Round
        try:
            outcome = await replay.run(flow, partial(call_next, ctx))
        except MCPError as error:
            if flow.halt.called or not open_urls(flow, error):
                raise
            outcome = await replay.ended(flow)
        if isinstance(outcome, Round):
            return self._interim(ctx, outcome.requests, await self.custody.keep(ctx, flow, outcome.state))
        if is_input_required(outcome):
            return await self._carried(ctx, flow, outcome)
        flow.commits = flow.commits or Commits()
        await flow.commits.complete(outcome)
        return outcome

    async def _journal(self, method: str, params: dict[str, Any], state: str) -> Journal:
        """The journal of the round before.

        Raises:
            InvalidState: it can't be resumed.
            MCPError: it lies in a store that can't be used.
        """
        journal = redeem(await self.custody.plaintext(state, method))
        if journal.handler == self._fingerprint(method, params):
            return journal
        restarts = self.terms.on_changed_handler == "restart"
        logger.info(
            "flow %s: %s has changed since this state was sealed; %s",
            journal.flow,
            method,
            "beginning anew" if restarts else "replaying",
        )
        return journal.restarted() if restarts else journal

    def _flow(self, ctx: Context, params: dict[str, Any], journal: Journal | None) -> Flow:
        """The flow of this round. Leaves in `params` what the handler is to see of it."""
        state, responses = params.get("requestState"), params.get("inputResponses")
        if journal is not None:
            responses = _shaped(responses, journal)
        flow = Flow(
            ctx.method,
            str(params.get("name") or params.get("uri")),
            self.terms,
            partial(_declared, ctx),
            journal,
            responses,
            partial(self._fingerprint, ctx.method, params),
            self.custody.vault,
            spans.here,
        )
        if journal is not None:
            _give_inner(flow, params, responses or {})
        elif state is not None or responses is not None:
            flow.memory.inner = Inner(
                state=state, responses=responses if isinstance(responses, dict) else None
            )
        arguments = params.get("arguments")
        if arguments:
            params["arguments"] = _fresh(arguments)
        return flow

    def _fingerprint(self, method: str, params: Mapping[str, Any]) -> str:
        return fingerprint(self.find_handler(method, params))

    async def _carried(
        self, ctx: Context, flow: Flow, result: InputRequiredResult | dict[str, Any]
    ) -> HandlerResult:
        """A handler in step form keeps its own state; where our flow has one as well, it rides inside ours."""
        wire = (
            result.model_dump(by_alias=True, mode="json", exclude_none=True)
            if isinstance(result, BaseModel)
            else result
        )
        state = wire.get("requestState")
        if not (flow.memory.before or is_ours(state) or await self.custody.is_single(ctx, flow)):
            return result
        return {**wire, "requestState": await self.custody.keep(ctx, flow, flow.carry(state))}

    def _interim(self, ctx: Context, requests: dict[str, dict[str, Any]], state: str) -> dict[str, Any]:
        """The `InputRequiredResult` of a round, in the form that the SDK gives to a handler's own."""
        result: dict[str, Any] = {"resultType": "input_required", "requestState": state}
        if requests:
            result["inputRequests"] = requests
        try:
            result = serialize_server_result(ctx.method, ctx.protocol_version, result)
        except ValidationError as error:
            logger.error("%s asks what 2026-07-28 can't carry: %s", ctx.method, _broken(error))
            raise MCPError(
                INTERNAL_ERROR, "The server asked a question that the protocol can't carry"
            ) from None
        return {**result, "_meta": {SERVER_INFO_META_KEY: self.server.server_info_stamp}}


def _broken(error: ValidationError) -> str:
    """Where a message breaks the schema, and how, without what stands there."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{'.'.join(map(str, lack['loc']))} ({lack['type']})" for lack in found[:5])


def _as_seen(ctx: Context, **changes: Any) -> Context:
    """`dataclasses.replace`, without another run of the constructor: every call comes through here."""
    seen = object.__new__(type(ctx))
    seen.__dict__.update(ctx.__dict__, **changes)
    return seen


async def _committing(call_next: CallNext, ctx: Context) -> HandlerResult:
    """A call on an older protocol: one run, and then what `on_commit` was given."""
    commits = Commits()
    token = pending.set(commits)
    try:
        result = await call_next(ctx)
    finally:
        pending.reset(token)
    await commits.complete(result)
    return result


def _give_inner(flow: Flow, params: dict[str, Any], responses: Mapping[str, Any]) -> None:
    """Show the handler its own round, if it has one, and nothing of ours."""
    del params["requestState"]
    params.pop("inputResponses", None)
    inner = flow.memory.inner
    if inner is None:
        return
    if inner.open:
        inner = flow.memory.inner = Inner(state=inner.state, responses=dict(responses))
    if inner.state is not None:
        params["requestState"] = inner.state
    if inner.responses is not None:
        params["inputResponses"] = _fresh(inner.responses)


def _shaped(responses: Any, journal: Journal) -> dict[str, Any]:
    """`inputResponses` as a map of objects; keys that nobody asked for are left out unless a handler may want them."""
    if responses is None:
        return {}
    if not isinstance(responses, dict):
        raise MCPError(INVALID_PARAMS, "inputResponses is not an object")
    for key in journal.asked.keys() & responses.keys():
        if not isinstance(responses[key], dict):
            raise malformed_answer(key, "an object")
        if not keepable(responses[key]):
            raise malformed_answer(
                key, "an answer that can be kept: it is nested too deeply, or too long a number"
            )
    wanted = journal.inner is not None and journal.inner.open
    return {key: answer for key, answer in responses.items() if wanted or key in journal.asked}


def _declared(ctx: Context) -> dict[str, Any]:
    declared = ctx.session.client_capabilities
    return declared.model_dump(by_alias=True, mode="json", exclude_none=True) if declared else {}


def _fresh(value: Any) -> Any:
    """A copy of JSON that a handler may edit, without touching what the seal is bound to.

    Level by level: a client chooses how deep it is, and the stack is not to end there.
    """
    if not isinstance(value, _CONTAINERS):
        return value
    whole = value.copy()
    copied = [whole]
    while copied:
        container = copied.pop()
        for key, item in container.items() if isinstance(container, dict) else enumerate(container):
            if isinstance(item, _CONTAINERS):
                container[key] = item.copy()
                copied.append(container[key])
    return whole


_CONTAINERS = (dict, list)
