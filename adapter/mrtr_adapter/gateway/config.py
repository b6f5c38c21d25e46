"""The file of `--config`: several servers behind paths.

[servers.files]
command = ["npx", "-y", "files-server", "/data"]
env = {API_KEY = "$API_KEY"}
replay = ["read_file"]

[servers.tickets]
url = "https://tickets.example.com/mcp"
hold = 60
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mrtr_adapter.gateway.settings import Settings
from mrtr_adapter.gateway.tokens import TokenRules
from mrtr_adapter.gateway.wanted import behind, bounds, environment, policy, tokens
from mrtr_adapter.inputs.mistakes import Mistakes, Place, mistakes
from mrtr_adapter.inputs.text import text_of
from mrtr_adapter.serving.refusal import CannotServe

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


_VARIABLE = re.compile(r"\$([A-Za-z_]\w*)")


class _Server(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    command: list[str] | None = None
    url: str | None = None
    header: list[str] = Field(default_factory=list)
    env: dict[str, str] = Field(default_factory=dict)
    folder: str | None = None
    hold: float | None = Field(default=None, ge=0)
    replay: str | list[str] | None = None
    timeout: float | None = Field(default=None, gt=0)
    sessions: int | None = Field(default=None, ge=1)
    jwks: str | None = None
    issuer: str | None = None
    audience: str | None = None
    scopes: list[str] = Field(default_factory=list)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    servers: dict[str, _Server] = Field(min_length=1)


def read_config(path: Path, common: Settings) -> dict[str, Settings]:
    """The settings of each server by its path, `/NAME/mcp`. What a server does not say is as in `common`.

    Raises:
        CannotServe: the file can't be read, or says something that makes no sense.
    """
    text = text_of(path, "--config")
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # of numbers that are too long, and of deep nesting
        raise CannotServe(f"{path} is not TOML: {error}") from None
    try:
        found = _File.model_validate(document)
    except ValidationError as error:
        wrong = mistakes(error, document, {"": _File, "servers": _Server}, "a table")
        raise Mistakes(wrong, lambda each: f"{path}{_line(text, each.place)}: {each}") from None
    return {
        f"/{name}/mcp": _settings(
            f"{path}{_line(text, ('servers', name))}, [servers.{name}]", name, server, common
        )
        for name, server in found.servers.items()
    }


def _settings(where: str, name: str, server: _Server, common: Settings) -> Settings:
    if not name.replace("-", "").replace("_", "").isalnum():
        raise CannotServe(f"{where}: a name is letters, digits, - and _, since it is part of the path")
    try:
        old = behind(
            server.command or (),
            server.url,
            [_filled(line) for line in server.header],
            _expanded(server.env),
            Path(server.folder or "."),
        )
        chosen = [server.replay] if isinstance(server.replay, str) else server.replay
        replay = common.replay if chosen is None else policy(chosen)
        access = _tokens(server, common.tokens)
    except CannotServe as error:
        raise CannotServe(f"{where}: {error}") from None
    apart = bool(access or common.trust_header)
    pool, held = bounds(server.sessions or common.pool.sessions, apart=apart)
    hold = replace(common.hold, calls=held)
    settings = replace(common, behind=old, replay=replay, audience=name, tokens=access, pool=pool, hold=hold)
    if server.hold is not None:
        settings = replace(settings, hold=replace(settings.hold, seconds=server.hold))
    if server.timeout is not None:
        settings = replace(settings, call_seconds=server.timeout)
    return settings


def _tokens(server: _Server, common: TokenRules | None) -> TokenRules | None:
    """What a server does not say of the tokens that it wants is as for all; the audience is mostly its own."""
    if common is None:
        return tokens(server.jwks, server.issuer, server.audience, server.scopes)
    return tokens(
        server.jwks or common.jwks,
        server.issuer or common.issuer,
        server.audience or common.audience,
        server.scopes or common.scopes,
    )


def _expanded(env: Mapping[str, str]) -> dict[str, str]:
    """`$NAME` alone stands for a variable of the gateway's own environment."""
    named = [value[1:] for value in env.values() if value.startswith("$")]
    known = environment(named, os.environ)
    return {name: known[value[1:]] if value.startswith("$") else value for name, value in env.items()}


def _filled(header: str) -> str:
    """With the gateway's own variables in the place of `$NAME`, so that no secret needs to stand in the file."""
    known = environment(_VARIABLE.findall(header), os.environ)
    return _VARIABLE.sub(lambda found: known[found[1]], header)


def _line(text: str, place: Place) -> str:
    """ ", line N" of a setting, or of the table that it is missing in; nothing if that is written in another way."""
    table, setting = (".".join(map(str, part)) for part in (place[:2], place[2:3]))
    found = None
    for number, line in enumerate(text.splitlines(), 1):
        bare = re.sub(r"[\s\"']", "", line)
        if bare.startswith("["):
            if found is not None:
                break
            found = number if bare.startswith(f"[{table}]") else None
        elif found is not None and setting and bare.startswith(f"{setting}="):
            return f", line {number}"
    return "" if found is None else f", line {found}"
