"""Where a server listens: `HOST:PORT`, and the sockets for it."""

from __future__ import annotations

import errno
import os
import re
import socket
from dataclasses import dataclass

from mrtr_adapter.serving.refusal import CannotServe, told

_ADDRESS = re.compile(r"(?:\[(?P<v6>[^\[\]]+)\]|(?P<host>[^:\[\]\s/]+)):(?P<port>\d{1,5})")
_BACKLOG = 2048


@dataclass(frozen=True)
class Address:
    """A host name or IP address, and a port; port 0 takes a free one."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read `HOST:PORT` or `[IPV6]:PORT`.

        Raises:
            CannotServe: it is something else.
        """
        match = _ADDRESS.fullmatch(text)
        if match is None or int(match["port"]) > 65535:
            raise CannotServe(
                f"{text!r} is not HOST:PORT: write it as in --http 127.0.0.1:8000 or [::1]:8000"
            )
        return cls(match["v6"] or match["host"], int(match["port"]))

    @property
    def url(self) -> str:
        """Of the endpoint."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/mcp"

    def listen(self) -> tuple[Address, list[socket.socket]]:
        """Listening sockets for all that the host name stands for, and the address with its real port.

        Raises:
            CannotServe: the port is taken or not allowed, or this machine has no such address.
        """
        sockets: list[socket.socket] = []
        port = self.port
        try:
            for family, kind, protocol, _, where in self._resolved():
                sockets.append(_listening(family, kind, protocol, (where[0], port, *where[2:])))
                port = sockets[0].getsockname()[1]
        except OSError as error:
            for opened in sockets:
                opened.close()
            raise CannotServe(self._refused(error)) from None
        return Address(self.host, port), sockets

    def _resolved(
        self,
    ) -> list[tuple[socket.AddressFamily, socket.SocketKind, int, str, tuple[str | int, ...]]]:
        found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        return list(dict.fromkeys(found))  # type: ignore[arg-type]  # asks for no bytes addresses

    def _refused(self, error: OSError) -> str:
        if error.errno == errno.EADDRINUSE:
            return f"port {self.port} of {self.host} is taken: stop what listens there, or give another with --http"
        if error.errno == errno.EACCES:
            return f"this user may not listen on port {self.port}: give one above 1023 with --http"
        if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
            return (
                f"this machine has no address {self.host}: give one of its own with --http, as 127.0.0.1:8000"
            )
        return f"can't listen on {self.host}:{self.port} ({told(error)}): give another with --http"


def _listening(family: int, kind: int, protocol: int, where: tuple[str | int, ...]) -> socket.socket:
    opened = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":  # elsewhere it would let two servers share the port
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            opened.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        opened.bind(where)
        opened.listen(_BACKLOG)
    except OSError:
        opened.close()
        raise
    return opened
