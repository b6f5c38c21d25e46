"""The report of a command: the options that say what it looks like and where it goes, and how it gets there."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TextIO

TEXT = "text"
FORMATS = (TEXT, "json", "sarif", "github", "markdown", "html")
_MODULES = {"json": "json_report"}
"""Of a format whose module can't be called like it."""

CommandT = TypeVar("CommandT", bound="Callable[..., Any]")


class CannotWrite(Exception):
    """The report can't get to where it is to go; the message says why."""


def report_options(formats: Sequence[str] = FORMATS) -> Callable[[CommandT], CommandT]:
    """Adds `--format`, the parameter `style`, and `--output`, which is None for stdout."""

    def add(command: CommandT) -> CommandT:
        command = click.option("--output", metavar="FILE", help="Write the report to FILE.")(command)
        return click.option(
            "--format",
            "style",
            type=click.Choice(formats),
            default=TEXT,
            show_default=True,
            help="Of the report.",
        )(command)

    return add


def rendered(package: str, style: str, outcome: Any, output: str | None) -> str:
    """The report by the module of `package` for a format. Text is coloured for a terminal."""
    render = import_module(f"{package}.{_MODULES.get(style, style)}").render
    text: str = render(outcome, color=wants_color(output)) if style == TEXT else render(outcome)
    return text


def wants_color(output: str | None) -> bool:
    """Whether the report goes to a terminal whose user has nothing against colours.

    Raises:
        CannotWrite: it goes nowhere.
    """
    return output is None and _stdout().isatty() and not os.environ.get("NO_COLOR")


def write_report(report: str, output: str | None) -> None:
    """Write it to a file, or to stdout.

    Raises:
        CannotWrite: it can't be written.
    """
    data = report.encode("utf-8", "backslashreplace")
    if output is None:
        _stdout().buffer.write(data)
        _stdout().buffer.flush()
        return
    try:
        Path(output).write_bytes(data)
    except OSError as error:
        raise CannotWrite(f"{output}: cannot be written: {error.strerror or error}") from None


def _stdout() -> TextIO:
    # None in a process that was started with its standard output closed.
    if sys.stdout is None:
        raise CannotWrite("standard output is closed; write to a file with --output FILE")
    return sys.stdout
