from __future__ import annotations

import re
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from codemod.report.samples import sample
from mrtr_codemod.model import Finding, Level, Span
from mrtr_codemod.report import markdown
from mrtr_codemod.report.outcome import Outcome

RENDERER = MarkdownIt("commonmark", {"html": True}).enable("table")


def with_message(message: str) -> Outcome:
    finding = Finding("MRTR101", Level.INFO, message, Span("a.py", 1, 1, 1, 2))
    return replace(sample(), findings=(finding,), handlers=(), suppressed=())


def test_it_tells_the_standing_the_order_the_handlers_and_the_findings() -> None:
    shown = markdown.render(sample())
    headings = [line for line in shown.splitlines() if line.startswith("## ")]
    assert headings == [
        "## Not checked",
        "## Where it stands",
        "## The order to go in",
        "## Handlers that ask",
        "## Findings",
        "## Rules",
    ]
    assert "1. **Fix first**: `purge`." in shown
    assert "- **by hand**: the `except` must first refuse instead of going on" in shown
    assert "| error | MRTR303 | `src/files.py:23:5` |" in shown


def test_a_clean_repo_needs_one_sentence() -> None:
    assert (
        markdown.render(Outcome(files=2)) == "# MCP 2026-07-28 migration\n\n2 files checked, no findings.\n"
    )


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "a | b | c",
        "[x](javascript:alert(1))",
        "**bold** _it_ ~~no~~",
        "end\n\n# Heading",
        "`<b>` and ``<i>``",
        "`unclosed <b>",
        "\\`<b>\\`",
        "`a|b`",
        "- item",
        "# Heading",
        "![x](y.png)",
        "&lt;b&gt; $x$",
    ],
)
def test_a_message_stays_text(hostile: str) -> None:
    html = RENDERER.render(markdown.render(with_message(hostile)))
    row = re.findall(r"<tr>.*?</tr>", html, re.DOTALL)[1]
    assert row.count("<td>") == 4
    assert set(re.findall(r"<(\w+)", row)) <= {"tr", "td", "code"}
    assert "Heading</h1>" not in html


def test_nobody_is_mentioned_and_no_issue_linked() -> None:
    shown = markdown.render(with_message("asked in @mcp.tool, see #12"))
    assert "@mcp" not in shown
    assert "#12" not in shown
    assert "asked in @<!-- -->mcp.tool, see #<!-- -->12" in shown


@pytest.mark.parametrize("text", ["a`b", "``", "`", "a|b", " x", "\n"])
def test_a_code_span_holds_any_text(text: str) -> None:
    html = RENDERER.renderInline(markdown.code(text))
    assert html.startswith("<code>")
    assert html.endswith("</code>")
    assert html.count("<") == 2
