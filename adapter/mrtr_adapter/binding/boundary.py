"""The SDK's boundary, which tells of what it refuses, and may answer that with a fresh first round."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.request_state import RequestStateBoundary
from mcp.shared.exceptions import MCPError
from mcp_types.methods import INPUT_REQUIRED_METHODS

from mrtr_adapter.telemetry import refusals

logger = logging.getLogger("mrtr")

Context = ServerRequestContext[Any, Any]


class TellingBoundary(RequestStateBoundary):
    """Counts the states that it refuses, by reason."""

    def _unseal(self, ctx: Context) -> Any:
        try:
            return super()._unseal(ctx)
        except MCPError as error:
            refusals.at_boundary(ctx.method, error.__traceback__)
            raise


class RestartingBoundary(TellingBoundary):
    """Lets a request whose state fails a check begin anew: neither the state nor the answers with it are looked at.

    SEP-2322 leaves open whether such a request gets an error or a fresh question. The price is that the state is
    verified twice.
    """

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        if ctx.method in INPUT_REQUIRED_METHODS and (ctx.params or {}).get("requestState") is not None:
            try:
                self._unseal(ctx)
            except MCPError:
                logger.info("%s begins anew", ctx.method)
                ctx = replace(ctx, params=without_state(ctx.params))
        return await super().__call__(ctx, call_next)


def without_state(params: Any) -> dict[str, Any]:
    """The parameters of a first round."""
    return {name: value for name, value in params.items() if name not in ("requestState", "inputResponses")}
