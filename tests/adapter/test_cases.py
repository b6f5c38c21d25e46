"""Equivalence: servers as people wrote them give, adapted and with every round on a freshly imported copy, the results
and the questions of their recorded native run. Where effects repeat is stated here, not hidden."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from cases import drive

CASES = Path(__file__).parent.parent / "cases"
GOLDEN = Path(__file__).parent.parent / "golden" / "before.py"
FILES = [*sorted(CASES.glob("c*.py")), GOLDEN]

REPEATS = {
    "c02_invoice_refund",
    "c04_pick_handle",
    "c05_bucket_batch",
    "c07_dns_zone",
    "c10_export_audit",
    "c11_plotter_queue",
    "c12_trip_planner",
    "c14_calendar_link",
    "c16_release_notes",
    "c17_triage_agent",
    "c20_letters",
    "c21_door_codes",
    "c25_tape_backup",
    "before",
}
"""Cases with an effect above an ask, or in a `finally` around one: replay does it again in every round."""

FAIL_OPEN = ("c08_feature_flags", 4)
"""Answered with content that breaks the schema, natively the change goes through unconfirmed. We ask again."""


def scripts() -> list[Any]:
    found = []
    for path in FILES:
        plain, extra = drive.scripts_of(drive.load(path))
        for kind, listed in (("plain", plain), ("extra", extra)):
            for number, script in enumerate(listed):
                if (path.stem, number) == FAIL_OPEN or _is_too_new(script):
                    continue
                name = f"{path.stem}-{drive.name_of(script)}-{kind}{number}"
                found.append(pytest.param(path, kind, number, script, id=name))
    return found


def _is_too_new(script: dict[str, Any]) -> bool:
    """Its tool uses `asyncio.TaskGroup`, which came with Python 3.11."""
    return script.get("tool") == "two_drafts" and sys.version_info < (3, 11)


def recorded(path: Path, kind: str, number: int) -> dict[str, Any]:
    suffix = ".expected.json" if kind == "plain" else ".extra.expected.json"
    run: dict[str, Any] = json.loads(path.with_suffix(suffix).read_text())[number]
    return run


@pytest.fixture(autouse=True)
def _quiet_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """One case puts the time into its question; that a question may change with it is tested elsewhere."""
    monkeypatch.setattr("time.strftime", lambda *_: "12:34:56")
    warnings.simplefilter("ignore")


@pytest.mark.parametrize(("path", "kind", "number", "script"), scripts())
def test_a_case_gives_its_native_result_and_questions(
    path: Path, kind: str, number: int, script: dict[str, Any]
) -> None:
    native = recorded(path, kind, number)
    module = drive.load(path)
    adapted = drive.blot(module, drive.run(module, drive.modern, path, script, True))

    assert adapted["out"] == native["out"]
    assert sorted(adapted["asked"]) == sorted(native["asked"])
    if path.stem not in REPEATS:
        assert adapted["effects"] == native["effects"]
    else:
        assert _is_repetition(adapted["effects"], native["effects"])


def _is_repetition(effects: list[str], native: list[str]) -> bool:
    """The last round runs the handler through, so it ends with all that natively happened; before that, repetition."""
    bogus = "audit table="
    return effects[len(effects) - len(native) :] == native and all(
        effect in native or effect.startswith(bogus) for effect in effects
    )


def test_an_invalid_answer_is_asked_again_where_it_once_failed_open() -> None:
    path = CASES / f"{FAIL_OPEN[0]}.py"
    module = drive.load(path)
    script = module.SCRIPTS[FAIL_OPEN[1]]
    assert "unconfirmed" in str(recorded(path, "plain", FAIL_OPEN[1])["out"])

    question, invalid = script["answers"][0]
    again = {**script, "answers": [[question, invalid], [question, {"action": "decline"}]]}
    adapted = drive.run(module, drive.modern, path, again, True)
    assert adapted["out"]["content"] == ["new-checkout stays at 10%"]
    assert adapted["effects"] == []
    assert len(adapted["asked"]) == 2


def test_all_cases_that_repeat_effects_are_named() -> None:
    """The list above is exact: a case that is not in it repeats nothing, and one in it does."""
    repeating = set()
    for path in FILES:
        module = drive.load(path)
        for kind, listed in zip(("plain", "extra"), drive.scripts_of(module), strict=True):
            for number, script in enumerate(listed):
                native = recorded(path, kind, number)
                if (path.stem, number) == FAIL_OPEN or not native["asked"] or _is_too_new(script):
                    continue
                adapted = drive.blot(module, drive.run(module, drive.modern, path, script, True))
                if len(adapted["effects"]) > len(native["effects"]):
                    repeating.add(path.stem)
    assert repeating == REPEATS
