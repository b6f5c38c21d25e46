"""The filters: search, level, way and rule. Hidden until the script that works them runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mrtr_codemod.report.html.markup import Markup, join, tag
from mrtr_codemod.report.html.overview import SLUGS
from mrtr_codemod.report.summary import level_counts, rule_counts, verdict_counts

if TYPE_CHECKING:
    from mrtr_codemod.report.outcome import Outcome

_LEVEL_NAMES = {"error": "errors", "warning": "warnings", "info": "notes"}


def toolbar(outcome: Outcome) -> Markup:
    """Return the filter bar; empty if there is nothing to filter."""
    if not (outcome.findings or outcome.asking):
        return Markup()
    levels = [
        _toggle("level", level.value, _LEVEL_NAMES[level.value], level.value)
        for level, count in level_counts(outcome).items()
        if count
    ]
    ways = [_toggle("verdict", SLUGS[way], way.value, SLUGS[way]) for way in verdict_counts(outcome)]
    return tag(
        "form",
        {"id": "filters", "role": "search", "aria-label": "Filter the report", "hidden": True},
        _search(),
        _rules(outcome),
        tag("div", {"class": "chips", "role": "group", "aria-label": "Level"}, join(levels))
        if levels
        else "",
        tag("div", {"class": "chips", "role": "group", "aria-label": "Way"}, join(ways)) if ways else "",
        tag("button", {"type": "reset", "id": "clear"}, "Clear"),
        tag("output", {"id": "shown", "aria-live": "polite"}),
    )


def _search() -> Markup:
    attributes = {"type": "search", "id": "query", "placeholder": "Search  /", "autocomplete": "off"}
    return tag(
        "label", {"class": "field"}, tag("span", {"class": "hide"}, "Search"), tag("input", attributes)
    )


def _rules(outcome: Outcome) -> Markup:
    options = [tag("option", {"value": ""}, "All rules")]
    for code, count in sorted(rule_counts(outcome)):
        options.append(tag("option", {"value": code}, f"{code} {outcome.rules[code].name} ({count:,})"))
    return tag(
        "label",
        {"class": "field"},
        tag("span", {"class": "hide"}, "Rule"),
        tag("select", {"id": "rule"}, join(options)),
    )


def _toggle(name: str, value: str, label: str, kind: str) -> Markup:
    attributes = {"type": "button", "class": f"chip {kind}", "data-filter": name, "data-value": value}
    return tag("button", {**attributes, "aria-pressed": "false"}, label)
