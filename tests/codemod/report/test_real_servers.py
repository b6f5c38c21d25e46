"""The formats over real handlers, as the check finds them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from jsonschema import Draft4Validator, Draft202012Validator

from codemod.report import test_json_report, test_sarif
from codemod.report.test_html import Reader
from mrtr_codemod.cli.pipeline import run
from mrtr_codemod.cli.settings import Overrides, settle
from mrtr_codemod.model import Handler
from mrtr_codemod.report import html, json_report, sarif, text
from mrtr_codemod.report.html.flow import Flow, ResumePoint, flow
from mrtr_codemod.report.html.outline import outline
from mrtr_codemod.report.html.tree import Tree
from mrtr_codemod.report.outcome import Outcome

CASES = Path(__file__).parents[2] / "cases"


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    paths = [str(CASES)]
    found = run(paths, settle(Overrides(), paths), stdin_name="stdin.py", accept_in=None).outcome
    assert len(found.asking) > 40
    return found


def test_json_and_sarif_keep_to_their_schemas(outcome: Outcome) -> None:
    Draft202012Validator(test_json_report.SCHEMA).validate(json.loads(json_report.render(outcome)))
    Draft4Validator(test_sarif.SCHEMA).validate(json.loads(sarif.render(outcome)))


def test_the_page_is_whole(outcome: Outcome) -> None:
    reader = Reader(html.render(outcome))
    ids = reader.values("id")
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in reader.values("href") if link.startswith("#")} <= set(ids)
    assert reader.values("data-item").count("handler") == len(outcome.asking)


def flows(outcome: Outcome) -> Iterator[tuple[Handler, Flow]]:
    trees = {path: Tree(source) for path, source in outcome.sources.items()}
    for handler in outcome.asking:
        path = handler.span.path
        yield handler, flow(handler, outline(handler, outcome.sources[path], trees[path].module))


def test_every_ask_and_hazard_is_in_the_drawing_once(outcome: Outcome) -> None:
    for handler, drawn in flows(outcome):
        asks = [ask for step in drawn.steps if isinstance(step, ResumePoint) for ask in step.asks]
        hazards = [*drawn.elsewhere, *(hazard for step in drawn.steps for hazard in step.hazards)]
        assert sorted(ask.span for ask in asks) == sorted(ask.span for ask in handler.asks)
        assert sorted(h.span for h in hazards) == sorted(h.span for h in handler.hazards), handler.name


def test_segments_follow_each_other(outcome: Outcome) -> None:
    for handler, drawn in flows(outcome):
        lines = [(step.first, step.last) for step in drawn.steps if not isinstance(step, ResumePoint)]
        assert all(first <= last for first, last in lines), handler.name
        assert all(before[1] < after[0] for before, after in pairwise(lines)), handler.name


def test_the_terminal_tells_of_every_handler(outcome: Outcome) -> None:
    shown = text.render(outcome, color=False)
    assert all(f"\n{handler.name}  " in shown for handler in outcome.asking)
