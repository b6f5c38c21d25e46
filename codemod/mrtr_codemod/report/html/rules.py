"""What the rules that were found say, folded up until someone wants to read them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mrtr_codemod.report.html.markup import Markup, join, prose, tag
from mrtr_codemod.report.summary import plural, rule_counts

if TYPE_CHECKING:
    from mrtr_codemod.report.outcome import Outcome
    from mrtr_codemod.report.rulebook import RuleDoc

_FENCE = re.compile(r"^```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def rules(outcome: Outcome) -> Markup:
    """Return the section of the rules that this report refers to."""
    counts = dict(rule_counts(outcome))
    hazards = {hazard.rule for handler in outcome.asking for hazard in handler.hazards}
    suppressed = {item.finding.rule for item in outcome.suppressed}
    codes = sorted((counts.keys() | hazards | suppressed) & outcome.rules.keys())
    if not codes:
        return Markup()
    items = [_rule(outcome.rules[code], counts.get(code, 0)) for code in codes]
    heading = tag("h2", {"id": "rules"}, "What the rules say")
    return tag("section", {"aria-labelledby": "rules"}, heading, join(items))


def _rule(rule: RuleDoc, count: int) -> Markup:
    summary = tag(
        "summary",
        {},
        tag("span", {"class": f"code {rule.level.value}"}, rule.code),
        " ",
        tag("b", {}, rule.name),
        " ",
        prose(rule.summary),
        " ",
        tag("span", {"class": "count"}, plural(count, "finding")),
    )
    sections = [join([tag("h4", {}, title), blocks(body)]) for title, body in rule.sections]
    reference = tag("p", {"class": "quiet"}, "Reference: ", _reference(rule.reference))
    return tag("details", {"id": rule.code, "class": "rule"}, summary, *sections, reference)


def _reference(reference: str) -> Markup:
    if reference.startswith("https://"):
        return tag("a", {"href": reference, "rel": "noreferrer"}, reference)
    return join([reference])


def blocks(markdown: str) -> Markup:
    """Render the little Markdown that rules are documented in: paragraphs, lists, code."""
    parts: list[Markup] = []
    for number, piece in enumerate(_FENCE.split(markdown)):
        if number % 2:
            parts.append(tag("pre", {}, tag("code", {}, piece)))
        else:
            parts += [_block(block.strip()) for block in re.split(r"\n\s*\n", piece) if block.strip()]
    return join(parts)


def _block(block: str) -> Markup:
    items = re.split(r"^[-*] ", block, flags=re.MULTILINE)
    if len(items) > 1 and not items[0].strip():
        return tag("ul", {}, join(tag("li", {}, prose(" ".join(item.split()))) for item in items[1:]))
    return tag("p", {}, prose(" ".join(block.split())))
