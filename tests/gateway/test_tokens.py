"""Users told apart by the access token that they bring along, and tokens that are not good."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm

from gateway.behind import Journal, replace, settings
from interop.wire import HEADERS, META
from mrtr_adapter.gateway.http import Places
from mrtr_adapter.gateway.jwks import KeySet
from mrtr_adapter.gateway.tokens import TokenRules
from mrtr_adapter.serving.refusal import CannotServe

pytestmark = pytest.mark.anyio

ISSUER = "https://login.example.com"
AUDIENCE = "https://gateway.example.com/mcp"
FAR = 4_000_000_000
OURS, NEXT, FOREIGN = (ec.generate_private_key(ec.SECP256R1()) for _ in range(3))
PUBLIC = OURS.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def key_set(**keys: ec.EllipticCurvePrivateKey) -> str:
    public = {name: ECAlgorithm.to_jwk(key.public_key(), as_dict=True) for name, key in keys.items()}
    return json.dumps({"keys": [{**key, "kid": name, "use": "sig"} for name, key in public.items()]})


def token(
    subject: str | None = "ada", key: Any = OURS, kid: str | None = "ours", alg: str = "ES256", **more: Any
) -> str:
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": subject, "exp": FAR, "client_id": "desk", **more}
    headers = {"kid": kid} if kid else {}
    return jwt.encode({name: value for name, value in claims.items() if value is not None}, key, alg, headers)


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    file = tmp_path / "jwks.json"
    file.write_text(key_set(ours=OURS))
    return file


@asynccontextmanager
async def served(journal: Journal, rules: TokenRules) -> AsyncIterator[httpx2.AsyncClient]:
    app = Places({"/mcp": replace(settings(journal), tokens=rules)}, "127.0.0.1").app
    transport = httpx2.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client,
    ):
        yield client


async def post(
    client: httpx2.AsyncClient, bearer: str | None, tool: str = "whoami", **more: Any
) -> httpx2.Response:
    params = {"name": tool, "arguments": {}, "_meta": META, **more}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {**HEADERS, "Mcp-Name": tool, **({"Authorization": f"Bearer {bearer}"} if bearer else {})}
    return await client.post("/mcp", json=message, headers=headers, timeout=60)


def said(reply: httpx2.Response) -> str:
    return str(reply.json()["result"]["content"][0]["text"])


async def test_each_user_has_a_process_and_states_of_their_own(journal: Journal, keys: Path) -> None:
    ada, bob = token("ada"), token("bob")
    async with served(journal, TokenRules(str(keys), ISSUER, AUDIENCE)) as client:
        assert said(await post(client, ada)) == said(await post(client, token("ada", exp=FAR + 1)))
        assert said(await post(client, ada)) != said(await post(client, bob))
        asked = (await post(client, ada, "look")).json()["result"]
        yes = {key: {"action": "accept", "content": {"sure": True}} for key in asked["inputRequests"]}
        again = {"requestState": asked["requestState"], "inputResponses": yes}
        stolen = await post(client, bob, "look", **again)
        assert stolen.json()["error"]["message"] == "Invalid or expired requestState"
        assert said(await post(client, ada, "look", **again)) == "seen: True"


def unsigned() -> str:
    header, claims = (
        {"alg": "none", "kid": "ours"},
        {"iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "exp": FAR},
    )
    encoded = [
        base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in (header, claims)
    ]
    return ".".join([*encoded, ""])


def nested() -> str:
    return base64.urlsafe_b64encode(b"[" * 30_000).decode().rstrip("=") + ".e30.e30"


BAD = {
    "no JWT": "x",
    "expired": token(exp=1_000_000_000),
    "not valid yet": token(nbf=FAR),
    "for somebody else": token(aud="https://other.example.com"),
    "for nobody": token(aud=None),
    "of another issuer": token(iss="https://other.example.com"),
    "of no user": token(subject=None),
    "without an end": token(exp=None),
    "signed by another key": token(key=FOREIGN),
    "by a key that is not known": token(key=FOREIGN, kid="foreign"),
    "unsigned": unsigned(),
    "signed with what anybody may know": token(key=PUBLIC, alg="HS256"),
    "with a header that is nested too deeply": nested(),
}


@pytest.mark.parametrize("kind", BAD)
async def test_a_bad_token_is_nobodys(kind: str, keys: Path) -> None:
    verifier = TokenRules(str(keys), ISSUER, AUDIENCE).verifier()
    assert await verifier.verify_token(BAD[kind]) is None
    assert await verifier.verify_token(token())


async def test_whoever_brings_no_good_token_is_told_where_to_get_one(journal: Journal, keys: Path) -> None:
    async with served(journal, TokenRules(str(keys), ISSUER, AUDIENCE, ["call"])) as client:
        before = len(journal.pids)
        refused = [await post(client, bad) for bad in (None, BAD["expired"], token(scope="read other"))]
        assert [reply.status_code for reply in refused] == [401, 401, 403]
        where = "https://gateway.example.com/.well-known/oauth-protected-resource/mcp"
        assert all(where in reply.headers["WWW-Authenticate"] for reply in refused)
        about = (await client.get("/.well-known/oauth-protected-resource/mcp")).json()
        assert (about["resource"], about["authorization_servers"]) == (AUDIENCE, [ISSUER])
        assert (await client.get("/healthz")).status_code == 200
        assert len(journal.pids) == before
        assert said(await post(client, token(scope="read call")))


async def test_keys_may_be_rotated_meanwhile(keys: Path) -> None:
    verifier = TokenRules(str(keys), ISSUER, AUDIENCE).verifier()
    assert await verifier.verify_token(token())
    keys.write_text(key_set(ours=OURS, next=NEXT))
    assert await verifier.verify_token(token(key=NEXT, kid="next"))
    assert await verifier.verify_token(token(key=NEXT, kid=None)) is None, "two keys, and it names none"


async def test_known_keys_stay_in_use_while_no_others_can_be_read(keys: Path) -> None:
    verifier = TokenRules(str(keys), ISSUER, AUDIENCE).verifier()
    keys.write_text("gone")
    assert await verifier.verify_token(token(key=FOREIGN, kid="foreign")) is None
    assert await verifier.verify_token(token())


class Keys(BaseHTTPRequestHandler):
    asked = 0

    def do_GET(self) -> None:
        type(self).asked += 1
        body = key_set(ours=OURS).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def authorization_server() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Keys) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/jwks"
        server.shutdown()


async def test_tokens_with_unknown_keys_do_not_make_the_gateway_flood_the_authorization_server() -> None:
    with authorization_server() as url:
        verifier = TokenRules(url, ISSUER, AUDIENCE).verifier()
        assert await verifier.verify_token(token())
        for number in range(50):
            assert await verifier.verify_token(token(key=FOREIGN, kid=f"foreign-{number}")) is None
    assert Keys.asked == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "No such file"),
        ("no JSON", "Expecting value"),
        ("[]", "it is no JWK Set"),
        ('{"keys": [{"kty": "oct", "k": "c2VjcmV0", "kid": "a"}]}', "no public key"),
    ],
)
def test_keys_that_verify_nothing_are_refused_at_the_start(
    text: str | None, reason: str, tmp_path: Path
) -> None:
    file = tmp_path / "jwks.json"
    if text is not None:
        file.write_text(text)
    with pytest.raises(CannotServe, match=reason):
        KeySet(str(file))


def test_keys_over_plain_http_are_refused() -> None:
    with pytest.raises(CannotServe, match="give an https URL"):
        KeySet("http://login.example.com/jwks")
