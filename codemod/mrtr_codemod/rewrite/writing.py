"""Write files so that at no moment a half-written one is there."""

from __future__ import annotations

import os
import stat
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path


def write_atomically(path: Path, data: bytes) -> None:
    """Put `data` in the place of `path`, keeping its mode.

    Killed at any moment, the old or the new file is there whole.
    """
    write_together({path: data})


def write_together(files: Mapping[Path, bytes]) -> None:
    """Put several files in their places, in this order, keeping their modes.

    All are complete on disk before the first of them takes its place; each old or new one is there whole at any moment.
    """
    staged: dict[Path, Path] = {}
    try:
        for path, data in files.items():
            target = path.resolve()
            staged[target] = _staged(target, data)
        for target, new in staged.items():
            new.replace(target)
    except BaseException:
        for new in staged.values():
            new.unlink(missing_ok=True)
        raise


def _staged(target: Path, data: bytes) -> Path:
    """The new content of a file, in a file beside it."""
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".mrtr", dir=target.parent)
    new = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        new.chmod(stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask())
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    return new


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def is_dirty(path: Path) -> bool:
    """Whether git knows changes of the file that are not committed. False outside of a work tree."""
    command = ["git", "-C", str(path.resolve().parent), "status", "--porcelain", "--", path.resolve().name]
    try:
        done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603
    except FileNotFoundError:
        return False
    return done.returncode == 0 and bool(done.stdout.strip())
