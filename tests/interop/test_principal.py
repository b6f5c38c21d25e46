"""A flow belongs to the user who began it, whichever instance serves the rest of it."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

import httpx2
import jwt
import pytest

from interop.serving import Instance
from interop.wire import send
from mrtr_adapter.sealing.keys import new_key

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECRET = secrets.token_hex(32)


@pytest.fixture
def instances(tmp_path: Path) -> Iterator[list[Instance]]:
    key = new_key()
    both = [Instance("vault_server.py", tmp_path / f"{name}.log", key, (SECRET,)) for name in ("one", "two")]
    try:
        yield [instance.start() for instance in both]
    finally:
        for instance in both:
            instance.stop()


async def test_state_is_good_for_the_user_who_got_it_and_no_other(instances: list[Instance]) -> None:
    first, second = (instance.url for instance in instances)
    asked = await call(first, token("alice"), {})
    retry = {
        "inputResponses": {"confirm": {"action": "accept", "content": {"ok": True}}},
        "requestState": asked["result"]["requestState"],
    }

    for stranger in [token("bob"), token("alice", client_id="another-app")]:
        refused = await call(second, stranger, retry)
        assert (refused["error"]["code"], refused["error"]["message"]) == (
            -32602,
            "Invalid or expired requestState",
        )

    renewed = token("alice")
    opened = await call(second, renewed, retry)
    assert opened["result"]["content"][0]["text"] == "The vault of alice is open."


def token(subject: str, client_id: str = "app") -> str:
    """Return a token that differs from every other one."""
    claims = {
        "sub": subject,
        "client_id": client_id,
        "iss": "https://issuer.example",
        "jti": secrets.token_hex(8),
    }
    return jwt.encode(claims, SECRET, algorithm="HS256")


async def call(url: str, bearer: str, retry: dict[str, Any]) -> dict[str, Any]:
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {bearer}"}) as client:
        reply = await send(client, url, {"name": "open_vault", "arguments": {}, **retry})
    assert reply is not None
    return reply
