"""The users of the sample server, each with a bearer token that was made for this one run."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from mcp.server.auth.provider import AccessToken

ENVIRONMENT = "MRTR_DEMO_USERS"


class Users:
    """A `TokenVerifier` that knows its users beforehand: `{name: token}`."""

    def __init__(self, tokens: Mapping[str, str]) -> None:
        self._names = {token: name for name, token in tokens.items()}

    @classmethod
    def from_environment(cls) -> Users:
        return cls(json.loads(os.environ[ENVIRONMENT]))

    async def verify_token(self, token: str) -> AccessToken | None:
        name = self._names.get(token)
        if name is None:
            return None
        return AccessToken(token=token, client_id="mrtr-demo", scopes=[], subject=name)
