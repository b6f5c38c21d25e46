"""The session that a handler sees: its requests to the client become asks of the flow.

All requests of a server go through `ServerSession.send_request`, whichever helper made them (`ctx.elicit`,
`session.create_message`, FastMCP's context …), so that method is where a handler is caught.
"""

from __future__ import annotations

import inspect
import logging
from functools import partial
from typing import Any, TypeVar

import mcp_types as types
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPDeprecationWarning
from pydantic import BaseModel
from typing_extensions import deprecated

from mrtr_adapter.engine.flows import Flow
from mrtr_adapter.engine.question import ASKS, SAMPLE, Question
from mrtr_adapter.engine.replay import ROOT
from mrtr_adapter.engine.site import Site, asking_site
from mrtr_adapter.engine.suspension import cannot_ask

logger = logging.getLogger("mrtr")

ResultT = TypeVar("ResultT", bound=BaseModel)


_create_message = inspect.unwrap(ServerSession.create_message)
"""Without the SDK's deprecation warning, which is to name the handler's line and not ours."""


def site() -> Site:
    return asking_site(ROOT)


class AskingSession(ServerSession):
    """Stands in for a request's session on 2026-07-28, and shares all that it holds."""

    __slots__ = ("_flow",)

    def __init__(self, session: ServerSession, flow: Flow) -> None:
        self.__dict__ = session.__dict__
        self._flow = flow

    @property
    def can_send_request(self) -> bool:
        """True: old code looks at this before it asks."""
        return True

    async def send_request(
        self, request: types.ServerRequest, result_type: type[ResultT], *args: Any, **kwargs: Any
    ) -> ResultT:
        data = request.model_dump(by_alias=True, mode="json", exclude_none=True)
        if data["method"] not in ASKS:
            return await super().send_request(request, result_type, *args, **kwargs)
        answer = await self._flow.ask(data["method"], data.get("params"), site)
        return result_type.model_validate(answer, by_name=False)

    @deprecated("Sampling is deprecated as of 2026-07-28 (SEP-2577).", category=MCPDeprecationWarning)
    async def create_message(self, messages: list[types.SamplingMessage], **kwargs: Any) -> Any:
        """As the original, which raises into the handler when `sampling.tools` is missing: here the call ends."""
        await self._flow.check()
        if kwargs.get("tools") is not None or kwargs.get("tool_choice") is not None:
            await self._flow.require(Question.of(SAMPLE, {"tools": []}), site())
        return await _create_message(self, messages, **kwargs)

    async def report_progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        shown = {"progress": progress, "total": total, "message": message}
        send = partial(super().report_progress, progress, total, message)
        await self._flow.notify("notifications/progress", shown, send)

    async def _notify(self, notification: types.ServerNotification, *, request_scoped: bool) -> None:
        data = notification.model_dump(by_alias=True, mode="json", exclude_none=True)
        send = partial(super()._notify, notification, request_scoped=request_scoped)
        await self._flow.notify(data["method"], data.get("params") or {}, send)

    async def send_elicit_complete(
        self, elicitation_id: str, related_request_id: types.RequestId | None = None
    ) -> None:
        """Does nothing: 2026-07-28 has no such notification, the client's retry tells as much."""
        await self._flow.check()
        logger.warning(
            "%s: send_elicit_complete() does nothing on 2026-07-28 (removed); leave the call out",
            self._flow.name,
        )


class ClosedSession(ServerSession):
    """The session of a request that can't end a round, such as `tools/list`: an ask says where it came from."""

    __slots__ = ("_serving",)

    def __init__(self, session: ServerSession, serving: str) -> None:
        self.__dict__ = session.__dict__
        self._serving = serving

    async def send_request(
        self, request: types.ServerRequest, result_type: type[ResultT], *args: Any, **kwargs: Any
    ) -> ResultT:
        if request.method not in ASKS:
            return await super().send_request(request, result_type, *args, **kwargs)
        raise cannot_ask(
            f"{request.method} was sent from {site()} while serving {self._serving}: on 2026-07-28 only tools/call, "
            "prompts/get and resources/read can ask the client. Move the question into one of these"
        )
