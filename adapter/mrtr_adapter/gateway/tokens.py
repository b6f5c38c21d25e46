"""Who asks, out of a JWT access token (RFC 9068) that the client brings along."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import jwt
from mcp.server.auth.provider import AccessToken, TokenVerifier
from mcp.server.auth.settings import AuthSettings
from pydantic import ValidationError

from mrtr_adapter.gateway.jwks import ALGORITHMS, KeySet
from mrtr_adapter.serving.refusal import CannotServe

logger = logging.getLogger("mrtr")

_LEEWAY_SECONDS = 30
_REQUIRED = ("exp", "iss", "aud", "sub")


@dataclass(frozen=True)
class TokenRules:
    """Which access tokens are good.

    Args:
        jwks: the keys of the authorization server, as a file or a URL.
        issuer: it, as tokens name it in `iss`.
        audience: this gateway, as tokens name it in `aud`. If it is a URL, clients find the authorization server by it
            (RFC 9728).
        scopes: what every token must have been granted.
    """

    jwks: str
    issuer: str
    audience: str
    scopes: Sequence[str] = ()

    def auth(self) -> AuthSettings:
        """The same for the SDK.

        Raises:
            CannotServe: the issuer is no URL.
        """
        try:
            return AuthSettings.model_validate(
                {
                    "issuer_url": self.issuer,
                    "required_scopes": list(self.scopes) or None,
                    "resource_server_url": self.audience if _is_url(self.audience) else None,
                    "validate_token_resource": False,  # the verifier looks at the audience itself
                }
            )
        except ValidationError:
            raise CannotServe(f"--issuer {self.issuer}: give the URL that tokens have in `iss`") from None

    def verifier(self) -> TokenVerifier:
        """Raises `CannotServe` if the keys can't be used."""
        return JwtVerifier(self, KeySet(self.jwks))


class JwtVerifier:
    """A token is good if it is signed by a key of the set, for this audience, by this issuer, and not expired."""

    def __init__(self, rules: TokenRules, keys: KeySet) -> None:
        self._rules = rules
        self._keys = keys

    async def verify_token(self, token: str) -> AccessToken | None:
        try:
            key = await self._keys.key(jwt.get_unverified_header(token).get("kid"))
            if key is None:
                raise jwt.InvalidKeyError("it names a key that is not known")
            claims = jwt.decode(
                token,
                key,
                algorithms=sorted(ALGORITHMS),
                audience=self._rules.audience,
                issuer=self._rules.issuer,
                leeway=_LEEWAY_SECONDS,
                options={"require": list(_REQUIRED)},
            )
        except (
            jwt.PyJWTError,
            RecursionError,
        ) as error:  # its JSON is parsed before its signature is checked
            logger.info("an access token was refused: %s", error)
            return None
        return AccessToken(
            token=token,
            client_id=str(claims.get("client_id") or claims.get("azp") or claims["sub"]),
            scopes=_scopes(claims),
            expires_at=int(claims["exp"]) + _LEEWAY_SECONDS,
            resource=self._rules.audience,
            subject=claims["sub"],
            claims={"iss": claims["iss"]},
        )


def _scopes(claims: Mapping[str, Any]) -> list[str]:
    """`scope` as RFC 9068 has it, or the list `scp` that some servers write."""
    scope = claims.get("scope", claims.get("scp", ""))
    return [str(word) for word in (scope.split() if isinstance(scope, str) else scope or [])]


def _is_url(text: str) -> bool:
    return urlsplit(text).scheme in ("http", "https") and bool(urlsplit(text).netloc)
