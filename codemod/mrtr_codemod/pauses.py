"""Work without pauses for collecting garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def few_pauses(*, to_the_end: bool = False) -> Iterator[None]:
    """Collect no garbage. Syntax trees have no cycles: looking for some costs half of the time and frees nothing.

    With `to_the_end`, what there is now is not looked through when Python ends, either.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if to_the_end:
            gc.freeze()
        if enabled:
            gc.enable()
