"""How a file is called in what people and programs read."""

from __future__ import annotations

from pathlib import Path

from mrtr_codemod.discover.walk import display_path


def shown(path: Path) -> str:
    """A path, relative to the current folder if it is inside, with `/` and always printable."""
    return display_path(str(path.resolve()), str(Path.cwd()))
