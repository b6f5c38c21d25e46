"""The commands as their users meet them: processes with arguments, output and an exit status."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mcp.types import ElicitRequestParams, ElicitResult

if TYPE_CHECKING:
    from collections.abc import Iterator

MRTR = [str(Path(sys.executable).with_name("mrtr"))]
SECONDS = 60

SHOP = """
from pydantic import BaseModel
from mcp.server.mcpserver import Context, MCPServer

print("printed while it is imported")
shop = MCPServer("shop")


class Sure(BaseModel):
    sure: bool


@shop.tool()
async def sell(thing: str, ctx: Context) -> str:
    first = await ctx.elicit(f"Sell {thing}?", Sure)
    second = await ctx.elicit(f"Really sell {thing}?", Sure)
    return f"{thing}: {first.action}, {second.action}"


if __name__ == "__main__":
    raise SystemExit("mrtr run does not run this")
"""
"""A server file; its tool asks twice."""


class Ended(NamedTuple):
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def line(self) -> str:
        """The one line on stderr, apart from what `SHOP` prints."""
        lines = [line for line in self.err.splitlines() if line != "printed while it is imported"]
        assert len(lines) == 1, self.err
        return lines[0]


def mrtr(
    *arguments: str, cwd: Path | None = None, keys: str | None = None, seconds: float = SECONDS
) -> Ended:
    """Run `mrtr` to its end, with nothing on stdin. `keys` becomes `MRTR_KEYS`."""
    done = subprocess.run(
        [*MRTR, *arguments],
        cwd=cwd,
        env=environment(keys),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


class Serving:
    """A `mrtr run --http 127.0.0.1:0 …` that serves at `url`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []
        self._said = threading.Condition()
        self._ended = False
        threading.Thread(target=self._read, daemon=True).start()
        self.url = self.said(r"is at (http://[^\s,]+)")[1]

    def said(self, pattern: str, times: int = 1) -> re.Match[str]:
        """Wait until the process has logged lines like this, so many times; the last of them."""
        found: list[re.Match[str]] = []

        def enough() -> bool:
            found[:] = [match for line in self.lines if (match := re.search(pattern, line))]
            return len(found) >= times or self._ended

        with self._said:
            self._said.wait_for(enough, SECONDS)
        assert len(found) >= times, "".join(self.lines)
        return found[-1]

    def end(self, signal: int) -> int:
        """Send a signal; the exit status."""
        self.process.send_signal(signal)
        return self.process.wait(SECONDS)

    def _read(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as stderr:
            for line in stderr:
                with self._said:
                    self.lines.append(line)
                    self._said.notify_all()
        with self._said:
            self._ended = True
            self._said.notify_all()


@contextmanager
def serving(file: Path, *arguments: str, keys: str | None = None) -> Iterator[Serving]:
    """Serve a file over HTTP on a free port of 127.0.0.1."""
    command = [*MRTR, "run", str(file), "--http", "127.0.0.1:0", *arguments]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment(keys))
    try:
        yield Serving(process)
    finally:
        process.terminate()
        try:
            process.wait(SECONDS)
        finally:
            process.kill()


def environment(keys: str | None = None) -> dict[str, str]:
    """This environment, with `MRTR_KEYS` as given, and lines that are not cut at a terminal's width."""
    inherited = {name: value for name, value in os.environ.items() if name != "MRTR_KEYS"}
    return {**inherited, "COLUMNS": "500", **({"MRTR_KEYS": keys} if keys is not None else {})}


def written(folder: Path, text: str, name: str = "server.py") -> Path:
    """A file with this text."""
    file = folder / name
    file.write_text(text)
    return file


class User:
    """Says yes, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def elicit(self, context: object, params: ElicitRequestParams) -> ElicitResult:
        self.asked.append(params.message)
        return ElicitResult(action="accept", content={"sure": True})
