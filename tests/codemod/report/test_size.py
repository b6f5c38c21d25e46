"""Every format copes with five thousand findings and hundreds of handlers."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from codemod.report.samples import sample
from mrtr_codemod.report import github, html, json_report, markdown, sarif, text
from mrtr_codemod.report.outcome import Outcome

FORMATS: dict[str, Callable[[Outcome], str]] = {
    "text": lambda outcome: text.render(outcome, color=False),
    "statistics": lambda outcome: text.render_statistics(outcome, color=False),
    "json": json_report.render,
    "sarif": sarif.render,
    "github": github.render,
    "markdown": markdown.render,
    "html": html.render,
}


def large(times: int) -> Outcome:
    outcome = sample()
    findings = tuple(replace(f, message=f"{f.message} {n}") for n in range(times) for f in outcome.findings)
    handlers = tuple(
        replace(handler, name=f"{handler.name}_{n}")
        for n in range(times // 4)
        for handler in outcome.handlers
    )
    return replace(outcome, findings=findings, handlers=handlers)


@pytest.mark.parametrize("name", FORMATS)
def test_time_grows_with_the_number_of_findings_and_no_faster(name: str) -> None:
    render = FORMATS[name]
    few, many = large(84), large(840)
    assert len(many.findings) > 5000
    render(few)
    spent = []
    for outcome in (few, many):
        started = time.process_time()
        render(outcome)
        spent.append(time.process_time() - started)
    # Ten times as much: a quadratic step would show as a hundred.
    assert spent[1] < 40 * spent[0] + 0.2, spent
