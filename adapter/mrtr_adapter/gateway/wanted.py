"""What an operator has said, on the command line or in a file, as settings."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from mrtr_adapter.gateway.child import Command
from mrtr_adapter.gateway.policy import CHOICES, NONE, SAFE, ReplayPolicy
from mrtr_adapter.gateway.pool import PoolLimits
from mrtr_adapter.gateway.remote import Endpoint
from mrtr_adapter.gateway.tokens import TokenRules
from mrtr_adapter.serving.refusal import CannotServe


def behind(
    command: Sequence[str],
    url: str | None,
    headers: Sequence[str],
    environment: Mapping[str, str],
    folder: Path | None,
) -> Command | Endpoint:
    """The old server.

    Raises:
        CannotServe: there is none, or there are two, or it can't be reached in that way.
    """
    if bool(command) == bool(url):
        raise CannotServe(
            "give the old server, either as a command (-- COMMAND …) or as its --url, and not both"
        )
    if url:
        if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).netloc:
            raise CannotServe(
                f"{url!r} is no http or https URL: give it as in --url https://old.example.com/mcp"
            )
        return Endpoint(url, dict(_header(line) for line in headers))
    if headers:
        raise CannotServe("a header is for a server behind --url; a command gets what it needs by --env")
    if folder is not None and not folder.is_dir():
        raise CannotServe(f"there is no folder {folder} to start the command in")
    program = shutil.which(command[0], path=environment.get("PATH"))
    if program is None:
        raise CannotServe(_no_program(command[0]))
    return Command([program, *command[1:]], environment, folder)


def _no_program(name: str) -> str:
    if Path(name).is_file():
        return f"{name} is a file that can't be run: give what runs it as well, as in -- python {name}"
    return f"there is no command {name}: give its path, or install it"


def environment(named: Sequence[str], around: Mapping[str, str]) -> dict[str, str]:
    """Variables for a child: `NAME=VALUE`, or `NAME` for the value that it has here.

    Raises:
        CannotServe: there is no such variable here.
    """
    found = {}
    for text in named:
        name, given, value = text.partition("=")
        if not given and name not in around:
            raise CannotServe(
                f"there is no variable {name} in this environment: set it, or give {name}=VALUE"
            )
        found[name] = value if given else around[name]
    return found


def tokens(
    jwks: str | None, issuer: str | None, audience: str | None, scopes: Sequence[str]
) -> TokenRules | None:
    """Which access tokens are wanted; None if none are.

    Raises:
        CannotServe: only a part of that is given, or the keys can't be used.
    """
    if not (jwks or issuer or audience or scopes):
        return None
    if not (jwks and issuer and audience):
        raise CannotServe(
            "to verify access tokens give all of --jwks (the keys of the authorization server), --issuer (it, as in "
            "their `iss`) and --audience (this gateway, as in their `aud`)"
        )
    rules = TokenRules(jwks, issuer, audience, tuple(scopes))
    rules.auth(), rules.verifier()
    return rules


def bounds(sessions: int, *, apart: bool) -> tuple[PoolLimits, int]:
    """How many sessions there may be, and how many calls each user may have held. Where users are told apart, one of
    them gets no more than a quarter; a quarter of that is left for calls that ask nothing."""
    share = max(1, sessions // 4) if apart else sessions
    return PoolLimits(sessions=sessions, per_principal=share), max(1, share * 3 // 4)


def policy(given: Sequence[str]) -> ReplayPolicy:
    """Which calls may be run again. Names are separated by commas, or given one by one.

    Raises:
        CannotServe: two of the words that speak for all tools, or `none` and names.
    """
    names = [name.strip() for text in given for name in text.split(",") if name.strip()]
    words = [name for name in names if name in CHOICES]
    tools = frozenset(names) - set(words)
    if len(words) > 1 or (tools and words and words != [SAFE]):
        raise CannotServe(
            f"--replay {' and '.join(words)} can't be combined: give one of all, safe and none, or names"
        )
    return ReplayPolicy(words[0] if words else NONE if tools else SAFE, tools)


def _header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not name.strip():
        raise CannotServe(f"{name.strip()!r} is no header: write it as in 'Authorization: Bearer …'")
    return name.strip(), value.strip()
