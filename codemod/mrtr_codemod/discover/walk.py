"""Which files a run looks at: the arguments, and the Python files below the directories among them."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mrtr_codemod.discover.gitignore import Ignores, ignores_above
from mrtr_codemod.model import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mrtr_codemod.discover.patterns import PathPatterns

SUFFIXES = (".py", ".pyw", ".ipynb")
_SKIPPED_DIRECTORIES = {"node_modules", "site-packages", "__pycache__", "__pypackages__"}
_ENVIRONMENT_MARKERS = ("pyvenv.cfg", "conda-meta")


@dataclass(frozen=True, order=True)
class Candidate:
    """A file to read. `path` is what the report calls it, always printable; `location` opens it."""

    path: str
    location: str


@dataclass
class Discovery:
    """What was found, in the order of the paths, each file once."""

    files: list[Candidate] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)


def find_files(arguments: Sequence[str], exclude: PathPatterns, cwd: str) -> Discovery:
    """Find the files that `arguments` name, relative to `cwd` (absolute).

    A file is taken as named, whatever its suffix and whatever ignores it. Below a directory: `.py`, `.pyw`
    and `.ipynb`, except in hidden directories, virtual environments, installed packages and `node_modules`,
    and except what git ignores and what `exclude` matches. Symbolic links to directories are not followed.
    """
    found: dict[str, Candidate] = {}
    failures: list[Failure] = []
    for argument in arguments:
        location = os.path.normpath(os.path.join(cwd, argument))
        if os.path.isdir(location):
            walk = _Walk(cwd, exclude, failures)
            located = walk.files(location, ignores_above(location))
        elif os.path.lexists(location):
            located = iter([location])
        else:
            failures.append(Failure(display_path(location, cwd), "does not exist"))
            continue
        for file in located:
            found.setdefault(file, Candidate(display_path(file, cwd), file))
    return Discovery(sorted(found.values()), sorted(failures, key=lambda failure: failure.path))


def display_path(location: str, cwd: str) -> str:
    """Name a location relative to `cwd` if it is inside, with `/`; bytes that are no text become `\\xNN`."""
    prefix = cwd.rstrip(os.sep) + os.sep
    relative = location[len(prefix) :] if location.startswith(prefix) else location
    printable = os.fsencode(relative).decode("utf-8", "backslashreplace")
    return printable.replace(os.sep, "/")


@dataclass(frozen=True)
class _Walk:
    cwd: str
    exclude: PathPatterns
    failures: list[Failure]

    def files(self, top: str, inherited: Ignores) -> Iterator[str]:
        # A stack, not recursion: a path has room for more levels than Python has frames.
        pending = [(top, inherited)]
        while pending:
            directory, above = pending.pop()
            ignores = above.within(directory)
            for entry in self._entries(directory):
                if entry.is_dir(follow_symlinks=False):
                    if self._enters(entry, ignores):
                        pending.append((entry.path, ignores))
                elif self._takes(entry, ignores):
                    yield entry.path

    def _entries(self, directory: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(directory) as listing:
                return list(listing)
        except OSError as error:
            reason = f"cannot be listed: {error.strerror or error}"
            self.failures.append(Failure(display_path(directory, self.cwd), reason))
            return []

    def _enters(self, entry: os.DirEntry[str], ignores: Ignores) -> bool:
        if entry.name.startswith(".") or entry.name in _SKIPPED_DIRECTORIES:
            return False
        if any(os.path.exists(os.path.join(entry.path, marker)) for marker in _ENVIRONMENT_MARKERS):
            return False
        return not (ignores.match(entry.path, is_directory=True) or self.exclude.match(entry.path))

    def _takes(self, entry: os.DirEntry[str], ignores: Ignores) -> bool:
        # ".#name" is an editor's lock, a dangling link by design.
        if not entry.name.endswith(SUFFIXES) or entry.name.startswith(".#"):
            return False
        if entry.is_symlink() and os.path.isdir(entry.path):
            return False
        return not (ignores.match(entry.path, is_directory=False) or self.exclude.match(entry.path))
