"""`mrtr rules`: all rules, one a line."""

from __future__ import annotations

import click

from mrtr_codemod.cli.rulebook import rulebook
from mrtr_codemod.report.text import COLORS


@click.command()
def rules() -> None:
    """List all rules; `mrtr explain` tells more about one."""
    book = rulebook().values()
    widest = max(len(rule.name) for rule in book)
    for rule in book:
        level = click.style(f"{rule.level.value:7}", fg=COLORS[rule.level])
        click.echo(f"{click.style(rule.code, bold=True)}  {level}  {rule.name:{widest}}  {rule.summary}")
