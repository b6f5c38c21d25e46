"""The servers of tests/cases as something to verify: their scripts as a case file, their effects as a log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cases import drive

_LOGGED = """

class _Logged(list):
    def append(self, item):
        with open("effects.log", "a") as log:
            log.write(item + "\\n")


EFFECTS = _Logged()
"""


def logging_server(module: Path, folder: Path) -> Path:
    """A copy of the module that writes what it does to `effects.log`."""
    copy = folder / module.name
    copy.write_text(module.read_text() + _LOGGED)
    return copy


def case_file(module: Path, file: Path, targets: set[str] | None = None) -> Path:
    """The scripts of a module whose answers are plain, with the answers in the order that was recorded."""
    loaded = drive.load(module)
    cases = []
    for suffix, scripts in zip(("", ".extra"), drive.scripts_of(loaded), strict=True):
        recorded = module.with_suffix(f"{suffix}.expected.json")
        runs = json.loads(recorded.read_text()) if scripts else []
        for number, (script, run) in enumerate(zip(scripts, runs, strict=True)):
            name = drive.name_of(script)
            answers = _in_order(script, run["asked"])
            if answers is not None and (targets is None or name in targets):
                cases.append(_case(f"{name} {suffix.lstrip('.')}{number}", script, answers))
    file.write_text(json.dumps({"cases": cases}))
    return file


def _case(name: str, script: dict[str, Any], answers: list[Any]) -> dict[str, Any]:
    kind = next(kind for kind in ("tool", "prompt", "resource") if kind in script)
    arguments = {} if kind == "resource" else {"arguments": script.get("args") or {}}
    return {"name": name, kind: script[kind], **arguments, "answers": answers}


def _in_order(script: dict[str, Any], asked: list[str]) -> list[Any] | None:
    """None if an answer is worked out from its question."""
    if any(callable(answer) for _, answer in script["answers"]):
        return None
    replies = drive.Script(script["answers"])
    return [replies.answer(question) for question in asked]
