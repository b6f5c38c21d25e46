"""Connects the user's account at a code host by OAuth, in the browser.

The link that is opened carries a `state` that the callback must bring back. Tokens are kept in a file, CONNECT_TOKENS
(tokens.json); what the code host would answer is worked out from the state, so that this runs without network.
"""

import hashlib
import json
import os
import uuid
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import InputRequiredResult
from mrtr_steps import Step, Steps, form, url
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


class ConnectConsent(Step):
    step: Literal["consent"] = "consent"
    state: str


@mcp.tool()
async def connect(account: str, ctx: Context, access: str = "read") -> str | InputRequiredResult:
    """Connect an account of the code host."""
    steps = Steps(ctx)
    state_2 = steps.resume(ConnectConsent)
    if state_2 is None:
        if access not in SCOPES:
            raise ValueError(f"access is one of {', '.join(SCOPES)}")
        known = load().get(account)
        if known is not None and known["scope"] == access:
            return f"{account} is connected already."
        state = str(uuid.uuid4())
    else:
        state = state_2.state
    consent = steps.url("consent")
    if consent is None:
        return steps.ask(
            ConnectConsent(state=state),
            consent=url(
                f"Sign in as {account} to allow {access} access",
                authorize_url(account, access, state),
            ),
        )
    if consent.action != "accept":
        return f"{account} is not connected ({consent.action})."
    save(account, access, exchange(account, state))
    return f"{account} is connected for {access}."


class PublishConsent(Step):
    step: Literal["consent"] = "consent"
    state: str


class PublishAnswer(Step):
    step: Literal["answer"] = "answer"


@mcp.tool()
async def publish(repository: str, ctx: Context) -> str | InputRequiredResult:
    """Make a repository public; connects its owner's account for writing if need be."""
    steps = Steps(ctx)
    state_2 = steps.resume(PublishConsent, PublishAnswer)
    owner, _, name = repository.partition("/")
    if state_2 is None:
        known = load().get(owner)
    if not isinstance(state_2, PublishAnswer):
        if isinstance(state_2, PublishConsent) or known is None or known["scope"] != "write":
            if not isinstance(state_2, PublishConsent):
                state = str(uuid.uuid4())
            else:
                state = state_2.state
            message = f"Publishing {name} needs write access for {owner}"
            consent = steps.url("consent")
            if consent is None:
                return steps.ask(
                    PublishConsent(state=state),
                    consent=url(message, authorize_url(owner, "write", state)),
                )
            if consent.action != "accept":
                return f"{repository} stays private: no write access."
            save(owner, "write", exchange(owner, state))
    answer = steps.form("answer", Publish)
    if answer is None:
        return steps.ask(PublishAnswer(), answer=form(f"Make {repository} public for everybody?", Publish))
    if answer.action == "accept" and answer.data.publish:
        return f"{repository} is public now."
    return f"{repository} stays private."


@mcp.tool()
async def list_repositories(account: str, ctx: Context) -> str | InputRequiredResult:
    """List the repositories of a connected account."""
    steps = Steps(ctx)
    if account not in load():
        state = str(uuid.uuid4())
        return steps.restart(link=url(f"Sign in as {account} first", authorize_url(account, "read", state)))
    await ctx.info(f"listing for {account}")
    return f"{account}: website, dotfiles"


if __name__ == "__main__":
    mcp.run()
