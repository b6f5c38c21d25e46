"""What a benchmark has measured, as rows of one table.

Each benchmark is a command of its own that prints its rows; with `--json` one a line, for `python tests/bench`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass

HEAD = "| what | ours | beside | ratio |\n| --- | ---: | ---: | ---: |"


@dataclass(frozen=True)
class Row:
    """One figure, and what it is to be held against in the same run, if anything."""

    what: str
    ours: float
    unit: str
    beside: str = ""
    theirs: float | None = None

    @property
    def ratio(self) -> float | None:
        return self.ours / self.theirs if self.theirs else None

    def __str__(self) -> str:
        """A row of a Markdown table under `HEAD`."""
        theirs = f"{self.beside} {_figure(self.theirs)} {self.unit}" if self.theirs is not None else ""
        ratio = f"{self.ratio:.3g}" if self.ratio is not None else ""
        return f"| {self.what} | {_figure(self.ours)} {self.unit} | {theirs} | {ratio} |".replace("  |", " |")


def _figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"


def show(rows: Iterable[Row]) -> None:
    """Print rows as they are measured."""
    as_json = "--json" in sys.argv
    if not as_json:
        print(HEAD)
    for row in rows:
        print(json.dumps(asdict(row)) if as_json else row, flush=True)


def peak_mib(pid: int) -> float:
    """The most memory that a running process has had resident, in MiB. Linux only."""
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
