"""How fast `mrtr lint` is: beside other tools on the same tree, and by the size of the tree.

    python tests/bench/lint.py [--tree DIR] [--scan .../mcp-migration] [--check .../mcp-migrate]

Without a tree, this project's own files are checked. The runs of all tools alternate, so that a busy machine is busy
for each of them. Times are medians, memory the most of any run. For the growth, the files of the tree are copied into
trees of 500 to 4,000 files.
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

from table import Row, show

PROJECT = Path(__file__).parents[2]
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

    @property
    def seconds(self) -> float:
        return statistics.median(self.wall)

    @property
    def work(self) -> float:
        return statistics.median(self.processor)

    @property
    def peak(self) -> float:
        return max(self.memory)


def tools(arguments: argparse.Namespace) -> Iterator[Tool]:
    yield Tool("mrtr lint", [arguments.mrtr, "lint"])
    if arguments.scan:
        yield Tool("mcp-migration", [arguments.scan, "scan"])
    if arguments.check:
        yield Tool("mcp-migrate", [arguments.check, "check", "--json"])


def compare(contestants: list[Tool], tree: Path, runs: int) -> Iterator[Row]:
    for _ in range(runs):
        for tool in contestants:
            tool.run(tree)
    ours, *others = contestants
    files = f"lint: {sum(1 for _ in tree.rglob('*.py')):,} files"
    if not others:
        yield Row(f"{files}, wall time", ours.seconds, "s")
        yield Row(f"{files}, processor time", ours.work, "s")
        yield Row(f"{files}, peak memory", ours.peak, "MiB")
    for tool in others:
        yield Row(f"{files}, wall time", ours.seconds, "s", tool.name, tool.seconds)
        yield Row(f"{files}, processor time", ours.work, "s", tool.name, tool.work)
        yield Row(f"{files}, peak memory", ours.peak, "MiB", tool.name, tool.peak)


def grow(command: Sequence[str], tree: Path, runs: int) -> Iterator[Row]:
    """Time and memory by the number of files."""
    files = sorted(tree.rglob("*.py"))
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            fill(Path(folder), files, tree, size)
            tool = Tool(f"{size:,} files", command)
            for _ in range(runs):
                tool.run(Path(folder))
        yield Row(f"lint: one of {size:,} files", 1000 * tool.seconds / size, "ms")
        yield Row(f"lint: {size:,} files, peak memory", tool.peak, "MiB")


def fill(folder: Path, files: Sequence[Path], tree: Path, size: int) -> None:
    for number in range(size):
        copy, position = divmod(number, len(files))
        target = folder / f"copy{copy}" / files[position].relative_to(tree)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(files[position], target)


def rows() -> Iterator[Row]:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tree", type=Path, help="a folder of Python files")
    parser.add_argument(
        "--mrtr", default=str(Path(sys.executable).with_name("mrtr")), help="the command mrtr"
    )
    parser.add_argument("--scan", help="the command mcp-migration 0.1.0")
    parser.add_argument("--check", help="the command mcp-migrate 0.21.0")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="a row a line")
    arguments = parser.parse_args()
    contestants = list(tools(arguments))
    with tempfile.TemporaryDirectory() as folder:
        tree = arguments.tree or copied(Path(folder))
        yield from compare(contestants, tree, arguments.runs)
        yield from grow(contestants[0].command, tree, arguments.runs)


def copied(folder: Path) -> Path:
    """The project's own files, without what else lies in a checkout."""
    for name in ("adapter", "codemod", "samples", "tests"):
        shutil.copytree(
            PROJECT / name, folder / name, ignore=shutil.ignore_patterns("node_modules", "__pycache__")
        )
    return folder


if __name__ == "__main__":
    show(rows())
