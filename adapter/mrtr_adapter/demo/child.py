"""One instance of the sample, as a process: `mrtr run` on a free port, which ends when its parent does.

python child.py < a pipe that only the parent holds
"""

from __future__ import annotations

import os
import sys
import threading


def end_with_parent() -> None:
    """Leave as soon as stdin is closed: that happens however the parent ends, also by SIGKILL."""
    while os.read(0, 1024):
        pass
    os._exit(0)


if __name__ == "__main__":
    sys.path.pop(0)  # this folder: its modules belong to the package
    threading.Thread(target=end_with_parent, daemon=True).start()

    from mrtr_adapter.cli import mrtr

    mrtr(["run", sys.argv[1], "--http", "127.0.0.1:0"])
