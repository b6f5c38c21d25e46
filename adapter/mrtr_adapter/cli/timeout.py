"""The option `--timeout`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

CommandT = TypeVar("CommandT", bound=Callable[..., Any])


def timeout_option(seconds: float, help: str) -> Callable[[CommandT], CommandT]:
    """More than zero seconds, by default so many."""
    return click.option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        default=seconds,
        show_default=True,
        metavar="SECONDS",
        help=help,
    )
