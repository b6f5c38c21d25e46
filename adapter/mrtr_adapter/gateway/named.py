"""The tools that an operator has named for `--replay`, held against those that the old server lists at the start."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import anyio
from mcp.shared.exceptions import MCPError

from mrtr_adapter.engine.misnamed import misnamed
from mrtr_adapter.gateway.capset import SessionKind
from mrtr_adapter.gateway.lists import listed
from mrtr_adapter.gateway.policy import ReplayPolicy
from mrtr_adapter.gateway.pool import Pool
from mrtr_adapter.gateway.session import Session
from mrtr_adapter.serving.refusal import CannotServe, told

logger = logging.getLogger("mrtr")

_LIST_SECONDS = 10.0
_CAN_ALL = SessionKind.of(
    None,
    {
        "elicitation": {"form": {}, "url": {}},
        "sampling": {"tools": {}},
        "roots": {"listChanged": True},
    },
)
"""Who declares the most is shown the most."""


class Misnamed(CannotServe):
    """A name that nothing of the old server has, and that nothing will have."""


async def check_named(policy: ReplayPolicy, pool: Pool, hello: Mapping[str, Any], *, strict: bool) -> None:
    """Tell of names that the old server does not list: in the log if more may come, or unless `strict`.

    Raises:
        Misnamed: its list is complete.
    """
    if not policy.tools:
        return
    try:
        session = await pool.acquire(_CAN_ALL, spare=False)
        try:
            with anyio.fail_after(_LIST_SECONDS):
                there_are = await _names(session, hello)
        finally:
            pool.discard(session)
    except (MCPError, TimeoutError) as error:
        logger.warning(
            "the names given to --replay can't be checked, since nothing is listed: %s", told(error)
        )
        return
    said = misnamed("--replay", policy.tools, there_are)
    if said is None:
        return
    if strict and not _may_change(hello):
        raise Misnamed(said)
    logger.warning("%s; more may come", said)


async def _names(session: Session, hello: Mapping[str, Any]) -> list[str]:
    kinds = [kind for kind in ("tools", "prompts") if _ability(hello, kind) is not None]
    return [str(entry.get("name")) for kind in kinds async for entry in listed(session.request, kind)]


def _may_change(hello: Mapping[str, Any]) -> bool:
    return any((_ability(hello, kind) or {}).get("listChanged") for kind in ("tools", "prompts"))


def _ability(hello: Mapping[str, Any], kind: str) -> Mapping[str, Any] | None:
    found: Mapping[str, Any] | None = (hello.get("capabilities") or {}).get(kind)
    return found
