"""The verdicts on legacy-style servers, with their reasons."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from mrtr_codemod.check import check
from mrtr_codemod.model import AskKind, Handler, Report, Verdict
from mrtr_codemod.source import SourceFile

CASES = Path(__file__).parents[2] / "cases"
SAFE, REVIEW = Verdict.REWRITE_SAFE, Verdict.REWRITE_REVIEW
ADAPTER, MEMO = Verdict.ADAPTER, Verdict.ADAPTER_MEMO

# Handler, the verdict, its rounds (None: no bound), and how many ways lead to an ask.
EXPECTED = [
    ("c01_mailbox_purge", "purge_folder", SAFE, 1, 1),
    ("c02_invoice_refund", "refund_invoice", REVIEW, 2, 2),
    ("c03_deploy_gate", "deploy", SAFE, 1, 1),
    ("c04_pick_handle", "create_account", REVIEW, 3, 1),
    ("c05_bucket_batch", "run_batch", REVIEW, None, 1),
    ("c06_warehouse", "write_off", REVIEW, 1, 1),
    ("c06_warehouse", "rename_sku", REVIEW, 1, 1),
    ("c06_warehouse", "drop_empty", REVIEW, 1, 1),
    ("c07_dns_zone", "set_record", REVIEW, 1, 1),
    ("c07_dns_zone", "remove_record", REVIEW, 1, 1),
    ("c08_feature_flags", "set_rollout", REVIEW, 1, 1),
    ("c08_feature_flags", "delete_flag", REVIEW, 1, 1),
    ("c09_meeting_notes", "publish_notes", REVIEW, 2, 2),
    ("c10_export_audit", "export_table", REVIEW, 1, 1),
    ("c11_plotter_queue", "plot", MEMO, 1, 1),
    ("c11_plotter_queue", "recalibrate", ADAPTER, 1, 1),
    ("c12_trip_planner", "plan_trip", REVIEW, 1, 2),
    ("c12_trip_planner", "compare_cities", SAFE, 1, 1),
    ("c13_workspace_report", "weekly_report", ADAPTER, 1, 3),
    ("c13_workspace_report", "two_drafts", ADAPTER, 1, 3),
    ("c14_calendar_link", "link_calendar", REVIEW, 1, 1),
    ("c14_calendar_link", "link_and_share", REVIEW, 2, 2),
    ("c15_tracker_oauth", "my_issues", REVIEW, 1, 1),
    ("c15_tracker_oauth", "close_issue", REVIEW, 1, 1),
    ("c16_release_notes", "release_notes", REVIEW, 2, 2),
    ("c17_triage_agent", "triage", REVIEW, 5, 1),
    ("c18_scaffold", "new_project", REVIEW, 3, 3),
    ("c19_sms_gateway", "call_tool", REVIEW, 2, 2),
    ("c20_letters", "write_letter", SAFE, 1, 1),
    ("c20_letters", "polish_letter", SAFE, 1, 1),
    ("c20_letters", "archive", REVIEW, 1, 1),
    ("c21_door_codes", "unlock", REVIEW, 1, 1),
    ("c21_door_codes", "reset_all", REVIEW, 1, 1),
    ("c22_payments", "pay", SAFE, 1, 1),
    ("c22_payments", "change_account", REVIEW, 2, 2),
    ("c22_payments", "raise_limit", SAFE, 1, 1),
    ("c23_greenhouse", "Greenhouse.water", REVIEW, 2, 2),
    ("c23_greenhouse", "Greenhouse.toggle_vents", SAFE, 1, 1),
    ("c24_snippets", "delete_snippet", SAFE, 1, 1),
    ("c24_snippets", "rename_snippet", SAFE, 1, 1),
    ("c24_snippets", "overwrite", SAFE, 1, 1),
    # The ask is the test of the conditional expression: it always runs, and what stands before it is a constant.
    ("c24_snippets", "share", SAFE, 1, 1),
    ("c25_tape_backup", "back_up", REVIEW, 2, 2),
    ("c25_tape_backup", "eject", SAFE, 1, 1),
    ("c29_valve_timeout", "open_valve", ADAPTER, 1, 1),
    ("c29_valve_timeout", "shut_valve", ADAPTER, 1, 1),
    ("fastmcp/f26_tea_house", "order_tea", REVIEW, 3, 3),
    ("fastmcp/f26_tea_house", "rate_visit", REVIEW, 2, 2),
    ("fastmcp/f27_courier", "book_courier", REVIEW, 3, 3),
    ("fastmcp/f27_courier", "move_booking", SAFE, 1, 1),
    ("fastmcp/f28_research_desk", "brief", REVIEW, 3, 3),
    ("fastmcp/f28_research_desk", "second_opinion", REVIEW, 3, 3),
]

# The rule and the line of every hazard that replay has; what the table of effects in the cases' README says.
REPEATED = {
    "c02_invoice_refund": {46},
    "c04_pick_handle": {44},
    "c05_bucket_batch": {50},
    "c07_dns_zone": {38},
    "c11_plotter_queue": {45},
    "c12_trip_planner": {30},
    "c14_calendar_link": {42, 55},
    "c15_tracker_oauth": {60},
    "c16_release_notes": {29},
    "c17_triage_agent": {47},
    "c20_letters": {49},
    "c21_door_codes": {46},
    "c25_tape_backup": {36},
    "fastmcp/f26_tea_house": {37},
    "fastmcp/f27_courier": {44},
    "fastmcp/f28_research_desk": {32},
}


@cache
def report() -> Report:
    paths = sorted({f"{case}.py" for case, *_ in EXPECTED})
    return check([SourceFile(path, (CASES / path).read_text(encoding="utf-8")) for path in paths])


def handler(case: str, name: str) -> Handler:
    found = [h for h in report().handlers if h.span.path == f"{case}.py" and h.name == name]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(("case", "name", "verdict", "rounds", "asks"), EXPECTED)
def test_a_case_gets_its_verdict(
    case: str, name: str, verdict: Verdict, rounds: int | None, asks: int
) -> None:
    found = handler(case, name)
    assert (found.verdict, found.rounds, len(found.asks)) == (verdict, rounds, asks), found.reason
    assert found.reason


def test_no_handler_is_invented_and_none_is_left_out() -> None:
    assert {(h.span.path, h.name) for h in report().handlers} == {
        (f"{case}.py", name) for case, name, *_ in EXPECTED
    }
    assert not report().failures


def test_only_the_effects_that_replay_repeats_are_found_above_asks() -> None:
    found: dict[str, set[int]] = {}
    for finding in report().findings:
        if finding.rule == "MRTR301":
            found.setdefault(finding.span.path.removesuffix(".py"), set()).add(finding.span.line)
    assert found == REPEATED


def test_the_two_confirmations_that_fail_open_are_errors() -> None:
    found = [(f.span.path, f.span.line, f.level.value) for f in report().findings if f.rule == "MRTR303"]
    assert found == [("c08_feature_flags.py", 29, "error"), ("c09_meeting_notes.py", 45, "error")]


def test_an_ask_is_reported_with_the_calls_that_lead_to_it() -> None:
    (ask,) = handler("c07_dns_zone", "remove_record").asks
    assert [span.line for span in ask.via] == [69, 40]
    assert (ask.kind, ask.span.line, ask.question) == (AskKind.FORM, 27, "f'Sign off: {what}'")


def test_a_local_is_live_with_the_type_that_it_was_given() -> None:
    live = handler("c13_workspace_report", "weekly_report").live
    assert ("found", "dict[str, Any]") in {(local.name, local.type) for local in live}
    assert {local.name for local in handler("c02_invoice_refund", "refund_invoice").live} == {
        "hold",
        "paid",
        "amount",
    }


def test_memo_is_advised_with_its_line() -> None:
    assert handler("c11_plotter_queue", "plot").reason.startswith("memo/once at line 45;")
