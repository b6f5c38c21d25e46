"""One card for each handler that asks: its verdict, its flow, its facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mrtr_codemod.report.facts import ASK_NAMES, live_local, rounds, verdict
from mrtr_codemod.report.html.drawing import draw
from mrtr_codemod.report.html.flow import flow
from mrtr_codemod.report.html.listing import listing
from mrtr_codemod.report.html.markup import Markup, join, prose, tag
from mrtr_codemod.report.html.outline import outline
from mrtr_codemod.report.html.overview import SLUGS
from mrtr_codemod.report.html.tree import Tree
from mrtr_codemod.source import SourceFile

if TYPE_CHECKING:
    from mrtr_codemod.model import Ask, Finding, Handler
    from mrtr_codemod.report.html.anchors import Anchors
    from mrtr_codemod.report.outcome import Outcome


def handlers(outcome: Outcome, anchors: Anchors) -> Markup:
    """Return the section with a card for each handler that asks."""
    if not outcome.asking:
        return Markup()
    trees = {path: Tree(source) for path, source in outcome.sources.items()}
    cards = [_Card(handler, outcome, anchors, trees).markup() for handler in outcome.asking]
    heading = tag("h2", {"id": "handlers"}, "Handlers that ask")
    return tag("section", {"aria-labelledby": "handlers"}, heading, join(cards))


class _Card:
    def __init__(self, handler: Handler, outcome: Outcome, anchors: Anchors, trees: dict[str, Tree]) -> None:
        self._handler = handler
        self._outcome = outcome
        self._anchors = anchors
        path = handler.span.path
        source = outcome.sources.get(path) or SourceFile(path, "")
        self._outline = outline(handler, source, trees[path].module if path in trees else None)
        self._flow = flow(handler, self._outline)

    def markup(self) -> Markup:
        handler = self._handler
        return tag(
            "article",
            {
                "id": self._anchors.handler(handler),
                "class": "card",
                "data-item": "handler",
                "data-path": handler.span.path,
                "data-verdict": SLUGS[handler.verdict] if handler.verdict else None,
                "data-levels": " ".join(sorted({hazard.level.value for hazard in handler.hazards})),
                "data-rules": " ".join(sorted({hazard.rule for hazard in handler.hazards})),
            },
            self._head(),
            tag("div", {"class": "split"}, self._drawing(), self._facts()),
            listing(handler, self._outline, self._outcome),
        )

    def _head(self) -> Markup:
        handler = self._handler
        slug = SLUGS[handler.verdict] if handler.verdict else ""
        badge = tag("span", {"class": f"badge {slug}"}, verdict(handler))
        place = tag("code", {"class": "place"}, self._outcome.place(handler.span))
        kind = f"{handler.method} · {handler.framework} · {rounds(handler)}"
        title = tag("h3", {}, tag("a", {"href": f"#{self._anchors.handler(handler)}"}, handler.name))
        return tag("div", {"class": "head"}, title, badge, tag("p", {"class": "quiet"}, place, f" · {kind}"))

    def _drawing(self) -> Markup:
        drawing = draw(self._handler, self._flow, self._outcome, self._link)
        return tag("figure", {}, drawing)

    def _link(self, finding: Finding) -> str:
        return f"#{self._anchors.finding(finding)}"

    def _facts(self) -> Markup:
        handler = self._handler
        reason = tag("p", {"class": "reason"}, prose(_sentence(handler.reason))) if handler.reason else ""
        return tag(
            "div",
            {"class": "facts"},
            reason,
            _list("Asks", [self._ask(ask) for ask in handler.asks]),
            self._carried(),
            _list("Hazards", [self._hazard(hazard) for hazard in handler.hazards]),
        )

    def _carried(self) -> Markup:
        if not self._handler.live:
            return Markup()
        names = [tag("code", {"class": "name"}, live_local(local)) for local in self._handler.live]
        return join(
            [tag("h4", {}, "Carried from round to round"), tag("p", {"class": "inline"}, join(names, " "))]
        )

    def _ask(self, ask: Ask) -> Markup:
        question = [tag("code", {"class": "question"}, ask.question)] if ask.question else []
        kind = tag("span", {"class": "tag"}, ASK_NAMES[ask.kind])
        return join([kind, " ", tag("span", {"class": "place"}, self._way(ask)), *question])

    def _way(self, ask: Ask) -> str:
        """The lines that lead from the handler to the ask."""
        path = self._handler.span.path
        return " → ".join(self._outcome.place_from(path, span) for span in (*ask.via, ask.span))

    def _hazard(self, hazard: Finding) -> Markup:
        code = tag("a", {"class": f"code {hazard.level.value}", "href": self._link(hazard)}, hazard.rule)
        return join(
            [
                code,
                " ",
                self._outcome.place_from(self._handler.span.path, hazard.span),
                ": ",
                prose(hazard.message),
            ]
        )


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def _list(title: str, items: list[Markup]) -> Markup:
    if not items:
        return Markup()
    listed = tag("ul", {}, join(tag("li", {}, item) for item in items))
    return join([tag("h4", {}, title), listed])
