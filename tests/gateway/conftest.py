from __future__ import annotations

from pathlib import Path

import pytest

from gateway.behind import Journal


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "journal")
