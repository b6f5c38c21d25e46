"""How fast `mrtr lint` is: beside other tools on the same tree, and by the size of the tree.

    python tests/bench/lint.py TREE --scan .../mcp-migration --check .../mcp-migrate

The runs of all tools alternate, so that a busy machine is busy for each of them. Ratios are of medians. For the
growth, the files of TREE are copied into trees of 500 to 4,000 files.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

SIZES = (500, 1_000, 2_000, 4_000)


@dataclass
class Tool:
    """A command, and what its runs took: wall and processor time in seconds, peak memory in MiB."""

    name: str
    command: Sequence[str]
    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)

    def run(self, tree: Path) -> None:
        started = time.perf_counter()
        process = subprocess.Popen(
            [*self.command, str(tree)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        _, _, usage = os.wait4(process.pid, 0)
        self.wall.append(time.perf_counter() - started)
        self.processor.append(usage.ru_utime + usage.ru_stime)
        self.memory.append(usage.ru_maxrss / 1024)

    def __str__(self) -> str:
        return (
            f"{self.name:14} {statistics.median(self.wall):8.2f} s wall {statistics.median(self.processor):8.2f} s "
            f"processor {max(self.memory):8.0f} MiB peak"
        )


def tools(arguments: argparse.Namespace) -> Iterator[Tool]:
    yield Tool("mrtr lint", [arguments.mrtr, "lint"])
    if arguments.scan:
        yield Tool("mcp-migration", [arguments.scan, "scan"])
    if arguments.check:
        yield Tool("mcp-migrate", [arguments.check, "check", "--json"])


def compare(contestants: list[Tool], tree: Path, runs: int) -> None:
    for _ in range(runs):
        for tool in contestants:
            tool.run(tree)
    ours, *others = contestants
    print(ours)
    for tool in others:
        faster = statistics.median(tool.wall) / statistics.median(ours.wall)
        work = statistics.median(tool.processor) / statistics.median(ours.processor)
        print(f"{tool}   {faster:5.1f} times as long, {work:5.1f} times the work")


def grow(command: Sequence[str], tree: Path, runs: int) -> None:
    """Time and memory by the number of files."""
    files = sorted(tree.rglob("*.py"))
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            fill(Path(folder), files, tree, size)
            tool = Tool(f"{size:,} files", command)
            for _ in range(runs):
                tool.run(Path(folder))
            print(f"{tool}   {1000 * statistics.median(tool.wall) / size:5.2f} ms a file")


def fill(folder: Path, files: Sequence[Path], tree: Path, size: int) -> None:
    for number in range(size):
        copy, position = divmod(number, len(files))
        target = folder / f"copy{copy}" / files[position].relative_to(tree)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(files[position], target)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tree", type=Path)
    parser.add_argument(
        "--mrtr", default=str(Path(sys.executable).with_name("mrtr")), help="the command mrtr"
    )
    parser.add_argument("--scan", help="the command mcp-migration 0.1.0")
    parser.add_argument("--check", help="the command mcp-migrate 0.21.0")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    contestants = list(tools(arguments))
    count = sum(1 for _ in arguments.tree.rglob("*.py"))
    print(f"{arguments.tree}: {count:,} files, {arguments.runs} runs, {os.cpu_count()} processors")
    compare(contestants, arguments.tree, arguments.runs)
    grow(contestants[0].command, arguments.tree, arguments.runs)


if __name__ == "__main__":
    main()
