"""Where a run works: a copy of the server's folder, so that no run sees the files of another or touches the real ones.

What is copied is the folder that the file is in, or, if the file is in a package, the whole package. Environments,
caches and repositories in it are left out. A rewritten file takes the place of the original: the files of its own
folder are laid over those of the original's.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mrtr_adapter.serving.target import Target
from mrtr_adapter.verify.refusal import CannotVerify

MAX_FILES = 5_000
MAX_BYTES = 200_000_000
_LEFT_OUT = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        "__pycache__",
        "node_modules",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".tox",
    }
)


@dataclass(frozen=True)
class Place:
    """A copy that a run works in."""

    target: Target
    folder: Path
    """The working directory."""
    temporary: Path
    """For temporary files, beside it."""
    output: Path
    """What the server prints."""


@dataclass(frozen=True)
class Source:
    """A server file, and the folders that its copy is made of, the uppermost last."""

    target: Target
    layers: tuple[Path, ...]

    @classmethod
    def of(cls, target: Target, original: Source | None = None) -> Source:
        """The source of a file; of a rewritten one, in the place of `original`."""
        own = _root(target.path.resolve())
        below = original.layers if original is not None else ()
        return cls(target, below if own in below else (*below, own))

    def copy(self, into: Path) -> Place:
        """Make a copy to work in.

        Raises:
            CannotVerify: it is too much to copy, or it can't be read.
        """
        folder, temporary = into / "folder", into / "temporary"
        temporary.mkdir(parents=True)
        for layer in self.layers:
            _copy(layer, folder)
        file = folder / self.target.path.resolve().relative_to(self.layers[-1])
        return Place(Target(file, self.target.object), folder, temporary, into / "output.txt")


def _root(file: Path) -> Path:
    """The folder that relative imports of the file can reach, or simply its own."""
    folder = file.parent
    while (folder / "__init__.py").is_file() and folder.parent != folder:
        folder = folder.parent
    return folder


def _copy(source: Path, destination: Path) -> None:
    files = total = 0
    try:
        for path in files_in(source):
            files += 1
            total += path.lstat().st_size
            if files > MAX_FILES or total > MAX_BYTES:
                raise CannotVerify(
                    f"{source} has more than {MAX_FILES} files or {MAX_BYTES // 1_000_000} MB, and every run works in "
                    "a copy of it: put the server into a folder of its own, with the files that it needs"
                )
            copy = destination / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.unlink(missing_ok=True)
            shutil.copy2(path, copy, follow_symlinks=False)
    except OSError as error:
        raise CannotVerify(f"{source} can't be copied: {error}") from None


def files_in(source: Path) -> Iterator[Path]:
    """All files that are copied, folder by folder in the order of their names."""
    for folder, folders, files in os.walk(source):
        folders[:] = sorted(name for name in folders if not _is_left_out(Path(folder, name)))
        for name in sorted(files):
            path = Path(folder, name)
            if path.is_symlink() or path.is_file():
                yield path


def _is_left_out(folder: Path) -> bool:
    return folder.name in _LEFT_OUT or (folder / "pyvenv.cfg").is_file()
