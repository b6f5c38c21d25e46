"""What an exploration has reached of the server's file, function by function."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coverage import Coverage, CoverageException


@dataclass(frozen=True)
class Reach:
    """Of one function: how many of its branches and lines were reached, and what never was."""

    function: str
    branches: int
    of_branches: int
    lines: int
    of_lines: int
    missing_lines: tuple[int, ...]
    missing_branches: tuple[tuple[int, int], ...]
    """From line to line; a negative one is the way out of the function."""

    @property
    def entered(self) -> bool:
        return self.lines > 0


def reach(file: Path, arcs: Iterable[tuple[int, int]]) -> list[Reach]:
    """For each function of the file, in its order; nothing if nothing of it was run."""
    path = str(file.resolve())
    coverage = Coverage(data_file=None, branch=True, include=[path], config_file=False, messages=False)
    coverage.get_data().add_arcs({path: list(arcs)})
    with tempfile.TemporaryDirectory(prefix="mrtr-verify-") as scratch:
        report = Path(scratch, "coverage.json")
        try:
            coverage.json_report(outfile=str(report))
        except CoverageException:
            return []
        measured = json.loads(report.read_text())["files"]
    return [
        _of_function(name, told)
        for told_file in measured.values()
        for name, told in told_file["functions"].items()
        if name
    ]


def _of_function(name: str, told: dict[str, Any]) -> Reach:
    summary = told["summary"]
    return Reach(
        name,
        summary["covered_branches"],
        summary["num_branches"],
        summary["covered_lines"],
        summary["num_statements"],
        tuple(told["missing_lines"]),
        tuple((first, last) for first, last in told["missing_branches"]),
    )
