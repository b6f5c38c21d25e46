"""Log lines on stderr, each with its time and level, whatever is served."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from mcp.server.mcpserver import server as mcpserver

LINES = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")


def log_to_stderr(level: str = "INFO", lines: logging.Formatter = LINES) -> None:
    """Log from this level on, unless somebody has set up logging already."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(lines)
    logging.basicConfig(handlers=[handler], level=level)


@contextmanager
def servers_log_alike() -> Iterator[None]:
    """Within it, an `MCPServer` that is made sets up these lines at its own level, and not its bare messages."""
    original = mcpserver.configure_logging  # type: ignore[attr-defined]  # is there, and not re-exported
    mcpserver.configure_logging = log_to_stderr  # type: ignore[attr-defined]
    try:
        yield
    finally:
        mcpserver.configure_logging = original  # type: ignore[attr-defined]
