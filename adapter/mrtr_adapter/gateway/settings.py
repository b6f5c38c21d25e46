"""What one gateway is made with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mrtr_adapter.gateway.child import Command
from mrtr_adapter.gateway.holds import HoldLimits
from mrtr_adapter.gateway.policy import ReplayPolicy
from mrtr_adapter.gateway.pool import PoolLimits
from mrtr_adapter.gateway.remote import Endpoint
from mrtr_adapter.gateway.tokens import TokenRules


@dataclass(frozen=True)
class Settings:
    """The old server, and how it is served. Times are seconds."""

    behind: Command | Endpoint
    pool: PoolLimits = field(default_factory=PoolLimits)
    hold: HoldLimits = field(default_factory=HoldLimits)
    replay: ReplayPolicy = field(default_factory=ReplayPolicy)
    call_seconds: float = 300.0
    trust_header: str | None = None
    """The HTTP header in which a fronting proxy names the user; without it a request is refused."""
    tokens: TokenRules | None = None
    """The access tokens by which clients themselves say who they are; without a good one a request is refused."""
    keys: Sequence[str] | None = field(default=None, repr=False)
    store: str | None = field(default=None, repr=False)
    audience: str | None = None


def with_logged_stderr(settings: Settings) -> Settings:
    """The same, with what the old server prints on stderr in the gateway's log."""
    if not isinstance(settings.behind, Command):
        return settings
    return replace(settings, behind=replace(settings.behind, logs_stderr=True))
