"""One tool of a server, called until it asks and then called again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mcp.shared.inbound import find_invalid_x_mcp_header, mcp_param_headers, x_mcp_header_map

from mrtr_adapter.check.answering import Action, answers
from mrtr_adapter.check.wire import EVERYTHING, Reply, Wire


@dataclass(frozen=True)
class Tool:
    """A tool, and what to call it with. `schema` and `annotations` are as it lists them."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    schema: Mapping[str, Any] = field(default_factory=dict)
    annotations: Mapping[str, Any] = field(default_factory=dict)

    def headers(self, arguments: Mapping[str, Any]) -> dict[str, str]:
        """The headers that repeat arguments, where the tool wants any (`x-mcp-header`)."""
        if find_invalid_x_mcp_header(self.schema) is not None:
            return {}
        return mcp_param_headers(x_mcp_header_map(self.schema), arguments)


@dataclass(frozen=True)
class Begun:
    """A call whose first round has ended with questions, and our answers to them."""

    first: Reply
    answers: Mapping[str, Any]


@dataclass(frozen=True)
class Caller:
    """Calls one tool."""

    wire: Wire
    tool: Tool
    action: Action

    async def begin(self, *, capabilities: Mapping[str, Any] = EVERYTHING, **more: Any) -> Reply:
        """The first round of a new call. `more` are further parameters."""
        return await self._call(self.tool.arguments, more, capabilities=capabilities)

    async def begun(self) -> Begun:
        """A new call, up to its questions.

        Raises:
            CannotAnswer: see `answers`.
        """
        first = await self.begin()
        return Begun(first, answers(first.requests, self.action))

    async def retry(
        self,
        state: str | None,
        given: Mapping[str, Any] | None,
        *,
        arguments: Mapping[str, Any] | None = None,
        text_id: bool = False,
        wire: Wire | None = None,
    ) -> Reply:
        """A retry with this state and these answers; None leaves one out. Everything else is as in the first round,
        unless other `arguments`, or the `wire` of another user, are given."""
        more: dict[str, Any] = {}
        if given is not None:
            more["inputResponses"] = dict(given)
        if state is not None:
            more["requestState"] = state
        chosen = self.tool.arguments if arguments is None else arguments
        return await self._call(chosen, more, text_id=text_id, wire=wire)

    async def _call(
        self, arguments: Mapping[str, Any], more: Mapping[str, Any], wire: Wire | None = None, **how: Any
    ) -> Reply:
        params = {"name": self.tool.name, "arguments": dict(arguments), **more}
        return await (wire or self.wire).request(
            "tools/call", params, headers=self.tool.headers(arguments), **how
        )
