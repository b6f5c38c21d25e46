"""What a server keeps of its flows in a store, beside what travels in their state: replies, and large journals."""

from __future__ import annotations

import copy
import logging
import os
from collections.abc import Awaitable, Callable, Collection
from typing import Any

from mcp.server.context import HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.request_state import AESGCMRequestStateCodec, RequestStateCodec

from mrtr_adapter.custody import redemption, reference
from mrtr_adapter.custody.destructive import DestructiveTools
from mrtr_adapter.custody.vault import Vault
from mrtr_adapter.engine.flows import Flow
from mrtr_adapter.engine.journal import Journal
from mrtr_adapter.stores import Store
from mrtr_adapter.stores.memory import MemoryStore

logger = logging.getLogger("mrtr")

Context = ServerRequestContext[Any, Any]
SingleUse = bool | str | Collection[str]
DESTRUCTIVE = "destructive"


class Custody:
    """Of one server.

    `vault` is the configured store, or None. `server` is asked for the annotations of its tools.
    """

    def __init__(self, server: Server[Any]) -> None:
        self.vault: Vault | None = None
        self._server = server
        self._single_use: SingleUse = DESTRUCTIVE
        self._reference_above_bytes: int | None = None
        self._spare = Vault(MemoryStore(), AESGCMRequestStateCodec([os.urandom(32)]))
        self._warned = False
        self._destructive = DestructiveTools(server)

    def use(
        self,
        codec: RequestStateCodec,
        store: Store | None,
        single_use: SingleUse | None,
        reference_above_bytes: int | None,
    ) -> None:
        """Work with these from now on; what is None stays as it is.

        Args:
            codec: seals what is stored.
            store: where that is.
            single_use: True, False, `destructive`, or the names of tools, prompts and resources.
            reference_above_bytes: the size of a state above which its journal is stored.

        Raises:
            ValueError: these make no sense, or not together.
        """
        if isinstance(single_use, str) and single_use != DESTRUCTIVE:
            raise ValueError(
                f"single_use is True, False, {DESTRUCTIVE!r} or a list of names, not {single_use!r}"
            )
        if reference_above_bytes is not None and reference_above_bytes < 0:
            raise ValueError(f"reference_above_bytes is at least 0, not {reference_above_bytes!r}")
        if reference_above_bytes is not None and store is None and self.vault is None:
            raise ValueError("reference_above_bytes needs a store= to put the journals in")
        if store is not None:
            self.vault = Vault(store, codec)
        elif self.vault is not None:
            self.vault = Vault(self.vault.store, codec)
        if single_use is not None:
            self._single_use = single_use
        if reference_above_bytes is not None:
            self._reference_above_bytes = reference_above_bytes

    @property
    def named(self) -> Collection[str]:
        """The tools, prompts and resources that are named as single use."""
        return () if isinstance(self._single_use, bool | str) else self._single_use

    def also_of(self, server: Server[Any]) -> Custody:
        """The same for another server."""
        other = copy.copy(self)
        other._server = server
        other._destructive = DestructiveTools(server)
        return other

    async def keep(self, ctx: Context, flow: Flow, state: str) -> str:
        """What a round's plaintext state is to be, once what belongs to it is stored.

        Raises:
            MCPError: the store can't be used.
        """
        if await self.is_single(ctx, flow):
            state = await redemption.register(self._redeeming(), flow)
        limit = self._reference_above_bytes
        if limit is not None and self.vault is not None and len(state) > limit:
            state = await reference.refer(self.vault, flow, state)
        return state

    async def plaintext(self, state: str, name: str) -> str:
        """The journal's text, out of the state or of the store.

        Raises:
            StateLost: the store does not have it any more.
            MCPError: the store can't be used.
        """
        return await reference.resolve(self.vault, state, name) if reference.is_reference(state) else state

    async def redeem(
        self, journal: Journal, flow: Flow, serve: Callable[[], Awaitable[HandlerResult]]
    ) -> HandlerResult:
        """Serve a round, or give what its state has led to if that may be redeemed once only.

        Raises:
            StateLost: the store does not know the state.
            MCPError: what the round led to; or the store can't be used.
        """
        if not journal.single:
            return await serve()
        return await redemption.redeem(self._redeeming(), journal, flow, serve)

    async def is_single(self, ctx: Context, flow: Flow) -> bool:
        """Whether the states of this flow may be redeemed once only."""
        if flow.memory.before is not None and flow.memory.before.single:
            return True
        chosen = self._single_use
        if isinstance(chosen, bool):
            return chosen
        if chosen != DESTRUCTIVE:
            return flow.target in chosen
        return ctx.method == "tools/call" and await self._destructive.has(ctx, flow.target)

    def _redeeming(self) -> Vault:
        if self.vault is not None:
            return self.vault
        if not self._warned:
            self._warned = True
            logger.warning(
                "%s keeps redeemed states in the memory of this process: another instance does not see them. "
                "Give adapt() a store=, or single_use=False",
                self._server.name,
            )
        return self._spare
