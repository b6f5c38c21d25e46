"""FastMCP-style cases as they ran under FastMCP 3, in a process of its own, with answers drawn here."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from .generated import Answers

LIVE = Path(__file__).parents[2] / "cases" / "fastmcp" / "live.py"


class OldFastMCP:
    def __init__(self, said: IO[str], heard: IO[str]) -> None:
        self._said = said
        self._heard = heard

    def native(self, path: Path, script: dict[str, Any], answers: Answers) -> dict[str, Any]:
        """The handler as it was written, on a 2025-11-25 session."""
        self._say({"path": str(path), "script": {k: v for k, v in script.items() if k != "answers"}})
        while "run" not in (told := self._hear()):
            self._say(answers(told["method"], told["params"]))
        return {**told["run"], "asked": list(answers.asked)}

    def _say(self, message: dict[str, Any]) -> None:
        self._said.write(json.dumps(message) + "\n")
        self._said.flush()

    def _hear(self) -> dict[str, Any]:
        line = self._heard.readline()
        assert line, "FastMCP 3 has ended"
        return json.loads(line)


@contextmanager
def old_fastmcp(python: str) -> Iterator[OldFastMCP]:
    """Under this Python, which has FastMCP 3."""
    with subprocess.Popen(
        [python, LIVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield OldFastMCP(process.stdin, process.stdout)
        finally:
            process.kill()
