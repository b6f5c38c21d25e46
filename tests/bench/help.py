"""How long `mrtr --help` takes of its own: importing the command and rendering its help, without Python's start.

    python tests/bench/help.py

The median of 15 runs in fresh processes; exits with 1 if it is above 150 ms.
"""

from __future__ import annotations

import statistics
import subprocess
import sys

from table import Row, show

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


if __name__ == "__main__":
    times = measured(15)
    median = statistics.median(times)
    show([Row("mrtr --help, the command's own part", median, "ms")])
    sys.exit(median > LIMIT_MILLISECONDS)
