"""The public keys of an authorization server (RFC 7517), from a file or a URL."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx2
import jwt
from jwt import PyJWK

from mrtr_adapter.inputs.json_text import json_of
from mrtr_adapter.inputs.text import text_of
from mrtr_adapter.serving.refusal import CannotServe, told

logger = logging.getLogger("mrtr")

ALGORITHMS = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
)
"""Asymmetric ones: whoever can verify a token must not be able to make one."""

_FRESH_SECONDS = 300.0
_PAUSE_SECONDS = 10.0
"""Between two attempts to read the keys anew, however many tokens name a key that is not known."""
_FETCH_SECONDS = 10.0
_MAX_BYTES = 1024 * 1024
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


class KeySet:
    """The keys by their id. They are read when the first token comes, every 5 minutes, and for an unknown id.

    Args:
        source: a path, or an https URL (http on the loopback).

    Raises:
        CannotServe: it is neither, or the file has no key that can verify a token.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self._keys: Mapping[str | None, PyJWK] = {}
        self._read_at: float | None = None
        self._tried_at: float | None = None
        self._reading = anyio.Lock()
        url = urlsplit(source)
        self._remote = url.scheme in ("http", "https")
        if url.scheme == "http" and url.hostname not in _LOOPBACK:
            raise CannotServe(
                f"--jwks {source}: keys that come over plain http prove nothing, give an https URL"
            )
        if not self._remote:
            try:
                self._keep(json_of(text_of(Path(source), "--jwks"), f"--jwks {source}"))
            except ValueError as error:
                raise CannotServe(f"--jwks {source}: {error}") from None

    async def key(self, identity: str | None) -> PyJWK | None:
        """The key of this id; without an id the only one that there is."""
        if self._is_stale(identity):
            async with self._reading:
                if self._is_stale(identity):
                    await self._read()
        if identity is None and len(self._keys) == 1:
            return next(iter(self._keys.values()))
        return self._keys.get(identity)

    def _is_stale(self, identity: str | None) -> bool:
        now = time.monotonic()
        if self._tried_at is not None and now - self._tried_at < _PAUSE_SECONDS:
            return False
        unknown = identity is not None and identity not in self._keys
        return unknown or self._read_at is None or now - self._read_at > _FRESH_SECONDS

    async def _read(self) -> None:
        self._tried_at = time.monotonic()
        try:
            text = await (_fetched(self.source) if self._remote else anyio.Path(self.source).read_bytes())
            self._keep(json.loads(text))
        except (OSError, ValueError, httpx2.HTTPError) as error:
            logger.error(
                "the keys of %s can't be read, the old ones stay in use: %s", self.source, told(error)
            )

    def _keep(self, document: Any) -> None:
        """Raises `ValueError` if there is no usable key in it."""
        self._keys = _usable(document)
        self._read_at = time.monotonic()


async def _fetched(url: str) -> bytes:
    async with (
        httpx2.AsyncClient(timeout=_FETCH_SECONDS) as client,
        client.stream("GET", url, headers={"Accept": "application/json"}) as reply,
    ):
        reply.raise_for_status()
        body = b""
        async for chunk in reply.aiter_bytes():
            body += chunk
            if len(body) > _MAX_BYTES:
                raise ValueError(f"it has more than {_MAX_BYTES} bytes")
        return body


def _usable(document: Any) -> dict[str | None, PyJWK]:
    found = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(found, list):
        raise ValueError('it is no JWK Set: {"keys": […]}')
    keys: dict[str | None, PyJWK] = {}
    for entry in found:
        try:
            key = PyJWK.from_dict(entry)
        except (jwt.PyJWTError, TypeError, AttributeError) as error:
            logger.info("a key in the JWK Set is of no use: %s", type(error).__name__)
            continue
        if key.algorithm_name in ALGORITHMS and key.public_key_use in (None, "sig"):
            keys[key.key_id] = key
    if not keys:
        raise ValueError("it has no public key that could verify a token")
    return keys
