"""The token that `requestState` is on the wire.

    token = "mr1." + base64url(key id ‖ salt ‖ commitment ‖ ciphertext ‖ tag)
               4 bytes ┘      16 ┘        32 ┘          n ┘      16 ┘

A ring of keys: the first one seals, each of them opens. Every token has an AES-256-GCM key and nonce of its own,
derived by HKDF-SHA256 from the ring's key and the token's random salt, so no nonce can ever repeat under a key. The
commitment comes out of the same derivation and ties the token to that one key. Prefix and key id are authenticated as
associated data. Text is not compressed unless the owner asks for it: answers that are secret lie beside text that a
client chooses, and the length of what is compressed tells how alike they are. A compressed token begins with "mr1z."
and is opened by any instance, but inflated only once its seal is good, and only up to the largest payload.
"""

from __future__ import annotations

import base64
import binascii
import copy
import hmac
import os
import zlib
from collections.abc import Sequence
from hashlib import sha256

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from mcp.server.request_state import InvalidRequestState

_PREFIX, _DEFLATED = "mr1.", "mr1z."
_ID, _SALT, _COMMITMENT, _TAG, _KEY, _NONCE = 4, 16, 32, 16, 32, 12
_HEAD = _ID + _SALT + _COMMITMENT
_MAX_ENVELOPE = 4096
"""Room for the claims that the boundary puts around a journal, and for escapes."""


class SealCodec:
    """A `RequestStateCodec` for the SDK's boundary.

    Args:
        keys: the ring, at least 32 bytes of secret each, in any text or bytes form.
        max_state_bytes: larger state is refused before it is decoded.
        compress: whether payloads are compressed; see above for the price.

    Raises:
        ValueError: no key, a short one, or one twice.
    """

    def __init__(self, keys: Sequence[str | bytes], *, max_state_bytes: int, compress: bool = False) -> None:
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
        self._max_payload = _payload(max_state_bytes)
        self._compress = compress

    def sized(self, max_state_bytes: int) -> SealCodec:
        """The same ring, for payloads of another size."""
        other = copy.copy(self)
        other._max_payload = _payload(max_state_bytes)
        return other

    def compressing(self, compress: bool) -> SealCodec:
        """The same ring, with compression or without."""
        other = copy.copy(self)
        other._compress = compress
        return other

    def seal(self, payload: bytes) -> str:
        """The token for `payload`."""
        salt = os.urandom(_SALT)
        identity = self._sealing
        key, nonce, commitment = _derive(self._ring[identity], salt)
        prefix = _DEFLATED if self._compress else _PREFIX
        plain = zlib.compress(payload) if self._compress else payload
        sealed = AESGCM(key).encrypt(nonce, plain, prefix.encode() + identity)
        return prefix + _encode(identity + salt + commitment + sealed)

    def unseal(self, token: str) -> bytes:
        """The payload of a token that this ring has sealed.

        Raises:
            InvalidRequestState: anything else; the reason is for the log.
        """
        if len(token) * 3 // 4 > self._max_payload:
            raise InvalidRequestState("too large")
        prefix = _DEFLATED if token.startswith(_DEFLATED) else _PREFIX
        raw = _decode(token, prefix)
        identity, salt, commitment = raw[:_ID], raw[_ID : _ID + _SALT], raw[_ID + _SALT : _HEAD]
        secret = self._ring.get(identity)
        if secret is None:
            raise InvalidRequestState("unknown key")
        key, nonce, expected = _derive(secret, salt)
        if not hmac.compare_digest(commitment, expected):
            raise InvalidRequestState("commitment")
        try:
            payload = AESGCM(key).decrypt(nonce, raw[_HEAD:], prefix.encode() + identity)
        except InvalidTag:
            raise InvalidRequestState("seal") from None
        return _inflate(payload, self._max_payload) if prefix == _DEFLATED else payload


def _payload(max_state_bytes: int) -> int:
    """Bytes of the largest payload. JSON inside JSON: a quote in the journal takes two more in the envelope."""
    return 2 * max_state_bytes + _MAX_ENVELOPE


def _inflate(deflated: bytes, at_most: int) -> bytes:
    stream = zlib.decompressobj()
    try:
        payload = stream.decompress(deflated, at_most)
    except zlib.error:
        raise InvalidRequestState("compression") from None
    if not stream.eof:
        raise InvalidRequestState("too large once decompressed, or cut short")
    return payload


def _derive(secret: bytes, salt: bytes) -> tuple[bytes, bytes, bytes]:
    """Key, nonce and commitment of one token."""
    length = _KEY + _NONCE + _COMMITMENT
    derived = HKDF(algorithm=SHA256(), length=length, salt=salt, info=b"mrtr requestState v1").derive(secret)
    return derived[:_KEY], derived[_KEY : _KEY + _NONCE], derived[_KEY + _NONCE :]


def _encode(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _decode(token: str, prefix: str) -> bytes:
    """Only what `_encode` makes: one token has one spelling."""
    if not token.startswith(prefix):
        raise InvalidRequestState("not a token")
    body = token[len(prefix) :]
    try:
        raw = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise InvalidRequestState("not base64url") from None
    if _encode(raw) != body:
        raise InvalidRequestState("not canonical base64url")
    if len(raw) < _HEAD + _TAG:
        raise InvalidRequestState("too short")
    return raw
