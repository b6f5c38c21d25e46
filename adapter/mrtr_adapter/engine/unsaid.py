"""Exceptions in a log, without what they say: an answer may be in that."""

from __future__ import annotations

import traceback


def unsaid(error: BaseException) -> str:
    """The kind of an exception, and the lines that it came by."""
    lines = "".join(traceback.format_tb(error.__traceback__)).rstrip()
    return f"{type(error).__qualname__}\n{lines}" if lines else type(error).__qualname__
