"""docs/telemetry.md lists what is emitted, no more and no less."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError

from adapter.rounds import YES, always, call, play_tool
from adapter.servers import Ok, serving
from adapter.telemetry.emitted import Emitted
from adapter.telemetry.scraped import PAGE, scraped
from mrtr_adapter.telemetry import names
from mrtr_adapter.telemetry.names import Metric

TEXT = PAGE.read_text("utf-8")


def table(head: str) -> list[list[str]]:
    """The rows of the table whose head begins like this, cell by cell and without backticks."""
    lines = TEXT[TEXT.index(f"| {head}") :].splitlines()
    rows = []
    for line in lines[2:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip().replace("`", "") for cell in line.strip("|").split("|")])
    return rows


def row(metric: Metric) -> list[str]:
    attributes = ", ".join(metric.attributes) or "none"
    return [metric.name, metric.kind, metric.unit, attributes, metric.description]


def test_the_metrics() -> None:
    assert table("metric") == [row(metric) for metric in names.METRICS]


def test_the_attributes_of_spans_the_outcomes_and_the_reasons() -> None:
    assert [cells[0] for cells in table("attribute")] == list(names.SPAN_ATTRIBUTES)
    assert [cells[0] for cells in table("outcome")] == list(names.OUTCOMES)
    assert [cells[0] for cells in table("`mrtr.reason` of")] == list(names.REASONS)


@pytest.mark.anyio
async def test_what_is_listed_is_what_is_emitted(out: Emitted, tmp_path: Path) -> None:
    async def handler(ctx: Context) -> str:
        (tmp_path / "file").write_text("x")
        return (await ctx.elicit("Sure?", Ok)).action

    await play_tool(serving(handler), "tool", always(YES))
    with pytest.raises(MCPError):
        await call(serving(handler)(), "tool", capabilities={})
    attributes = {name for span in out.spans for name in span.attributes or {} if name.startswith("mrtr.")}
    assert attributes == set(names.SPAN_ATTRIBUTES)
    for metric in (names.REQUEST_DURATION, names.FLOW_DURATION, names.FLOW_ROUNDS, names.REPLAYS):
        for point in out.points(metric.name):
            assert set(point.attributes) <= set(metric.attributes)


def test_prometheus_gets_all_of_the_metrics_by_the_block_on_the_page(tmp_path: Path) -> None:
    exported = scraped(tmp_path)
    for metric in names.METRICS:
        name = metric.name.replace(".", "_")
        assert any(re.fullmatch(rf"{name}(_seconds)?(_total|_count)?", sample) for sample in exported), name
