"""A server of this folder as a real process on a port of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
LOG_TAIL = 4000
START_SECONDS = 60.0
"""A child imports its SDK on a machine that may be busy with the rest of the suite."""


def free_port() -> int:
    """Return a port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Instance:
    """`python SCRIPT PORT ARGUMENTS…` of this folder, serving MCP over HTTP on 127.0.0.1.

    An instance that was killed or stopped can be started again: it takes the same port. What it prints goes
    to `log`.
    """

    script: str
    log: Path
    key: str
    arguments: tuple[str, ...] = ()
    port: int = field(default_factory=free_port)
    _process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def start(self) -> Instance:
        """Start the process and return when it accepts connections.

        Raises RuntimeError with the log's text if it ends first, TimeoutError after `START_SECONDS`.
        """
        command = [sys.executable, str(HERE / self.script), str(self.port), *self.arguments]
        environment = {**os.environ, "MRTR_KEYS": self.key}
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise RuntimeError(f"{self.script} ended with {self._process.returncode}:\n{self.output()}")
            if self._accepts():
                return self
            time.sleep(0.02)
        raise TimeoutError(f"{self.script} did not listen within {START_SECONDS} s:\n{self.output()}")

    def kill(self) -> None:
        """End the process with SIGKILL: it closes nothing and answers nobody."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """End the process if it runs, and print the end of its log, which pytest shows if the test failed."""
        if self._process is not None and self._process.poll() is None:
            self.kill()
        print(f"--- {self.log.name}\n{self.output()[-LOG_TAIL:]}")

    def output(self) -> str:
        """Return all that the process, and those before it, printed."""
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def _accepts(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0
