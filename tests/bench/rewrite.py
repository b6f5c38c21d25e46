"""What a rewrite costs: time and memory for each file, and the share of files that libcst never sees.

    python tests/bench/rewrite.py [DIRECTORY ...]

Without a directory, the sources of the test cases are measured.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from pathlib import Path

from mrtr_codemod.rewrite.file import Options, may_ask, rewrite_file

CASES = Path(__file__).parents[1] / "cases"


def measure(directories: list[Path]) -> dict[str, float]:
    """Seconds and bytes for the files below some directories."""
    files = sorted({path for directory in directories for path in directory.rglob("*.py")})
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
    return {
        "files": len(files),
        "files that may ask": len(asking),
        "handlers": handlers,
        "ms per file that may ask": 1000 * rewriting / max(len(asking), 1),
        "ms per file that can't": 1000 * skipping / max(len(files) - len(asking), 1),
        "peak MiB": peak / 2**20,
    }


def main() -> None:
    for name, value in measure([Path(a) for a in sys.argv[1:]] or [CASES]).items():
        print(f"{name:28}{value:12,.2f}" if isinstance(value, float) else f"{name:28}{value:12,}")


if __name__ == "__main__":
    main()
