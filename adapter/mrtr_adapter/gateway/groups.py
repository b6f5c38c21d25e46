"""The errors of task groups, as if there was no group."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


@asynccontextmanager
async def one_error() -> AsyncIterator[None]:
    """Raise the error that a task group ended with, and not a group of one."""
    try:
        yield
    except Exception as error:
        found: BaseException = error
        while inner := getattr(found, "exceptions", None):
            found = inner[0]
        if found is error:
            raise
        raise found from None
