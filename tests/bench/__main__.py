"""All benchmarks, as one table: `python tests/bench [NAME …] [--tree DIR] [--scan EXE] [--check EXE] [--redis URL]`.

Without names, each file of this folder that measures something runs, one after another: they would disturb each
other. `--tree` is for lint and rewrite, `--scan` and `--check` for the lint's comparison with other tools (see
lint.py); `--redis` is a Redis that may be emptied.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from table import HEAD, Row

HERE = Path(__file__).parent
NOT_BENCHMARKS = {"__main__", "table"}
NAMES = sorted(file.stem for file in HERE.glob("*.py") if file.stem not in NOT_BENCHMARKS)


def options(name: str, asked: argparse.Namespace) -> list[str]:
    """What this benchmark takes of the command's options."""
    takes = {"stores": ("redis",), "lint": ("tree", "scan", "check"), "rewrite": ("tree",)}.get(name, ())
    return [word for option in takes if (value := getattr(asked, option)) for word in (f"--{option}", value)]


def rows(name: str, extra: Sequence[str]) -> Iterator[Row]:
    """Run one benchmark in a process of its own.

    Raises:
        subprocess.CalledProcessError: it has failed; what it said about that is on stderr.
    """
    command = [sys.executable, str(HERE / f"{name}.py"), "--json", *extra]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            yield Row(**json.loads(line))
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python tests/bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--tree", help="a folder of Python files")
    parser.add_argument("--scan", help="the command mcp-migration 0.1.0")
    parser.add_argument("--check", help="the command mcp-migrate 0.21.0")
    parser.add_argument("--redis", help="redis://HOST:PORT/DB")
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(NAMES):
        parser.error(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    failed = 0
    print(HEAD)
    for name in asked.names or NAMES:
        try:
            for row in rows(name, options(name, asked)):
                print(row, flush=True)
        except subprocess.CalledProcessError as error:
            failed = 1
            print(f"{name}: ended with {error.returncode}", file=sys.stderr)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(Row("peak memory of the largest process of all these", peak, "MiB"))
    return failed


if __name__ == "__main__":
    sys.exit(main())
