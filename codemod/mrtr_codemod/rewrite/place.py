"""Where the support module goes, and what code calls it there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_MAIN = re.compile(rb"^if __name__ == [\"']__main__[\"']", re.MULTILINE)
_RELATIVE = re.compile(rb"^\s*from \.", re.MULTILINE)


@dataclass(frozen=True)
class Place:
    """Where the support module goes, and what stands before its name in an import: dots, inside a package."""

    directory: Path
    prefix: str


def support_place(path: Path, source: bytes = b"") -> Place:
    """Beside a script; for a module of a package, at the top of the package.

    A file with a `__main__` part and without relative imports is a script, also where a package is around it, unless
    the package imports or installs it as its module.
    """
    directory = path.resolve().parent
    if _MAIN.search(source) and not _RELATIVE.search(source) and not _is_module(path.resolve()):
        return Place(directory, "")
    depth = 0
    while (directory / "__init__.py").exists() and directory.parent != directory:
        depth += 1
        directory = directory.parent
    if depth == 0:
        return Place(directory, "")
    top = path.resolve().parent
    for _ in range(depth - 1):
        top = top.parent
    return Place(top, "." * depth)


def _is_module(path: Path) -> bool:
    """Whether its package imports the file, or names it as the start of a command."""
    package, name = path.parent.name.encode(), path.stem.encode()
    if not (path.parent / "__init__.py").exists():
        return False
    whole = rb"%b\.%b" % (re.escape(package), re.escape(name))
    imported = re.compile(
        rb"^\s*from \.%b import|^\s*(from|import) %b\b" % (re.escape(name), whole), re.MULTILINE
    )
    beside = (p for p in path.parent.glob("*.py") if p != path)
    if any(imported.search(p.read_bytes()) for p in beside):
        return True
    project = next((p for d in path.parents if (p := d / "pyproject.toml").exists()), None)
    command = re.compile(rb"[\"']%b:" % whole)
    return project is not None and command.search(project.read_bytes()) is not None


def shared_places(sources: Mapping[Path, bytes]) -> dict[Path, Place] | None:
    """The place for each of some files that hand steps to each other: they must take them from one module.

    None if there is no such place: the files are of several packages, or of scripts in several directories.
    """
    own = {path: support_place(path, source) for path, source in sources.items()}
    tops = {place.directory for place in own.values() if place.prefix}
    loose = {place.directory for place in own.values() if not place.prefix}
    if len(tops) == 1 and loose:
        # A script that uses a package takes the steps from there.
        (top,) = tops
        return {p: place if place.prefix else Place(top, f"{top.name}.") for p, place in own.items()}
    if len(tops) + len(loose) == 1:
        return own
    outermost = min(loose, key=lambda d: len(d.parts), default=None)
    if not tops and outermost is not None and all(d.is_relative_to(outermost) for d in loose):
        return {path: Place(outermost, "") for path in own}
    return None
