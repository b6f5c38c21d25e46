"""What the tests with foreign counterparts share."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """The HTTP servers and FastMCP's client run on asyncio only."""
    return "asyncio"
