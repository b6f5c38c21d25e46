"""Connects the user's account at a code host by OAuth, in the browser.

The link that is opened carries a `state` that the callback must bring back. Tokens are kept in a file, CONNECT_TOKENS
(tokens.json); what the code host would answer is worked out from the state, so that this runs without network.
"""

import hashlib
import json
import os
import uuid
from pathlib import Path
from urllib.parse import urlencode

from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import UrlElicitationRequiredError
from mcp.types import ElicitRequestURLParams
from pydantic import BaseModel

mcp = MCPServer("connect")

TOKENS = Path(os.environ.get("CONNECT_TOKENS", "tokens.json"))
AUTHORIZE = "https://code.example.org/oauth/authorize"
SCOPES = {"read": ["repo:read"], "write": ["repo:read", "repo:write"]}


class Publish(BaseModel):
    publish: bool


def load() -> dict[str, dict[str, str]]:
    try:
        return json.loads(TOKENS.read_text())
    except FileNotFoundError:
        return {}


def save(account: str, scope: str, token: str) -> None:
    TOKENS.write_text(json.dumps({**load(), account: {"scope": scope, "token": token}}, indent=1))


def authorize_url(account: str, access: str, state: str) -> str:
    query = {"client_id": "mcp-connect", "login": account, "scope": " ".join(SCOPES[access]), "state": state}
    return f"{AUTHORIZE}?{urlencode(query)}"


def exchange(account: str, state: str) -> str:
    """What the code host gives for a finished authorization."""
    return hashlib.sha256(f"{account}:{len(state)}".encode()).hexdigest()[:12]


@mcp.tool()
async def connect(account: str, ctx: Context, access: str = "read") -> str:
    """Connect an account of the code host."""
    if access not in SCOPES:
        raise ValueError(f"access is one of {', '.join(SCOPES)}")
    known = load().get(account)
    if known is not None and known["scope"] == access:
        return f"{account} is connected already."
    state = str(uuid.uuid4())
    consent = await ctx.elicit_url(
        f"Sign in as {account} to allow {access} access", authorize_url(account, access, state), state
    )
    if consent.action != "accept":
        return f"{account} is not connected ({consent.action})."
    save(account, access, exchange(account, state))
    await ctx.session.send_elicit_complete(state)
    return f"{account} is connected for {access}."


@mcp.tool()
async def publish(repository: str, ctx: Context) -> str:
    """Make a repository public; connects its owner's account for writing if need be."""
    owner, _, name = repository.partition("/")
    known = load().get(owner)
    if known is None or known["scope"] != "write":
        state = str(uuid.uuid4())
        message = f"Publishing {name} needs write access for {owner}"
        consent = await ctx.elicit_url(message, authorize_url(owner, "write", state), state)
        if consent.action != "accept":
            return f"{repository} stays private: no write access."
        save(owner, "write", exchange(owner, state))
        await ctx.session.send_elicit_complete(state)
    answer = await ctx.elicit(f"Make {repository} public for everybody?", Publish)
    if answer.action == "accept" and answer.data.publish:
        return f"{repository} is public now."
    return f"{repository} stays private."


@mcp.tool()
async def list_repositories(account: str, ctx: Context) -> str:
    """List the repositories of a connected account."""
    if account not in load():
        state = str(uuid.uuid4())
        raise UrlElicitationRequiredError(
            [
                ElicitRequestURLParams(
                    mode="url",
                    message=f"Sign in as {account} first",
                    url=authorize_url(account, "read", state),
                    elicitation_id=state,
                )
            ]
        )
    await ctx.info(f"listing for {account}")
    return f"{account}: website, dotfiles"


if __name__ == "__main__":
    mcp.run()
