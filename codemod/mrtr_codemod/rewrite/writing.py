"""Write files so that at no moment a half-written one is there."""

from __future__ import annotations

import os
import stat
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path


def write_atomically(path: Path, data: bytes) -> None:
    """Put `data` in the place of `path`, keeping its mode.

    Killed at any moment, the old or the new file is there whole.
    """
    target = path.resolve()
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".mrtr", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask()
        Path(name).chmod(mode)
        Path(name).replace(target)
    except BaseException:
        with suppress(FileNotFoundError):
            Path(name).unlink()
        raise


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
