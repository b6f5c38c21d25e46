"""One server to serve, as plain data that a worker process can be handed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mrtr_adapter.binding.adapt import adapt
from mrtr_adapter.engine.misnamed import misnamed
from mrtr_adapter.serving.logs import log_to_stderr, servers_log_alike
from mrtr_adapter.serving.module import import_file
from mrtr_adapter.serving.refusal import CannotServe
from mrtr_adapter.serving.registered import registered
from mrtr_adapter.serving.servers import find_server
from mrtr_adapter.serving.single_use import SingleUse
from mrtr_adapter.serving.target import Target

if TYPE_CHECKING:
    from mrtr_adapter.serving.servers import AnyServer


@dataclass(frozen=True)
class Job:
    """A file, and what its server is adapted with: the ring of keys, if not that of `MRTR_KEYS`, and a store."""

    target: Target
    keys: Sequence[str] | None = field(default=None, repr=False)
    store: str | None = field(default=None, repr=False)
    """Its URL; each process opens the store for itself."""
    single_use: SingleUse | None = None

    def adapted(self) -> AnyServer:
        """Import the file, find its server and adapt it. Logs go to stderr, unless the file set up its own.

        Raises:
            CannotServe: one of these did not work.
        """
        with servers_log_alike():
            server = find_server(import_file(self.target.path), self.target)
        return self.adapting(server)

    def adapting(self, server: AnyServer) -> AnyServer:
        """Adapt the server that has been found in the file, as `adapted` does.

        Raises:
            CannotServe: it can't be adapted like this.
        """
        log_to_stderr()
        self._check_names(server)
        try:
            return adapt(server, keys=self.keys, store=self.store, single_use=self.single_use)
        except (TypeError, ValueError) as error:
            raise CannotServe(f"{self.target.path}: {error}") from None

    def _check_names(self, server: AnyServer) -> None:
        """Refuse to leave unprotected what is merely misspelt. What can't be known yet is checked at the first list."""
        named = self.single_use if isinstance(self.single_use, list) else []
        there_are = registered(server) if named else None
        if there_are is not None and (said := misnamed("--single-use", named, there_are)):
            raise CannotServe(f"{self.target.path}: {said}")
