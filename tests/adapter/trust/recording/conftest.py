"""On both event loops; with the journal in the state and in a store."""

from __future__ import annotations

import pytest

from mrtr_adapter.stores.memory import MemoryStore


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=["in the state", "in a store"])
def store(request: pytest.FixtureRequest) -> MemoryStore | None:
    return MemoryStore() if request.param == "in a store" else None
