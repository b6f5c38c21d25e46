"""One session with an old server, as its client: requests, their replies, and what the server says by itself.

What it says during a call goes to that call. Requests that it makes outside of one, such as `roots/list` right after
it started, wait until a call has the answer; they are never made up. Pings are answered at once.
"""

from __future__ import annotations

import itertools
import logging
import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Protocol

import anyio
from anyio.abc import TaskStatus
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, METHOD_NOT_FOUND
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION

from mrtr_adapter.binding.versions import version
from mrtr_adapter.engine.flows import current
from mrtr_adapter.engine.question import ASKS, LIST_ROOTS
from mrtr_adapter.gateway.capset import SessionKind
from mrtr_adapter.gateway.link import Link, LinkClosed, Message, OpenLink
from mrtr_adapter.gateway.reply import Reply, ServerGone
from mrtr_adapter.serving.refusal import told

logger = logging.getLogger("mrtr")

ROOTS_SECONDS = 0.6
"""How long a new session gets to ask for roots by itself, if its client has any, before a call is put on it."""
_CHECK_SECONDS = 0.5
_MAX_COMPLAINTS = 10
_MAX_WAITING = 64
"""Requests of a server outside of any call that are kept."""


class Listener(Protocol):
    """Who hears what an old server says during a call. It must not block."""

    def heard(self, message: Message) -> None:
        """A request or a notification of the server."""

    def ended(self, reason: str) -> None:
        """The session is over."""


class NotStarted(Exception):
    """An old server could not be started, or does not speak MCP; says why, and what it has `printed` meanwhile."""

    def __init__(self, reason: str, printed: str) -> None:
        super().__init__(reason)
        self.printed = printed


class Session:
    """Opened and ended by `run`, in a task of its own.

    Args:
        kind: whose session it is, and what it declares.
        open_link: connects to the server.
        events: hears the server's notifications as well, whether or not there is a call.
    """

    def __init__(self, kind: SessionKind, open_link: OpenLink, events: Listener) -> None:
        self.kind = kind
        self.hello: dict[str, Any] = {}
        """The server's `initialize` result."""
        self.alive = False
        self.used = False
        """Whether any call has run on it."""
        self.idle_since = time.monotonic()
        self.waiting: deque[Message] = deque(maxlen=_MAX_WAITING)
        """Requests that the server has made outside of a call."""
        self.listener: Listener | None = None
        self.log_level: str | None = None
        self._open_link = open_link
        self._events = events
        self._link: Link | None = None
        self._ids = itertools.count(1)
        self._replies: dict[int, Reply] = {}
        self._nonsense = 0
        self._closing = anyio.Event()
        self._asked_roots = anyio.Event()

    # -- its life ----------------------------------------------------------------------------------------------

    async def run(self, start_seconds: float, *, task_status: TaskStatus[None]) -> None:
        """Connect, shake hands, and serve until `close` or the server's end.

        Raises:
            NotStarted: before it has begun; afterwards nothing is raised.
        """
        current.set(
            None
        )  # what it takes to reach the server is no effect of the call that happened to need it
        started = False
        reason = "the session was closed"
        try:
            async with self._open_link() as link, anyio.create_task_group() as group:
                self._link = link
                group.start_soon(self._read, link)
                await self._shake_hands(link, start_seconds)
                self.alive = started = True
                task_status.started()
                await self._closing.wait()
                group.cancel_scope.cancel()
        except Exception as error:
            reason = _told(error)
        finally:
            self._end(reason)
        if not started:
            raise NotStarted(reason, self._link.printed if self._link else "")

    async def _shake_hands(self, link: Link, seconds: float) -> None:
        params = {
            "protocolVersion": LATEST_HANDSHAKE_VERSION,
            "capabilities": self.kind.declared,
            "clientInfo": {"name": "mrtr-wrap", "version": version("mrtr")},
        }
        try:
            with anyio.fail_after(seconds):
                hello = await self.request("initialize", params)
        except TimeoutError:
            raise LinkClosed(f"no answer to initialize within {seconds:g} s") from None
        spoken = hello.get("protocolVersion")
        if spoken not in HANDSHAKE_PROTOCOL_VERSIONS:
            raise LinkClosed(f"it speaks protocol version {spoken!r}, which is none of the old ones")
        if not all(isinstance(hello.get(name), dict) for name in ("capabilities", "serverInfo")):
            raise LinkClosed("its answer to initialize lacks capabilities or serverInfo")
        self.hello = {**hello, "capabilities": _abilities(hello["capabilities"])}
        link.speak(spoken)
        await self.notify("notifications/initialized")
        if "roots" in self.kind.declared:
            with anyio.move_on_after(ROOTS_SECONDS):
                await self._asked_roots.wait()

    def close(self) -> None:
        """Let it end; nothing more is put on it."""
        self.alive = False
        self._closing.set()

    def _end(self, reason: str) -> None:
        self.alive = False
        self._closing.set()
        for reply in self._replies.values():
            reply.settle(ServerGone(reason))
        self._replies.clear()
        if self.listener is not None:
            self.listener.ended(reason)

    # -- what is said to the server ----------------------------------------------------------------------------

    async def request(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The result of a request.

        Raises:
            MCPError: the server's error, or `ServerGone`.
        """
        reply = await self.begin(method, params)
        try:
            return await reply.result()
        finally:
            self._replies.pop(reply.number, None)

    async def begin(self, method: str, params: Mapping[str, Any] | None = None) -> Reply:
        """Send a request, whose reply may be waited for later."""
        number = next(self._ids)
        reply = self._replies[number] = Reply(number)
        message: Message = {"jsonrpc": "2.0", "id": number, "method": method}
        if params is not None:
            message["params"] = dict(params)
        await self._send(message)
        return reply

    async def check(self) -> None:
        """Notice now if the server has just gone. One that is busy need not answer."""
        with suppress(MCPError), anyio.move_on_after(_CHECK_SECONDS):
            await self.request("ping")

    async def forget(self, reply: Reply) -> None:
        """Tell the server that nobody waits for this reply any more."""
        if self._replies.pop(reply.number, None) is not None:
            await self.notify("notifications/cancelled", {"requestId": reply.number})

    async def notify(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        message: Message = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = dict(params)
        await self._send(message)

    async def answer(self, request: Message, result: Mapping[str, Any]) -> None:
        """Give the server what it asked for."""
        await self._send({"jsonrpc": "2.0", "id": request["id"], "result": dict(result)})

    async def refuse(self, request: Message, code: int, text: str) -> None:
        await self._send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": text}})

    async def _send(self, message: Message) -> None:
        if self._link is None:
            raise ServerGone("it was never connected")
        try:
            await self._link.send(message)
        except LinkClosed as closed:
            self.close()
            raise ServerGone(str(closed)) from None

    # -- what the server says ----------------------------------------------------------------------------------

    async def _read(self, link: Link) -> None:
        while True:
            message = await link.receive()
            if not _makes_sense(message):
                self._nonsense += 1
                if self._nonsense <= _MAX_COMPLAINTS:
                    logger.warning("the server behind sent what is no JSON-RPC message: %.200r", message)
            elif "method" not in message:
                self._settle(message)
            elif "id" not in message:
                self._withdrawn(message)
                self._events.heard(message)
                if self.listener is not None:
                    self.listener.heard(message)
            elif message["method"] == "ping":
                await self.answer(message, {})
            elif message["method"] not in ASKS:
                await self.refuse(message, METHOD_NOT_FOUND, f"{message['method']} is not known here")
            else:
                await self._asked(message)

    async def _asked(self, request: Message) -> None:
        """As any client does, refuse what the client has not declared; a call ends with that unless it is roots."""
        if request["method"] == LIST_ROOTS:
            self._asked_roots.set()
        in_call = self.listener is not None and request["method"] != LIST_ROOTS
        if not in_call and not self.kind.can_answer(request):
            await self.refuse(
                request, METHOD_NOT_FOUND, "The client has not declared that it can be asked this"
            )
        elif self.listener is not None:
            self.listener.heard(request)
        else:
            self.waiting.append(request)

    def _withdrawn(self, message: Message) -> None:
        """Forget what the server has asked outside of a call and does not want to know any more."""
        if message["method"] == "notifications/cancelled":
            number = (message.get("params") or {}).get("requestId")
            for request in [waiting for waiting in self.waiting if waiting["id"] == number]:
                self.waiting.remove(request)

    async def refuse_waiting(self, reason: str) -> None:
        """Refuse what the server has asked outside of a call."""
        while self.waiting:
            await self.refuse(self.waiting.popleft(), METHOD_NOT_FOUND, reason)

    def _settle(self, message: Message) -> None:
        number = message.get("id")
        reply = self._replies.pop(number, None) if isinstance(number, int) else None
        if reply is None:
            return
        error = message.get("error")
        if isinstance(error, dict):
            code = error.get("code")
            reply.settle(
                MCPError(
                    code if isinstance(code, int) else INTERNAL_ERROR,
                    str(error.get("message", "")),
                    error.get("data"),
                )
            )
        elif isinstance(result := message.get("result"), dict):
            reply.settle(result)
        else:
            reply.settle(
                MCPError(INTERNAL_ERROR, "The server behind this gateway sent a reply without a result")
            )


def _makes_sense(message: Message) -> bool:
    """Whether a message can be looked into without surprises."""
    if "method" not in message:
        return "id" in message
    return isinstance(message["method"], str) and isinstance(message.get("params") or {}, dict)


def _abilities(declared: Mapping[str, Any]) -> dict[str, Any]:
    """What a server declares, where some write `true` for what has no details."""
    return {
        name: details if isinstance(details, dict) else {}
        for name, details in declared.items()
        if details not in (None, False)
    }


def _told(error: BaseException) -> str:
    while inner := getattr(error, "exceptions", None):
        error = inner[0]
    if isinstance(error, ServerGone):
        return error.reason
    return str(error) if isinstance(error, LinkClosed | MCPError) else told(error)
