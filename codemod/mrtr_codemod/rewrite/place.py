"""Where the support module goes, and what code calls it there."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from mrtr_codemod.packages import packages_around

_STARTED = re.compile(
    rb"^if __name__ == [\"']__main__[\"']|\b(FastMCP|MCPServer|Server)\(|\.run\(", re.MULTILINE
)
"""What a file has that is started itself: by `python FILE`, or by its path in `mcp run`, `fastmcp run`."""


@dataclass(frozen=True)
class Place:
    """Where the support module goes, and what stands before its name in an import: dots, or the package."""

    directory: Path
    prefix: str
    both_ways: bool = False
    """Whether its package is not known where it is started by its path, so that the prefix holds only otherwise."""


def support_place(path: Path, source: bytes = b"") -> Place:
    """Beside a script; for a module of a package, at the top of the package, imported as the module imports its kin.

    A module that imports nothing of its package may be started by its path as well as under its name. One that looks as
    if it was finds the support module beside it both ways.
    """
    beside = path.resolve().parent
    package = _package(beside)
    relative, absolute = _imports_at_the_top(source)
    if package is None:
        return Place(beside, "." if relative else "")
    top, depth = package
    if not relative and top.name in absolute:
        return Place(top, f"{top.name}.")
    if not relative and _STARTED.search(source):
        return Place(beside, ".", both_ways=True)
    return Place(top, "." * depth)


def _package(directory: Path) -> tuple[Path, int] | None:
    """The top of the package that a folder is in, and how many packages deep that is; None outside of any."""
    packages = packages_around(directory)
    return (packages[0], len(packages)) if packages else None


def _imports_at_the_top(source: bytes) -> tuple[bool, set[str]]:
    """Whether a module needs relative imports in order to be imported itself, and the first names of its others."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError):
        return False, set()
    froms = [stmt for stmt in body if isinstance(stmt, ast.ImportFrom)]
    modules = [stmt.module or "" for stmt in froms if not stmt.level]
    modules += [alias.name for stmt in body if isinstance(stmt, ast.Import) for alias in stmt.names]
    return any(stmt.level for stmt in froms), {module.partition(".")[0] for module in modules}


def shared_places(sources: Mapping[Path, bytes]) -> dict[Path, Place] | None:
    """The place for each of some files that hand steps to each other: they must take them from one module.

    None if there is no such place: the files are of several packages, or of scripts in several directories.
    """
    own = {path: support_place(path, source) for path, source in sources.items()}
    if len({place.directory for place in own.values()}) > 1:
        own = {path: _at_the_top(place) for path, place in own.items()}
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


def _at_the_top(place: Place) -> Place:
    """The place at the top of the package, for a module that is not alone; there it is not found by its path."""
    package = _package(place.directory) if place.both_ways else None
    if package is None or package[1] == 1:
        return place
    top, depth = package
    return replace(place, directory=top, prefix="." * depth, both_ways=False)
