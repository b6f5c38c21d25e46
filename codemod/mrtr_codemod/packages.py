"""The packages that a folder on the disk is in."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

_NOT_OURS = frozenset({"site-packages", "node_modules"})


def packages_around(folder: Path) -> list[Path]:
    """The packages that a folder is in, the top one first and itself last; none if it is no package.

    An `__init__.py` in the folder that imports count from, often `src`, makes no package of it: no relative import
    may reach it.
    """
    found = folders_with_init(folder)
    while len(found) > 1 and _counts_from(found[0], found[1].name):
        del found[0]
    return found


def folders_with_init(folder: Path) -> list[Path]:
    """A folder and those around it, the outermost first, as far as each has an `__init__.py`."""
    found: list[Path] = []
    while (folder / "__init__.py").is_file() and folder.parent != folder:
        found.insert(0, folder)
        folder = folder.parent
    return found


def _counts_from(folder: Path, package: str) -> bool:
    """Whether a file below `folder` imports the package in it as one that is in no other."""
    imported = re.compile(rb"^\s*(?:from|import) %b\b" % re.escape(package.encode()), re.MULTILINE)
    return any(imported.search(file.read_bytes()) for file in _sources(folder))


def _sources(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _NOT_OURS]
        yield from (file for name in files if name.endswith(".py") and (file := Path(place, name)).is_file())
