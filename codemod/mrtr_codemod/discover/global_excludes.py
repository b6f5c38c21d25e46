"""The file of patterns that git ignores in every work tree of a user: `core.excludesFile` (git-config(1))."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

_PATIENCE = 5
"""Seconds that git may take to read its configuration."""


def global_excludes(work_tree: str) -> Path | None:
    """The file that git is configured to use in a work tree, or else the one in the user's configuration directory.

    None if the configuration names none on purpose. The file need not exist.
    """
    configured = _configured(work_tree)
    if configured is not None:
        return Path(work_tree, configured) if configured else None
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return Path(home, "git", "ignore")


def _configured(work_tree: str) -> str | None:
    """What git says, which knows all of its files and their includes; None if nothing is set, or there is no git."""
    git = shutil.which("git")
    if git is None:
        return None
    import subprocess  # only a directory in a work tree waits for it

    command = [git, "-C", work_tree, "config", "--type=path", "--get", "core.excludesFile"]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=_PATIENCE)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return None
    return os.fsdecode(done.stdout).rstrip("\n") if done.returncode == 0 else None
