"""How long `mrtr --help` takes of its own: importing the command and rendering its help, without Python's start.

    python tests/bench/help.py [RUNS]

Prints the minimum, median and maximum in milliseconds, each run in a fresh process; exits with 1 if the median is
above 150 ms.
"""

from __future__ import annotations

import statistics
import subprocess
import sys

LIMIT_MILLISECONDS = 150
ONE_RUN = """
import io, time
from contextlib import redirect_stdout
started = time.perf_counter()
from mrtr_adapter.cli import mrtr
with redirect_stdout(io.StringIO()) as shown:
    mrtr(["--help"], standalone_mode=False)
took = time.perf_counter() - started
assert "Commands:" in shown.getvalue()
print(took * 1000)
"""


def measured(runs: int) -> list[float]:
    """Milliseconds of each run; the first one, which may compile, is left out."""
    command = [sys.executable, "-c", ONE_RUN]
    return [float(subprocess.check_output(command, text=True)) for _ in range(runs + 1)][1:]


def main() -> int:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    times = measured(runs)
    median = statistics.median(times)
    print(
        f"mrtr --help: {min(times):.0f} / {median:.0f} / {max(times):.0f} ms (min / median / max of {runs})"
    )
    return median > LIMIT_MILLISECONDS


if __name__ == "__main__":
    sys.exit(main())
