"""Settings of the whole suite."""

from __future__ import annotations

import pytest


@pytest.fixture(params=["asyncio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """Asyncio, unless a module asks for trio as well: servers over HTTP run on asyncio only."""
    return str(request.param)
