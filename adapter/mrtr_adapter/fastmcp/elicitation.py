"""`ctx.elicit` as FastMCP 2 and 3 had it, on asks.

FastMCP 4 refuses it on 2026-07-28 before it reaches the session, and no longer takes `response_type=None`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from fastmcp import Context
from fastmcp.server.elicitation import (
    AcceptedElicitation,
    CancelledElicitation,
    DeclinedElicitation,
    ElicitConfig,
    handle_elicit_accept,
    parse_elicit_response_type,
)

from mrtr_adapter.fastmcp.asking import is_served_by_us, require_foreground

Answer: TypeAlias = AcceptedElicitation[Any] | DeclinedElicitation | CancelledElicitation
Elicit: TypeAlias = Callable[..., Awaitable[Answer]]


def asking_elicit(original: Elicit) -> Elicit:
    """The method for FastMCP's `Context`, in place of `original`, which still serves all other connections."""

    async def elicit(
        self: Context,
        message: str,
        response_type: Any = None,
        *,
        response_title: str | None = None,
        response_description: str | None = None,
    ) -> Answer:
        """Ask the user to fill in a form.

        Args:
            message: what the user reads.
            response_type: a scalar, `Literal` or enum, a list or dict of choices (in a list of its own: several may
                be chosen), a dataclass, `TypedDict` or model. None asks for nothing but consent, and gives `{}`.
            response_title: names the one field of a scalar or choice.
            response_description: describes it.

        Raises:
            ToolError: in a background task.
            TypeError: a title or description where the type brings its own.
            ValueError: the answer is not of the type.
        """
        require_foreground(self, "elicit")
        described = {"response_title": response_title, "response_description": response_description}
        push_consent = response_type is None and not self._is_modern_protocol()
        if not (is_served_by_us(self) or push_consent):
            return await original(self, message, response_type, **described)
        config = _consent(**described) if response_type is None else _form(response_type, **described)
        result = await self.session.elicit(
            message=message, requested_schema=config.schema, related_request_id=self.request_id
        )
        if result.action == "accept":
            return handle_elicit_accept(config, result.content)
        return DeclinedElicitation() if result.action == "decline" else CancelledElicitation()

    return elicit


def _form(response_type: Any, **described: str | None) -> ElicitConfig:
    return parse_elicit_response_type(response_type, **described)


def _consent(**described: str | None) -> ElicitConfig:
    """A form without a field."""
    if any(text is not None for text in described.values()):
        raise TypeError(
            "response_title and response_description are not supported when response_type is None, "
            "because the elicitation schema has no fields to label."
        )
    return ElicitConfig(schema={"type": "object", "properties": {}}, response_type=None, is_raw=False)
