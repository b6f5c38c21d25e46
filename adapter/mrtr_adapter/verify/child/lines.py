"""Which lines of the server's file were run, as steps from one to the next."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mrtr_adapter.verify.wire import Work

Arcs = Callable[[], list[tuple[int, int]]]


@contextmanager
def tracing(work: Work) -> Iterator[Arcs]:
    """Trace the file while this lasts, if the work asks for it; gives what tells the steps afterwards."""
    if not work.trace:
        yield list
        return
    from coverage import Coverage  # only where it is wanted: it is slow to import

    file = os.path.realpath(work.file)
    coverage = Coverage(data_file=None, branch=True, include=[file], config_file=False, messages=False)
    coverage.start()
    try:
        yield lambda: sorted(coverage.get_data().arcs(file) or [])
    finally:
        coverage.stop()
