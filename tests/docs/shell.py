"""Runs the commands of a console block, and compares what they print with what the page shows."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

from docs.blocks import Block
from needs import NODE_MODULES, needs

SECONDS = 120
ANYTHING = "…"
MODERN = "2026-07-28"
_SERVES = re.compile(r"^mrtr (run|wrap)\b(?!.*--help)")
_SETS = re.compile(r"^(export )?\w+=\S+")
_ADDRESS = re.compile(r"(127\.0\.0\.1|0\.0\.0\.0):8000")


@dataclass
class Command:
    """A command, and the output that is shown under it."""

    text: str
    shown: list[str] = field(default_factory=list)


def commands(block: Block) -> list[Command]:
    """What a reader would type. In a block without prompts that is every line."""
    lines = block.text.splitlines()
    if not any(line.startswith("$ ") for line in lines):
        return [Command(line) for line in lines if line.strip() and not line.startswith("#")]
    found: list[Command] = []
    for line in lines:
        if line.startswith("$ "):
            found.append(Command(line.removeprefix("$ ")))
        else:
            found[-1].shown.append(line)
    return found


class Shell:
    """A working directory in which the blocks of one page are run. Servers go on until the next one is started."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.address = f"127.0.0.1:{port}"
        self._set: list[str] = []
        self._server: subprocess.Popen[bytes] | None = None
        self._behind: tuple[str, subprocess.Popen[bytes]] | None = None
        self._log = folder.with_name("server.log")
        self._bin = folder.with_name("bin")
        self._bin.mkdir()

    def here(self, text: str) -> str:
        """The text with the page's address replaced by a free one, and its Redis by that of the tests."""
        if "redis://127.0.0.1:6379/0" in text:
            text = text.replace("redis://127.0.0.1:6379/0", needs("redis"))
        if self._behind is not None:
            text = text.replace("https://old/mcp", self._behind[0])
        return _ADDRESS.sub(self.address, text)

    def run(self, block: Block) -> None:
        """Run the commands of a block.

        Raises:
            AssertionError: an exit code or the output is not what the page says, or a server does not answer.
        """
        exits = block.notes.exit.split(",")
        for number, command in enumerate(commands(block)):
            text, code = self.here(command.text), int(exits[min(number, len(exits) - 1)])
            if "npx " in text:
                self._provide_npx()
            if _SETS.match(text):
                self._set.append(text)
                self.end(text, block, code)
            elif _SERVES.match(text):
                self._serve(text)
            else:
                self._compare(command, self.end(text, block, code), block)

    def close(self) -> None:
        """End what still runs."""
        self._end_server()
        if self._behind is not None:
            self._behind[1].terminate()
            self._behind[1].wait(SECONDS)
            self._behind = None

    def serve(self, file: str) -> None:
        """Serve a file at the page's address."""
        self._serve(f"mrtr run {file} --http {self.address}")

    def start_behind(self, file: str, port: int) -> None:
        """Start an old server that takes its port as an argument."""
        command = [sys.executable, file, str(port)]
        with self._log.open("wb") as log:
            server = subprocess.Popen(
                command, cwd=self.folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )
        self._behind = (f"http://127.0.0.1:{port}/mcp", server)
        self._wait_for(server, port, file)

    def _end_server(self) -> None:
        if self._server is None:
            return
        self._server.terminate()
        self._server.wait(SECONDS)
        self._server = None
        assert "Traceback" not in self._log.read_text()

    def end(self, text: str, block: Block, code: int) -> str:
        """Run a command to its end, with the exit code that is expected; what it prints."""
        done = subprocess.run(
            self._bash(text), cwd=self.folder, env=self._environment(), capture_output=True, text=True,
            timeout=SECONDS, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        said = f"{block.place}: {text}\nended with {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert done.returncode == code, said
        assert "Traceback" not in done.stderr, said
        return done.stdout

    def _compare(self, command: Command, output: str, block: Block) -> None:
        if not command.shown:
            return
        lines = [re.escape(line).replace(ANYTHING, ".*") for line in command.shown]
        pattern = "\n".join(r"(.*\n)*.*" if line == ".*" else line for line in lines)
        printed = "\n".join(line.rstrip() for line in output.strip().splitlines())
        assert re.fullmatch(pattern, printed), f"{block.place}: {command.text} prints\n{printed}"

    def _serve(self, text: str) -> None:
        self._end_server()
        if "--http" not in text:
            anyio.run(_answers, StdioServerParameters(command="bash", args=self._bash(text)[1:], cwd=self.folder,
                                                      env=self._environment()))  # fmt: skip
            return
        with self._log.open("wb") as log:
            self._server = subprocess.Popen(
                self._bash(text), cwd=self.folder, env=self._environment(), stdout=log, stderr=log,
                stdin=subprocess.DEVNULL,
            )  # fmt: skip
        self._wait_for(self._server, int(self.address.rpartition(":")[2]), text)
        anyio.run(_answers, f"http://{self.address}/mcp")

    def _wait_for(self, server: subprocess.Popen[bytes], port: int, name: str) -> None:
        end = time.monotonic() + SECONDS
        while True:
            assert server.poll() is None, f"{name} ended:\n{self._log.read_text()}"
            assert time.monotonic() < end, f"{name} does not come up:\n{self._log.read_text()}"
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.05)

    def _bash(self, text: str) -> list[str]:
        last = text if re.match(r"mrtr (run|wrap)", text) is None else f"exec {text}"
        return ["bash", "-c", "\n".join(["set -o pipefail", *self._set, last])]

    def _environment(self) -> dict[str, str]:
        path = [str(self._bin), str(Path(sys.executable).parent), os.environ["PATH"]]
        kept = {name: value for name, value in os.environ.items() if name not in ("MRTR_KEYS", "CI")}
        return {**kept, "PATH": os.pathsep.join(path), "COLUMNS": "80", "NO_COLOR": "1"}

    def _provide_npx(self) -> None:
        """A stand-in that starts what is installed for the tests, where npx would fetch it."""
        node, everything = needs("node"), NODE_MODULES / ".bin" / "mcp-server-everything"
        script = self._bin / "npx"
        script.write_text(f'#!/bin/sh\nexec "{node}" "{everything}" stdio\n')
        script.chmod(0o755)


async def _answers(server: Any) -> None:
    """What serves is a server: it lists tools."""
    with anyio.fail_after(SECONDS):
        async with Client(server, mode=MODERN) as client:
            assert (await client.list_tools()).tools
