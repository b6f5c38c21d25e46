"""Tells the owner of names in options that nothing has, once a client lists what there is.

Handlers may be registered after `adapt()`, so before that nobody knows.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from mrtr_adapter.custody.listing import prompts_of, tools_of
from mrtr_adapter.engine.misnamed import misnamed

logger = logging.getLogger("mrtr")

Context = ServerRequestContext[Any, Any]
Named = Mapping[str, Collection[str]]
"""Names by the option that they were given to."""


class NameCheck:
    """Of one server, and once for each set of names."""

    def __init__(self, server: Server[Any]) -> None:
        self._server = server
        self._checked: Named = {}

    async def check(self, ctx: Context, named: Named) -> None:
        """Log a warning for each option that names what the client of `ctx` is not shown."""
        if named == self._checked or not any(named.values()):
            return
        self._checked = named
        try:
            there_are = [tool.name async for tool in tools_of(self._server, ctx)]
            there_are += [prompt.name async for prompt in prompts_of(self._server, ctx)]
        except Exception as error:
            logger.warning("the names given to adapt() can't be checked, since a list fails: %s", error)
            return
        for option, names in named.items():
            if said := misnamed(option, names, there_are):
                logger.warning("%s: %s", self._server.name, said)
