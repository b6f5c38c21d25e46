"""FastMCP-style cases as they ran under FastMCP 3, in a process of its own, with answers drawn here."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from .generated import Answers

LIVE = Path(__file__).parents[2] / "cases" / "fastmcp" / "live.py"


class OldFastMCP:
    """Runs cases under this Python, which has FastMCP 3. One process serves them all."""

    def __init__(self, python: str) -> None:
        self._python = python
        self._process: subprocess.Popen[str] | None = None

    def native(self, path: Path, script: dict[str, Any], answers: Answers) -> dict[str, Any]:
        """The handler as it was written, on a 2025-11-25 session."""
        try:
            self._say({"path": str(path), "script": {k: v for k, v in script.items() if k != "answers"}})
            while "run" not in (told := self._hear()):
                self._say(answers(told["method"], told["params"]))
        except BaseException:
            self.end()  # hypothesis may give a run up at any question
            raise
        return {**told["run"], "asked": list(answers.asked)}

    def end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _say(self, message: dict[str, Any]) -> None:
        process = self._running()
        assert process.stdin is not None
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()

    def _hear(self) -> dict[str, Any]:
        process = self._running()
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, "FastMCP 3 has ended"
        heard: dict[str, Any] = json.loads(line)
        return heard

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            command = [self._python, str(LIVE)]
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        return self._process
