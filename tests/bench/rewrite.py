"""What a rewrite costs: time and memory for each file, and the share of files that libcst never sees.

    python tests/bench/rewrite.py [--tree DIR]

Without a tree, the files of the tests are measured: the cases, and those around them. Beside a file that may ask
stands one that can't.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from pathlib import Path

from table import Row, show

from mrtr_codemod.rewrite.file import Options, may_ask, rewrite_file

TESTS = Path(__file__).parents[1]


def measured(tree: Path) -> list[Row]:
    """Processor time and memory for the files below a folder."""
    files = sorted(tree.rglob("*.py"))
    asking = [path for path in files if may_ask(path.read_bytes())]
    options = Options(lambda verdict: True)
    started = time.process_time()
    handlers = sum(len(rewrite_file(path, options).handlers) for path in asking)
    rewriting = time.process_time() - started
    started = time.process_time()
    for path in files:
        if path not in asking:
            rewrite_file(path, options)
    skipping = time.process_time() - started
    tracemalloc.start()
    for path in asking[:10]:
        rewrite_file(path, options)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    a_file = 1000 * rewriting / max(len(asking), 1)
    skipped = 1000 * skipping / max(len(files) - len(asking), 1)
    return [
        Row(f"rewrite: of {len(files):,} files, may ask", len(asking), ""),
        Row("rewrite: handlers that ask", handlers, ""),
        Row("rewrite: a file that may ask", a_file, "ms", "one that can't", skipped),
        Row("rewrite: peak of what ten files allocate", peak / 2**20, "MiB"),
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tree", type=Path, default=TESTS, help="a folder of Python files")
    parser.add_argument("--json", action="store_true", help="a row a line")
    show(measured(parser.parse_args().tree))
