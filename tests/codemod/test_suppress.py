from __future__ import annotations

import pytest

from mrtr_codemod.model import Finding, Level, Span
from mrtr_codemod.selection import PerFileIgnore, Selection
from mrtr_codemod.source import SourceFile
from mrtr_codemod.suppress import find_suppressions
from mrtr_codemod.triage import By, Triage, apply_comments

CODES = frozenset({"MRTR001", "MRTR002", "MRTR101", "MRTR301", "MRTR303"})


def triage(text: str, *found: tuple[str, int], selection: Selection | None = None) -> Triage:
    """Triage findings given as rule and line against the comments in `text`."""
    source = SourceFile("x.py", text)
    findings = [Finding(rule, Level.WARNING, "m", Span("x.py", line, 1, line, 2)) for rule, line in found]
    return apply_comments(findings, {"x.py": source}, selection or Selection(CODES, "/"))


def active(result: Triage) -> list[tuple[str, int]]:
    return [(finding.rule, finding.span.line) for finding in result.active]


def test_a_comment_with_a_reason_suppresses_its_rule_on_its_line() -> None:
    result = triage("ask()  # mrtr: ignore[MRTR301] -- an upsert\n", ("MRTR301", 1), ("MRTR303", 1))
    assert active(result) == [("MRTR303", 1)]
    assert [(item.finding.rule, item.by, item.reason) for item in result.suppressed] == [
        ("MRTR301", By.COMMENT, "an upsert")
    ]


def test_several_rules_may_share_a_comment() -> None:
    text = "ask()  # noqa: E501  # mrtr: ignore[MRTR301, MRTR303] -- an upsert -- really\n"
    result = triage(text, ("MRTR301", 1), ("MRTR303", 1))
    assert active(result) == []
    assert {item.reason for item in result.suppressed} == {"an upsert -- really"}


@pytest.mark.parametrize(
    ("comment", "words"),
    [
        ("# mrtr: ignore[MRTR301]", "gives no reason"),
        ("# mrtr: ignore[MRTR301] --", "gives no reason"),
        ("# mrtr: ignore[MRTR301] because", "names no rule"),
        ("# mrtr: ignore", "names no rule"),
        ("# mrtr: ignore[] -- why", "names no rule"),
        ("# mrtr:ignore -- why", "names no rule"),
        ("# mrtr: ignore[MRTR999] -- why", "MRTR999 is no rule"),
        ("# mrtr: ignore[mrtr301] -- why", "mrtr301 is no rule"),
    ],
)
def test_a_comment_out_of_order_suppresses_nothing_and_is_found(comment: str, words: str) -> None:
    result = triage(f"ask()  {comment}\n", ("MRTR301", 1))
    assert active(result) == [("MRTR301", 1), ("MRTR001", 1)]
    assert words in result.active[1].message
    assert result.active[1].span == Span("x.py", 1, 8, 1, 8 + len(comment))


def test_an_unused_code_is_found() -> None:
    result = triage("ask()  # mrtr: ignore[MRTR301, MRTR303] -- why\n", ("MRTR301", 1))
    assert active(result) == [("MRTR002", 1)]
    assert "MRTR303" in result.active[0].message


def test_a_rule_that_does_not_apply_leaves_no_comment_unused() -> None:
    text = "ask()  # mrtr: ignore[MRTR301] -- why\n"
    assert active(triage(text, selection=Selection(CODES, "/", ignore=("MRTR3",)))) == []
    per_file = Selection(CODES, "/", per_file_ignores=(PerFileIgnore("x.py", ("MRTR301",)),))
    assert active(triage(text, ("MRTR301", 1), selection=per_file)) == []


def test_the_rules_about_comments_can_be_ignored_like_any() -> None:
    text = "ask()  # mrtr: ignore[MRTR301]\n"
    assert active(triage(text, selection=Selection(CODES, "/", ignore=("MRTR0",)))) == []


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("ask(\n    a,  # mrtr: ignore[MRTR301] -- why\n    b,\n)\nask()\n", (1, 4)),
        ("# mrtr: ignore[MRTR301] -- why\n\n# more\nask(\n)\nask()\n", (1, 5)),
        ("if a:\n    # mrtr: ignore[MRTR301] -- why\n    ask()\n    ask()\n", (2, 3)),
        ("try:  # mrtr: ignore[MRTR301] -- why\n    ask()\n", (1, 1)),
        ("# mrtr: ignore[MRTR301] -- why\n@tool()\n@more(\n)\nasync def f(\n    a,\n):\n    ask()\n", (1, 7)),
        ("@tool()  # mrtr: ignore[MRTR301] -- why\nasync def f():\n    ask()\n", (1, 2)),
        ("a = b @ c  # mrtr: ignore[MRTR301] -- why\nask()\n", (1, 1)),
        ("ask()\n# mrtr: ignore[MRTR301] -- why\n", (2, 2)),
        ("ask()\r\n# mrtr: ignore[MRTR301] -- why\r\nask()\r\n", (2, 3)),
        ("ask()\n\x0c\n# mrtr: ignore[MRTR301] -- why\nask()", (3, 4)),
    ],
)
def test_a_comment_speaks_for_its_statement(text: str, lines: tuple[int, int]) -> None:
    (comment,) = find_suppressions(SourceFile("x.py", text))
    assert (comment.first, comment.last) == lines
    assert comment.reason == "why"


def test_a_string_is_no_comment() -> None:
    assert find_suppressions(SourceFile("x.py", 'a = "# mrtr: ignore[MRTR301] -- why"\n')) == []


def test_a_comment_in_a_file_that_does_not_parse_is_passed_over() -> None:
    assert find_suppressions(SourceFile("x.py", "print 'a'\n'''\n# mrtr: ignore[MRTR301] -- why\n")) == []
