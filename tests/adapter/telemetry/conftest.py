"""Every test here watches what is emitted."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from adapter.telemetry.emitted import Emitted, emitted


@pytest.fixture
def out() -> Iterator[Emitted]:
    with emitted() as found:
        yield found
