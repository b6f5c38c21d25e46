"""The sample of two gateways behind nginx, run without containers: its own commands, variables and nginx.conf."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import yaml

from gateway.behind import SHARED_KEY
from gateway.instance import Instance
from interop.serving import free_port
from interop.wire import HEADERS, META
from needs import NODE_MODULES, needs

SAMPLE = Path(__file__).parents[2] / "samples" / "gateway"
COMPOSE: dict[str, Any] = yaml.safe_load((SAMPLE / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
GATEWAYS = [name for name, service in SERVICES.items() if "build" in service]
PASSWORD = "secret"
START_SECONDS = 30.0


def options(service: str) -> list[str]:
    """What `mrtr wrap` is given in this service."""
    return shlex.split(SERVICES[service]["command"])


@dataclass
class Balanced:
    """Clients reach it at `port`."""

    port: int
    gateways: dict[str, Instance] = field(default_factory=dict)

    def call(
        self, user: str | None, tool: str, capabilities: dict[str, Any], headers: dict[str, str], **more: Any
    ) -> httpx2.Response:
        """One round of a call through nginx."""
        meta = {**META, "io.modelcontextprotocol/clientCapabilities": capabilities}
        params = {"name": tool, "arguments": {}, "_meta": meta, **more}
        return httpx2.post(
            f"http://127.0.0.1:{self.port}/mcp",
            json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params},
            headers={**HEADERS, "Mcp-Name": tool, **headers},
            auth=(user, PASSWORD) if user else None,
            timeout=60,
        )

    @property
    def holding(self) -> Instance:
        """The gateway that holds a call."""
        (found,) = [g for g in self.gateways.values() if g.health()[1]["servers"]["/mcp"]["held"]]
        return found


@contextmanager
def balanced(folder: Path) -> Iterator[Balanced]:
    """The sample while it runs, with the users ada and bob."""
    program, redis, node = needs("nginx"), needs("redis"), needs("node")
    found = Balanced(free_port())
    path = os.pathsep.join([str(NODE_MODULES / ".bin"), str(Path(node).parent), os.environ["PATH"]])
    with ExitStack() as stack:
        for name in GATEWAYS:
            port = free_port()
            given = [
                re.sub(r"^redis://redis:.*", redis, word).replace(":8000", f":{port}")
                for word in options(name)
            ]
            started = Instance(
                folder / f"{name}.log",
                tuple(given),
                {"MRTR_KEYS": SHARED_KEY[0], "PATH": path},
                port=port,
                says_where=False,
            )
            found.gateways[name] = stack.enter_context(started)
        stack.enter_context(_nginx(program, folder, found))
        yield found


@contextmanager
def _nginx(program: str, folder: Path, found: Balanced) -> Iterator[None]:
    """nginx with the sample's own file, but for ports and folders."""
    users, file = folder / "users", folder / "nginx.conf"
    users.write_text("".join(f"{user}:{{PLAIN}}{PASSWORD}\n" for user in ("ada", "bob")))
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    text = (SAMPLE / "nginx.conf").read_text()
    text = text.replace("/etc/nginx/users", str(users)).replace(
        "listen 8080", f"listen 127.0.0.1:{found.port}"
    )
    text = text.replace("http {", f"http {{\naccess_log off;\n{temporary}", 1)
    for name, gateway in found.gateways.items():
        text = text.replace(f"server {name}:8000", f"server 127.0.0.1:{gateway.port}")
    file.write_text(text)
    # Run as root it would serve as a user who can't read this folder.
    main = f"daemon off; pid {folder}/nginx.pid;" + (" user root;" if os.geteuid() == 0 else "")
    log = folder / "nginx.log"
    with subprocess.Popen(
        [program, "-p", str(folder), "-e", str(log), "-c", str(file), "-g", main]
    ) as process:
        try:
            _await_answer(f"http://127.0.0.1:{found.port}/healthz", process, log)
            yield
        finally:
            process.terminate()


def _await_answer(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            httpx2.get(url)
            return
        except httpx2.TransportError:
            time.sleep(0.05)
    raise RuntimeError(f"nginx did not start:\n{log.read_text() if log.exists() else ''}")
