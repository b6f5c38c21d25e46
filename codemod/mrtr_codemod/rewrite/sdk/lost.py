"""What keeps the new SDKs from serving a file at all."""

from __future__ import annotations

from .imports import fix_imports
from .notes import Note
from .opening import opened
from .tasks import fix_tasks


def lost(text: str) -> Note | None:
    """The first thing that a file can't do without, and that has to be replaced by hand before it is moved.

    Raises:
        SyntaxError, ValueError: if it does not parse.
    """
    file = opened(text)
    if file is None:
        return None
    fix_imports(file)
    fix_tasks(file)
    return min(file.lost, default=None)
