"""The token that `requestState` is on the wire.

    token = "mr1." + base64url(key id ‖ salt ‖ commitment ‖ ciphertext ‖ tag)
               4 bytes ┘      16 ┘        32 ┘          n ┘      16 ┘

A ring of keys: the first one seals, each of them opens. Every token has an AES-256-GCM key and nonce of its own,
derived by HKDF-SHA256 from the ring's key and the token's random salt, so no nonce can ever repeat under a key. The
commitment comes out of the same derivation and ties the token to that one key. Prefix and key id are authenticated as
associated data. There is no compression: answers that are secret would lie beside text that a client chooses.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import os
from collections.abc import Sequence
from hashlib import sha256

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from mcp.server.request_state import InvalidRequestState

_PREFIX = "mr1."
_ID, _SALT, _COMMITMENT, _TAG, _KEY, _NONCE = 4, 16, 32, 16, 32, 12
_HEAD = _ID + _SALT + _COMMITMENT
_MAX_ENVELOPE = 4096
"""Room for the claims that the boundary puts around a journal, and for escapes."""


class SealCodec:
    """A `RequestStateCodec` for the SDK's boundary.

    Args:
        keys: the ring, at least 32 bytes of secret each, in any text or bytes form.
        max_state_bytes: larger state is refused before it is decoded.

    Raises:
        ValueError: no key, a short one, or one twice.
    """

    def __init__(self, keys: Sequence[str | bytes], *, max_state_bytes: int) -> None:
        self._ring: dict[bytes, bytes] = {}
        for position, key in enumerate(keys):
            secret = key.encode() if isinstance(key, str) else bytes(key)
            if len(secret) < 32:
                raise ValueError(
                    f"key {position + 1} has {len(secret)} bytes, 32 are needed; make one with `mrtr keygen`"
                )
            identity = sha256(b"mrtr key id" + secret).digest()[:_ID]
            if identity in self._ring:
                raise ValueError(f"key {position + 1} is in the ring already")
            self._ring[identity] = secret
        if not self._ring:
            raise ValueError("no key; make one with `mrtr keygen`")
        self._sealing = next(iter(self._ring))
        # JSON inside JSON: a quote in the journal takes two characters more in the envelope.
        self._max_characters = (2 * max_state_bytes + _MAX_ENVELOPE) * 4 // 3

    def seal(self, payload: bytes) -> str:
        """The token for `payload`."""
        salt = os.urandom(_SALT)
        identity = self._sealing
        key, nonce, commitment = _derive(self._ring[identity], salt)
        sealed = AESGCM(key).encrypt(nonce, payload, _PREFIX.encode() + identity)
        return _PREFIX + _encode(identity + salt + commitment + sealed)

    def unseal(self, token: str) -> bytes:
        """The payload of a token that this ring has sealed.

        Raises:
            InvalidRequestState: anything else; the reason is for the log.
        """
        if len(token) > self._max_characters:
            raise InvalidRequestState("too large")
        raw = _decode(token)
        identity, salt, commitment = raw[:_ID], raw[_ID : _ID + _SALT], raw[_ID + _SALT : _HEAD]
        secret = self._ring.get(identity)
        if secret is None:
            raise InvalidRequestState("unknown key")
        key, nonce, expected = _derive(secret, salt)
        if not hmac.compare_digest(commitment, expected):
            raise InvalidRequestState("commitment")
        try:
            return AESGCM(key).decrypt(nonce, raw[_HEAD:], _PREFIX.encode() + identity)
        except InvalidTag:
            raise InvalidRequestState("seal") from None


def _derive(secret: bytes, salt: bytes) -> tuple[bytes, bytes, bytes]:
    """Key, nonce and commitment of one token."""
    length = _KEY + _NONCE + _COMMITMENT
    derived = HKDF(algorithm=SHA256(), length=length, salt=salt, info=b"mrtr requestState v1").derive(secret)
    return derived[:_KEY], derived[_KEY : _KEY + _NONCE], derived[_KEY + _NONCE :]


def _encode(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _decode(token: str) -> bytes:
    """Only what `_encode` makes: one token has one spelling."""
    if not token.startswith(_PREFIX):
        raise InvalidRequestState("not a token")
    body = token[len(_PREFIX) :]
    try:
        raw = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise InvalidRequestState("not base64url") from None
    if _encode(raw) != body:
        raise InvalidRequestState("not canonical base64url")
    if len(raw) < _HEAD + _TAG:
        raise InvalidRequestState("too short")
    return raw
