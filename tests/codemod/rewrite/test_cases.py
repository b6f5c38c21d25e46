"""The proof: servers as people wrote them, natively on a 2025-11-25 session, and rewritten on 2026-07-28 with every
round on a freshly imported copy, give the same results, the same questions and the same effects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cases import drive
from mrtr_codemod.rewrite.verify import problems

from .fleet import instance
from .rewriting import rewritten

TESTS = Path(__file__).parents[2]
FILES = [
    TESTS / "golden" / "before.py",
    *sorted((TESTS / "cases").glob("c*.py")),
    *sorted((TESTS / "cases" / "fastmcp").glob("f*.py")),
]

VERDICTS = {
    "before": {
        "close_ticket": "safe", "delete_files": "review", "book": "review", "purge": "review", "greet": "safe",
        "connect": "review",
    },
    "c01_mailbox_purge": {"purge_folder": "safe"},
    "c02_invoice_refund": {"refund_invoice": "review"},
    "c03_deploy_gate": {"deploy": "safe"},
    "c04_pick_handle": {"create_account": "review"},
    "c05_bucket_batch": {"run_batch": "review"},
    "c06_warehouse": {"write_off": "review", "rename_sku": "review", "drop_empty": "review"},
    "c07_dns_zone": {"set_record": "review", "remove_record": "review"},
    "c08_feature_flags": {"set_rollout": "review", "delete_flag": "review"},
    "c09_meeting_notes": {"publish_notes": "review"},
    "c10_export_audit": {"export_table": "review"},
    "c11_plotter_queue": {"plot": "resource-held", "recalibrate": "resource-held"},
    "c12_trip_planner": {"plan_trip": "review", "compare_cities": "safe"},
    "c13_workspace_report": {"weekly_report": "nested-ask", "two_drafts": "task-group"},
    "c14_calendar_link": {"link_calendar": "review", "link_and_share": "process-memory"},
    "c15_tracker_oauth": {"my_issues": "review", "close_issue": "review"},
    "c16_release_notes": {"release_notes": "review"},
    "c17_triage_agent": {"triage": "review"},
    "c18_scaffold": {"new_project": "review"},
    "c19_sms_gateway": {"call_tool": "review"},
    "c20_letters": {"write_letter": "safe", "polish_letter": "safe", "archive": "review"},
    "c21_door_codes": {"unlock": "review", "reset_all": "secret-in-state"},
    "c22_payments": {"pay": "safe", "change_account": "review", "raise_limit": "safe"},
    "c23_greenhouse": {"Greenhouse.water": "review", "Greenhouse.toggle_vents": "safe"},
    "c24_snippets": {"delete_snippet": "safe", "rename_snippet": "safe", "overwrite": "safe", "share": "safe"},
    "c25_tape_backup": {"back_up": "review", "eject": "safe"},
    "c29_valve_timeout": {"open_valve": "ask-in-decorator", "shut_valve": "ask-in-decorator"},
    "f26_tea_house": {"order_tea": "review", "rate_visit": "review"},
    "f27_courier": {"book_courier": "review", "move_booking": "safe"},
    "f28_research_desk": {"brief": "review", "second_opinion": "review"},
    "f30_library_loans": {"lend": "review", "recommend": "safe", "card": "safe"},
    "f31_clinic_intake": {"intake": "review", "count_visits": "review"},
    "f32_garden_agent": {"tend": "asking-tool", "plan_step": "asking-tool"},
    "f33_print_shop": {"order_prints": "review", "deliver": "review", "sign_off": "safe", "mislabel": "safe"},
    "f34_locker_room": {"open_locker": "ask-in-dependency", "lend_towel": "session-state"},
    "f35_ferry_desk": {
        "cancel_sailing": "ask-in-middleware", "crew": "ask-in-middleware", "Consent.on_call_tool": "no-round",
    },
    "f36_night_shift": {"fill_shift": "safe", "set_break": "review", "release": "review"},
    "f37_signal_box": {
        "_flash": "safe", "Points.switch": "review", "Signals.set_signal": "safe", "Closure.run": "safe",
    },
    "f38_border_post": {"declare": "review", "open_gate": "safe"},
}  # fmt: skip
"""What becomes of each handler: its level, or the rule by which it stays as it is."""

REFUSED_PAGE = ("c15_tracker_oauth", 1), ("c15_tracker_oauth", 2)
"""Extra scripts in which the user refuses a page. The old call ended with -32042 itself, which is gone."""

FAIL_OPEN = ("c08_feature_flags", 4)
"""Answered with content that breaks the schema, the old handler applies the change unconfirmed. We ask again."""


def level_of(verdict: Any) -> str:
    return verdict.rule or verdict.level.value


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_each_handler_gets_its_verdict(path: Path) -> None:
    result = rewritten(path.read_text())
    assert {v.name: level_of(v) for v in result.handlers} == VERDICTS[path.stem]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_the_rewritten_file_stands_up_and_a_second_run_changes_nothing(path: Path) -> None:
    source = path.read_text()
    result = rewritten(source)
    assert problems(source, result.after, path.name) == []
    assert rewritten(result.after).after == result.after


def scripts() -> list[Any]:
    """Every script whose handler is rewritten."""
    found = []
    for path in FILES:
        stays = {name for name, level in VERDICTS[path.stem].items() if level not in ("safe", "review")}
        plain, extra = drive.scripts_of(drive.load(path))
        for kind, listed in (("plain", plain), ("extra", extra)):
            for number, script in enumerate(listed):
                name = drive.name_of(script)
                if name in stays or (path.stem, number) == FAIL_OPEN:
                    continue
                if kind == "extra" and (path.stem, number) in REFUSED_PAGE:
                    continue
                found.append(
                    pytest.param(path, kind, number, script, id=f"{path.stem}-{name}-{kind}{number}")
                )
    return found


@pytest.mark.parametrize(("path", "kind", "number", "script"), scripts())
def test_rewritten_code_does_what_the_old_code_did(
    path: Path,
    kind: str,
    number: int,
    script: dict[str, Any],
    rewritten_file: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    new = rewritten_file(path)
    monkeypatch.setattr(drive, "load", instance)
    recorded = path.with_suffix(".expected.json" if kind == "plain" else ".extra.expected.json")
    expected = json.loads(recorded.read_text())[number]
    module = drive.load(new)
    got = drive.blot(module, drive.run(module, drive.modern, new, script, False))
    assert drive.same(expected, got, effects=True) == []
    assert got["asked"] == expected["asked"], "the questions come in the same order"


def test_a_confirmation_that_failed_open_asks_again(
    rewritten_file: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = TESTS / "cases" / "c08_feature_flags.py"
    monkeypatch.setattr(drive, "load", instance)
    module = drive.load(path)
    script = module.SCRIPTS[FAIL_OPEN[1]]
    again = {**script, "answers": [*script["answers"], ["Move", {"action": "decline"}]]}
    got = drive.run(module, drive.modern, rewritten_file(path), again, False)
    assert got["out"]["content"] == ["new-checkout stays at 10%"]
    assert got["effects"] == []


@pytest.mark.parametrize("number", [n for _, n in REFUSED_PAGE])
def test_a_refused_page_ends_the_call(
    number: int, rewritten_file: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = TESTS / "cases" / "c15_tracker_oauth.py"
    monkeypatch.setattr(drive, "load", instance)
    module = drive.load(path)
    script = {**module.EXTRA_SCRIPTS[number], "extra": True}
    got = drive.run(module, drive.modern, rewritten_file(path), script, False)
    assert "The user did not agree" in got["out"]["raised"]
    assert got["asked"] == ["url: Connect the tracker account of eve"]
    assert got["effects"] == []
