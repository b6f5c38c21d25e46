"""A vault that knows its users by their bearer tokens: an await-style handler, adapted.

    python vault_server.py PORT SECRET

The tokens are JSON Web Tokens, signed with SECRET. `adapt` takes its key from `MRTR_KEYS`.
"""

from __future__ import annotations

import sys

import jwt
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import Context, MCPServer
from pydantic import AnyHttpUrl, BaseModel

from mrtr_adapter import adapt

port, secret = int(sys.argv[1]), sys.argv[2]


class JwtVerifier:
    async def verify_token(self, token: str) -> AccessToken | None:
        try:
            claims = jwt.decode(token, secret, algorithms=["HS256"])
        except jwt.InvalidTokenError:
            return None
        return AccessToken(
            token=token, client_id=claims["client_id"], subject=claims["sub"], scopes=[], claims=claims
        )


class Confirm(BaseModel):
    ok: bool


server = MCPServer(
    "vault",
    token_verifier=JwtVerifier(),
    auth=AuthSettings(
        issuer_url=AnyHttpUrl("https://issuer.example"),
        resource_server_url=AnyHttpUrl("https://vault.example/mcp"),
        validate_token_resource=False,
    ),
)


@server.tool()
async def open_vault(ctx: Context) -> str:
    """Open the caller's vault."""
    confirm = await ctx.elicit("Open your vault?", Confirm)
    token = get_access_token()
    if confirm.action == "accept" and confirm.data.ok and token is not None:
        return f"The vault of {token.subject} is open."
    return "The vault stays shut."


if __name__ == "__main__":
    adapt(server).run("streamable-http", port=port)
