"""The dashboard asks for metrics and labels that a server really exports, in queries that Prometheus can read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import promql_parser
import pytest

from adapter.telemetry.scraped import ROOT, scraped

DASHBOARD = json.loads((ROOT / "samples" / "telemetry" / "dashboard.json").read_text("utf-8"))
QUERIES = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, frozenset[str]]:
    return scraped(tmp_path_factory.mktemp("scraped"))


def read(query: str) -> Any:
    return promql_parser.parse(query.replace("$__rate_interval", "5m").replace("$tool", ".*"))


def selectors(node: Any) -> Iterator[Any]:
    """The metrics that a query reads."""
    if isinstance(node, promql_parser.VectorSelector):
        yield node
    elif isinstance(node, promql_parser.MatrixSelector):
        yield node.vector_selector
    elif isinstance(node, promql_parser.Call):
        for argument in node.args:
            yield from selectors(argument)
    elif isinstance(node, promql_parser.BinaryExpr):
        yield from selectors(node.lhs)
        yield from selectors(node.rhs)
    elif hasattr(node, "expr"):
        yield from selectors(node.expr)


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_reads_metrics_and_labels_that_exist(
    query: str, exported: Mapping[str, frozenset[str]]
) -> None:
    found = list(selectors(read(query)))
    assert found
    for selector in found:
        assert selector.name in exported
        for matcher in selector.matchers.matchers:
            assert matcher.name in exported[selector.name]
    for grouped in re.findall(r"by \((\w+)\)", query):
        assert all(grouped in exported[selector.name] for selector in found)


def test_every_metric_is_on_the_dashboard(exported: Mapping[str, frozenset[str]]) -> None:
    asked = {selector.name for query in QUERIES for selector in selectors(read(query))}
    families = {
        re.sub(r"_(bucket|count|sum)$", "", name) for name in exported if not name.endswith("_created")
    }
    assert {re.sub(r"_(bucket|count|sum)$", "", name) for name in asked} == families


def test_the_choice_of_tools_reads_a_label_that_exists(exported: Mapping[str, frozenset[str]]) -> None:
    (tool,) = (entry for entry in DASHBOARD["templating"]["list"] if entry["name"] == "tool")
    name, label = re.findall(r"\w+", tool["query"]["query"])[1:]
    assert label in exported[name]
