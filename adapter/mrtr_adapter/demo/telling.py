"""How the story looks on a terminal. Colours are left out where it is no terminal."""

from __future__ import annotations

import ast
import json
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

_WIDTH = 100
_SHOWN = 8


def title(text: str) -> None:
    click.secho(f"\n{text}", bold=True)


def prose(text: str) -> None:
    click.echo("\n" + textwrap.fill(" ".join(text.split()), _WIDTH))


def step(text: str) -> None:
    """Who turns to whom."""
    click.secho(f"\n  {text}", fg="cyan", bold=True)


def fact(label: str, text: str) -> None:
    click.echo(f"    {click.style(f'{label:<13}', dim=True)}{text}")


def event(text: str) -> None:
    """Something that happens to the servers."""
    click.secho(f"\n  {text}", fg="red", bold=True)


def refused(attempt: str, how: str) -> None:
    click.echo(f"    {attempt:<36}{click.style(how, fg='yellow')}")


def good(text: str) -> None:
    click.secho(f"\n{text}", fg="green", bold=True)


def code(file: Path, function: str) -> None:
    """The source of a function, as it stands in its file."""
    source = file.read_text(encoding="utf-8")
    nodes = [
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.AsyncFunctionDef) and node.name == function
    ]
    segment = ast.get_source_segment(source, nodes[0]) or ""
    click.echo()
    for line in segment.splitlines():
        click.secho(f"    {line}".rstrip(), fg="magenta" if "await" in line else None)


def call(tool: str, arguments: Mapping[str, Any]) -> str:
    return f"{tool} {json.dumps(arguments)}"


def state(token: str) -> str:
    """A `requestState`, shortened, and its size."""
    return f"{token[: _SHOWN + 4]}...{token[-_SHOWN:]} ({len(token)} characters)"
