from __future__ import annotations

from dataclasses import replace

import pytest

from codemod.report.samples import SERVER, sample
from mrtr_codemod.model import Finding, Level, Span
from mrtr_codemod.report import text
from mrtr_codemod.report.outcome import Outcome
from mrtr_codemod.report.snippet import LIMIT, snippet
from mrtr_codemod.report.summary import stages
from mrtr_codemod.report.visible import visible, width
from mrtr_codemod.source import SourceFile
from mrtr_codemod.triage import By, Suppressed


def carets_under(line: str, piece: str) -> tuple[str, str]:
    start = line.index(piece) + 1
    return snippet(line, Span("x.py", 1, start, 1, start + len(piece)))


def test_a_finding_shows_place_rule_message_source_and_caret() -> None:
    shown = text.render(sample(), color=False)
    assert (
        "src/files.py:23:5: MRTR303 error: `storage.delete` runs although the question failed: this except goes on\n"
        "23 |     except Exception:\n"
        "   |     ^^^^^^^^^^^^^^^^^\n"
        "  the question: src/files.py:20:24\n"
    ) in shown


def test_a_notebook_place_names_cell_and_line() -> None:
    assert "demo.ipynb:cell 4:1:16: MRTR101 info: asks by form\n1 | answer = " in text.render(
        sample(), color=False
    )


def test_a_handler_shows_its_way_to_an_ask_and_its_verdict() -> None:
    shown = text.render(sample(), color=False)
    assert "asks     form: src/files.py:53:22 → src/files.py:9:20" in shown
    assert "carries  snapshot: int" in shown
    assert "verdict  rewrite (review): `attempts` and `prompt` travel in the state" in shown
    assert "ping" not in shown


def test_the_order_begins_with_what_is_dangerous() -> None:
    order = text.render(sample(), color=False).partition("The order to go in\n")[2]
    assert order.startswith("1. Fix first (1).")
    assert order.index("purge") < order.index("plan") < order.index("pick_handle")


def test_what_a_comment_answers_for_is_not_dangerous_and_what_the_baseline_accepts_is() -> None:
    outcome = sample()
    grave = outcome.handlers[0].hazards[1]
    for by, first in [(By.COMMENT, "Adapt as they are"), (By.BASELINE, "Fix first")]:
        suppressed = (Suppressed(grave, by, "it is refused further up"),)
        assert stages(replace(outcome, suppressed=suppressed))[0].title == first


def test_the_last_line_sums_up() -> None:
    assert text.render(sample(), color=False).splitlines()[-2:] == [
        "3 handlers to migrate: 1 rewrite (review), 1 adapter, 1 by hand.",
        "4 files checked, 1 error, 2 warnings, 3 notes, 1 suppressed, 1 file not checked.",
    ]
    assert text.render(Outcome(files=3), color=False) == "3 files checked, no findings.\n"


def test_colour_is_only_there_when_asked_for() -> None:
    assert "\x1b[" not in text.render(sample(), color=False)
    assert "\x1b[31m" in text.render(sample(), color=True)


def test_statistics_count_each_rule_the_most_frequent_first() -> None:
    lines = text.render_statistics(sample(), color=False).splitlines()
    assert lines[0] == "3  MRTR101  What `MRTR101` finds."
    assert [line[:1] for line in lines[:4]] == ["3", "1", "1", "1"]
    assert lines[4].startswith("src/old.py: not checked:")


@pytest.mark.parametrize(
    ("line", "piece", "shown", "carets"),
    [
        ("\tx = ask()", "ask", "    x = ask()", "        ^^^"),
        ("名 = ask()", "ask", "名 = ask()", "     ^^^"),
        ("x = 名()", "名", "x = 名()", "    ^^"),
        ("e\u0301 = ask()", "ask", "e\u0301 = ask()", "    ^^^"),
        ("a\x1b[31mb = ask()", "ask", "a\\x1b[31mb = ask()", "             ^^^"),
    ],
)
def test_the_caret_stands_under_its_piece(line: str, piece: str, shown: str, carets: str) -> None:
    assert carets_under(line, piece) == (shown, carets)


def test_a_long_line_is_cut_around_the_caret() -> None:
    shown, carets = carets_under("a" * 100_000 + "ask" + "b" * 100_000, "ask")
    assert len(shown) <= LIMIT + 2
    assert shown[carets.index("^") :].startswith("ask")
    assert carets.strip() == "^^^"


def test_an_empty_or_impossible_span_still_gets_a_caret() -> None:
    assert snippet("ab", Span("x.py", 1, 2, 1, 2)) == ("ab", " ^")
    assert snippet("ab", Span("x.py", 1, 99, 1, 120)) == ("ab", "  ^")
    assert snippet("ab(", Span("x.py", 1, 1, 4, 2)) == ("ab(", "^^^")


def test_nothing_steers_the_terminal() -> None:
    hostile = "\x1b]0;owned\x07\u202e\x9b31m"
    server = SERVER.replace("could not ask", hostile)
    outcome = sample(server, path=f"a{hostile}.py")
    finding = Finding(
        "MRTR301", Level.ERROR, f"calls {hostile}", Span(f"a{hostile}.py", 24, 1, 24, 20), hostile
    )
    shown = text.render(replace(outcome, findings=(finding,)), color=False)
    assert not {"\x1b", "\x07", "\u202e", "\x9b"} & set(shown)
    assert "\\x1b]0;owned\\x07\\u202e\\x9b31m" in shown


def test_visible_text_keeps_what_is_harmless() -> None:
    assert visible("naïve 日本 🎉 ~") == "naïve 日本 🎉 ~"
    assert visible("\ud800\u200b") == "\\ud800\\u200b"
    assert width("日本") == 4


def test_a_finding_whose_source_is_not_at_hand_has_no_excerpt() -> None:
    finding = Finding("MRTR301", Level.INFO, "m", Span("gone.py", 3, 1, 3, 5))
    assert text.render(Outcome(1, (finding,)), color=False).startswith("gone.py:3:1: MRTR301 info: m\n\n")
    blank = Outcome(1, (finding,), sources={"gone.py": SourceFile("gone.py", "\n\n\n")})
    assert text.render(blank, color=False).startswith("gone.py:3:1: MRTR301 info: m\n\n")
