"""`mrtr wrap --http` as a process, and requests to it by hand."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from interop.serving import free_port
from interop.wire import HEADERS, META

START_SECONDS = 60.0


@dataclass
class Instance:
    """A gateway with these options, at a port of its own; what it prints goes to `log`."""

    log: Path
    options: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)
    path: str = "/mcp"
    port: int = field(default_factory=free_port)
    says_where: bool = True
    """Give it `--http` with this port; else the options have it."""
    process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Instance:
        where = ("--http", f"127.0.0.1:{self.port}") if self.says_where else ()
        command = [sys.executable, "-m", "mrtr_adapter.cli", "wrap", *where, *self.options]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stderr=log, env={**os.environ, **self.environment})
        deadline = time.monotonic() + START_SECONDS
        while "mrtr wrap: serving" not in self.output():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the gateway did not start:\n{self.output()}")
            time.sleep(0.05)
        return self

    def __exit__(self, *error: object) -> None:
        assert self.process is not None
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(30)
        print(self.output()[-4000:])

    def kill(self) -> None:
        """End the gateway so that it can clean up nothing."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def output(self) -> str:
        return self.log.read_text() if self.log.exists() else ""

    def call(
        self, tool: str, arguments: dict[str, Any], headers: dict[str, str] | None = None, **more: Any
    ) -> dict[str, Any]:
        """The reply to one round of `tools/call`; `more` stands in its params."""
        params = {"name": tool, "arguments": arguments, "_meta": META, **more}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        reply = httpx2.post(
            f"http://127.0.0.1:{self.port}{self.path}",
            json=message,
            headers={**HEADERS, "Mcp-Name": tool, **(headers or {})},
            timeout=60,
        )
        return dict(reply.json())

    def agree(
        self,
        tool: str,
        arguments: dict[str, Any],
        asked: dict[str, Any],
        headers: dict[str, str] | None = None,
    ) -> dict[str, Any]:
        """The reply to the next round, with a yes to all that `asked`, the reply before, has asked."""
        yes = {"action": "accept", "content": {"sure": True}}
        return self.call(
            tool,
            arguments,
            headers,
            inputResponses=dict.fromkeys(asked["result"]["inputRequests"], yes),
            requestState=asked["result"]["requestState"],
        )

    def health(self) -> tuple[int, dict[str, Any]]:
        reply = httpx2.get(f"http://127.0.0.1:{self.port}/healthz")
        return reply.status_code, dict(reply.json())

    def await_work(self) -> None:
        """Wait until a call runs that does not wait for an answer itself."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            counts = self.health()[1]["servers"][self.path]
            if counts["sessions"] > counts["idle"] + counts["held"]:
                return
            time.sleep(0.05)
        raise RuntimeError("no call has come to run")


def gone(pid: int, seconds: float = 10.0) -> bool:
    """Whether this process ends within that time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not Path(f"/proc/{pid}").exists() or " Z " in Path(f"/proc/{pid}/stat").read_text():
            return True
        time.sleep(0.05)
    return False
