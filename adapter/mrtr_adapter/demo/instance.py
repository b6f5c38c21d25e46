"""The sample server as processes of their own, from the side of the one who starts them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mrtr_adapter.demo.promise import NotHeld

START_SECONDS = 60.0
_URL = re.compile(r"is at (http://\S+)")


@dataclass
class Instance:
    """A running instance. `name` is what the story calls it."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path
    url: str = ""

    @property
    def pid(self) -> int:
        return self.process.pid

    def __str__(self) -> str:
        return f"{self.name} (process {self.pid})"

    def wait_until_it_serves(self) -> None:
        """Return when it accepts calls.

        Raises:
            NotHeld: it ended, or took more than a minute.
        """
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            said = self.log.read_text(errors="replace")
            if found := _URL.search(said):
                self.url = found[1]
                return
            if self.process.poll() is not None:
                raise NotHeld(f"instance {self} did not start; it said: {said.strip()[-500:] or 'nothing'}")
            time.sleep(0.02)
        raise NotHeld(f"instance {self} did not start within {START_SECONDS:.0f} seconds")

    def kill(self) -> None:
        """End it by SIGKILL (where there is one), and see that it is gone."""
        self.process.kill()
        status = self.process.wait()
        if os.name == "posix" and status != -signal.SIGKILL:
            raise NotHeld(f"instance {self} was not killed but ended with {status}")


@contextmanager
def running(file: Path, *names: str, environment: Mapping[str, str]) -> Iterator[list[Instance]]:
    """Start instances of a server file side by side, with logs next to it, and end them whatever happens."""
    instances: list[Instance] = []
    try:
        for name in names:
            # One by one, so that those which have started are ended if the next one can't.
            instances.append(_started(file, name, {**os.environ, **environment}))  # noqa: PERF401
        for instance in instances:
            instance.wait_until_it_serves()
        yield instances
    finally:
        for instance in instances:
            instance.process.kill()
            instance.process.wait()
            assert instance.process.stdin is not None
            instance.process.stdin.close()


def _started(file: Path, name: str, environment: dict[str, str]) -> Instance:
    command = [sys.executable, str(Path(__file__).with_name("child.py")), str(file)]
    log = file.with_name(f"{name}.log")
    with log.open("wb") as said:
        process = subprocess.Popen(  # noqa: S603  # this package's own file
            command, stdin=subprocess.PIPE, stdout=said, stderr=said, env=environment
        )
    return Instance(name, process, log)
