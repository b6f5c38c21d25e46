"""Each case rewritten once, however many tests run it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from .rewriting import written


@pytest.fixture(scope="session")
def rewritten_file(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """The rewritten file of a case."""

    @cache
    def write(path: Path) -> Path:
        return written(path, tmp_path_factory.mktemp(path.stem))

    return write
