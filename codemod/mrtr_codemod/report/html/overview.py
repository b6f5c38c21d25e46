"""The top of the page: where the repo stands, what was not checked, and the order to go in."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from mrtr_codemod.model import AskKind, Verdict
from mrtr_codemod.report.facts import ASK_NAMES
from mrtr_codemod.report.html.markup import Markup, join, prose, tag
from mrtr_codemod.report.summary import level_counts, one_line, plural, stages, verdict_counts

if TYPE_CHECKING:
    from mrtr_codemod.model import Handler
    from mrtr_codemod.report.html.anchors import Anchors
    from mrtr_codemod.report.outcome import Outcome

_BAR = 1000
"""The width of the bar in its own units."""
_NAMES = 12
"""Handlers of a stage that are named before the rest is folded up."""
SLUGS = {
    Verdict.REWRITE_SAFE: "safe",
    Verdict.REWRITE_REVIEW: "review",
    Verdict.ADAPTER: "adapter",
    Verdict.ADAPTER_MEMO: "memo",
    Verdict.GATEWAY: "gateway",
    Verdict.BY_HAND: "hand",
}


def overview(outcome: Outcome, anchors: Anchors) -> Markup:
    """Return the header, the list of failures and the order to go in."""
    return join([_header(outcome), _failures(outcome), _order(outcome, anchors)])


def _header(outcome: Outcome) -> Markup:
    return tag(
        "header",
        {},
        tag("p", {"class": "eyebrow"}, "mrtr lint"),
        tag("h1", {}, "Migration to MCP 2026-07-28"),
        tag("p", {"class": "lead"}, _standing(outcome)),
        _bar(outcome),
        _figures(outcome),
        tag("p", {"class": "quiet"}, one_line(outcome)),
    )


def _standing(outcome: Outcome) -> str:
    asking = len(outcome.asking)
    if not asking:
        return "No handler asks the client for anything, so none has to change its shape."
    verb = "asks" if asking == 1 else "ask"
    untouched = sum(h.verdict in {Verdict.ADAPTER, Verdict.REWRITE_SAFE} for h in outcome.asking)
    serve = "None" if not untouched else f"{untouched:,}"
    return (
        f"{plural(asking, 'handler')} {verb} the client for something in the middle of a call. "
        f"{serve} of them can move without a second look; the list below says how to go about the rest."
    )


def _bar(outcome: Outcome) -> Markup:
    counts = verdict_counts(outcome)
    total = sum(counts.values())
    if not total:
        return Markup()
    parts, labels, x = [], [], 0.0
    for verdict, count in counts.items():
        size = _BAR * count / total
        title = tag("title", {}, f"{verdict.value}: {plural(count, 'handler')}")
        place = {"x": round(x, 2), "y": 0, "width": round(max(size - 4, 2), 2), "height": 14, "rx": 3}
        parts.append(tag("rect", {"class": f"way {SLUGS[verdict]}", **place}, title))
        swatch = tag("span", {"class": f"swatch {SLUGS[verdict]}"})
        labels.append(tag("li", {}, swatch, tag("b", {}, f"{count:,}"), f" {verdict.value}"))
        x += size
    drawing = {
        "class": "bar",
        "viewBox": f"0 0 {_BAR} 14",
        "preserveAspectRatio": "none",
        "aria-hidden": "true",
    }
    return join([tag("svg", drawing, join(parts)), tag("ul", {"class": "legend"}, join(labels))])


def _figures(outcome: Outcome) -> Markup:
    kinds = Counter(ask.kind for handler in outcome.asking for ask in handler.asks)
    asked = ", ".join(f"{kinds[kind]:,} {ASK_NAMES[kind]}" for kind in AskKind if kinds[kind])
    levels = level_counts(outcome)
    figures = [
        (str(len(outcome.asking)), "handlers that ask"),
        (f"{sum(kinds.values()):,}", f"asks: {asked}"),
    ]
    names = {"error": "errors", "warning": "warnings", "info": "notes"}
    figures += [(f"{count:,}", names[level.value]) for level, count in levels.items()]
    if outcome.suppressed:
        figures.append((f"{len(outcome.suppressed):,}", "suppressed"))
    shown = [(number, name) for number, name in figures if number != "0" or "asks" not in name]
    items = [tag("div", {}, tag("dt", {}, name), tag("dd", {}, number)) for number, name in shown]
    return tag("dl", {"class": "figures"}, join(items))


def _failures(outcome: Outcome) -> Markup:
    if not outcome.failures:
        return Markup()
    items = [
        tag("li", {}, tag("code", {}, failure.path), " ", failure.reason) for failure in outcome.failures
    ]
    return tag(
        "section",
        {"class": "failures", "aria-labelledby": "failures"},
        tag("h2", {"id": "failures"}, "Not checked"),
        tag("ul", {}, join(items)),
    )


def _link(handler: Handler, anchors: Anchors) -> Markup:
    """A link to a handler by its own name; the whole one is in the tooltip."""
    title = {"href": f"#{anchors.handler(handler)}", "title": f"{handler.name}, {handler.span.path}"}
    return tag("a", title, handler.name.rpartition(".")[2])


def _names(links: list[Markup]) -> Markup:
    """The first names, and the others folded up."""
    shown = tag("p", {"class": "names"}, join(links[:_NAMES], " "))
    if len(links) <= _NAMES:
        return shown
    summary = tag("summary", {}, f"{len(links) - _NAMES:,} more")
    folded = tag("p", {"class": "names"}, join(links[_NAMES:], " "))
    return join([shown, tag("details", {"class": "more"}, summary, folded)])


def _order(outcome: Outcome, anchors: Anchors) -> Markup:
    items = []
    for stage in stages(outcome):
        links = [_link(handler, anchors) for handler in stage.handlers]
        items.append(
            tag(
                "li",
                {},
                tag("h3", {}, stage.title, " ", tag("span", {"class": "count"}, f"{len(links):,}")),
                tag("p", {}, prose(stage.advice)),
                _names(links),
            )
        )
    if not items:
        return Markup()
    heading = tag("h2", {"id": "order"}, "The order to go in")
    return tag("section", {"aria-labelledby": "order"}, heading, tag("ol", {"class": "stages"}, join(items)))
