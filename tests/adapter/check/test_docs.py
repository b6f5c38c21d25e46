"""docs/check.md lists the checks that there are."""

from __future__ import annotations

from pathlib import Path

from mrtr_adapter.check.catalog import OF_A_TOOL, OF_ALL_REPLIES, OF_THE_SERVER

PAGE = Path(__file__).parents[3] / "docs" / "check.md"


def test_the_page_lists_each_check_with_its_level_and_promise() -> None:
    listed = [
        line
        for line in PAGE.read_text("utf-8").splitlines()
        if line.startswith("| `") and line.count("|") == 3
    ]
    checks = [*OF_THE_SERVER, *OF_A_TOOL, *OF_ALL_REPLIES]
    assert listed[-len(checks) :] == [f"| `{c.id}` ({c.level.value}) | {c.title} |" for c in checks]
