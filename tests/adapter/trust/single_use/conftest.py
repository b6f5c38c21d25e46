"""The stores that single use is tested with."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapter.trust.stores import KINDS, opened
from mrtr_adapter.stores import Store


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return opened(request.param, tmp_path)
