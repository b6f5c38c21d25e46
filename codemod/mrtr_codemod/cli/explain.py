"""`mrtr explain`: what a rule says, and what to do about it."""

from __future__ import annotations

import difflib
import re
import textwrap

import click

from mrtr_codemod.cli.rulebook import rulebook
from mrtr_codemod.report.rulebook import RuleDoc
from mrtr_codemod.report.text import COLORS

_FENCE = re.compile(r"^```\w*\n(.*?)^```\n?", re.DOTALL | re.MULTILINE)
_BLOCKS = re.compile(r"\n\s*\n")
_ITEMS = re.compile(r"^(?=- )", re.MULTILINE)
_WIDTH = 88


@click.command()
@click.argument("rules", nargs=-1, required=True, metavar="RULE...")
def explain(rules: tuple[str, ...]) -> None:
    """Explain each RULE, given by its code (MRTR303) or its name."""
    found = [_find(name) for name in rules]
    click.echo("\n\n".join(map(_page, found)))


def _find(name: str) -> RuleDoc:
    book = rulebook()
    known = {**{code.lower(): rule for code, rule in book.items()}, **{r.name: r for r in book.values()}}
    rule = known.get(name.lower())
    if rule is None:
        close = difflib.get_close_matches(name.lower(), known, n=1)
        near = f"did you mean {known[close[0]].code} ({known[close[0]].name})? " if close else ""
        raise click.UsageError(f"{name!r} is no rule; {near}`mrtr rules` lists them all")
    return rule


def _page(rule: RuleDoc) -> str:
    level = click.style(rule.level.value, fg=COLORS[rule.level])
    parts = [f"{click.style(f'{rule.code} {rule.name}', bold=True)} ({level})", _wrapped(rule.summary)]
    for title, body in rule.sections:
        parts.append(f"{click.style(title, bold=True)}\n\n{_laid_out(body)}")
    return "\n\n".join([*parts, f"Reference: {rule.reference}"])


def _laid_out(markdown: str) -> str:
    """Show code blocks by indentation instead of by fences, and break long lines."""
    shown = []
    for number, piece in enumerate(_FENCE.split(markdown.strip())):
        if number % 2:
            shown.append(textwrap.indent(piece.rstrip(), "    "))
        else:
            shown += [_wrapped(block) for block in _BLOCKS.split(piece.strip()) if block]
    return "\n\n".join(shown)


def _wrapped(block: str) -> str:
    """Break a paragraph or the items of a list."""
    items = [" ".join(item.split()) for item in _ITEMS.split(block)]
    return "\n".join(
        textwrap.fill(
            item, _WIDTH, subsequent_indent="  " if item.startswith("- ") else "", break_on_hyphens=False
        )
        for item in items
        if item
    )
