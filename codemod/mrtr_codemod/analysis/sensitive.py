"""Names that say: this is a secret, this is personal."""

from __future__ import annotations

import re

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SECRET = re.compile(
    r"(?:^|_)(?:password|passwd|passphrase|pass_?code|secret|api_?key|(?:access|private|secret|signing|ssh)_?key"
    r"|credentials?|cvv|cvc|ssn|social_security(?:_number)?|pin_?code|otp|totp|card_?number|credit_?card"
    r"|seed_?phrase|mnemonic|recovery_?codes?)$"
)
_TOKEN = re.compile(r"(?:^|_)token$")
_HARMLESS_TOKEN = re.compile(
    r"(?:page|next|prev|previous|continuation|cursor|csrf|cancel|cancellation|progress|resume|idempotency|sync|stop"
    r"|confirm|confirmation|request|state|eos|bos|pad|undo|design)_?token$"
)
_CREDENTIAL_TOKEN = re.compile(
    r"(?:access|refresh|auth|bearer|api|bot|id|session|oauth|github|gitlab|slack)_?token$"
)
_PERSONAL = re.compile(
    r"(?:^|_)(?:e_?mail(?:_address)?|phone(?:_number)?|mobile(?:_number)?|date_of_birth|birth_?da(?:te|y)|dob"
    r"|passport(?:_number)?|iban|national_id|tax_id|(?:home|postal|street)_address|full_name|diagnosis|salary)$"
)
_ASKED_FOR = re.compile(
    r"\b(?:enter|type|paste|provide|give|input|supply|share|what(?:'s| is))\b[^.?!:;]*?"
    r"\b(?:password|passphrase|api[ -]?key|(?:access|auth|api|bearer|bot) token|(?:secret|private|access) key"
    r"|client secret|pin code|credentials|cvv|card number|social security number)\b(?! (?:name|id|label|policy))",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"\b(?:name|id|label|alias|number) (?:of|for)\b", re.IGNORECASE)


def is_secret(name: str) -> bool:
    """Whether a field with this name holds a secret, if it holds text."""
    snake = _snake(name)
    return bool(_SECRET.search(snake) or (_TOKEN.search(snake) and not _HARMLESS_TOKEN.search(snake)))


def is_credential(name: str) -> bool:
    """As `is_secret`, but for a name that may also mean a nonce or a handle of the server's own: `token`."""
    snake = _snake(name)
    return bool(_SECRET.search(snake) or _CREDENTIAL_TOKEN.search(snake))


def is_personal(name: str) -> bool:
    """Whether a field with this name holds data about a person."""
    return bool(_PERSONAL.search(_snake(name)))


def asks_for_secret(message: str) -> bool:
    """Whether a question asks to type in a secret."""
    found = _ASKED_FOR.search(message)
    return found is not None and not _ABOUT.search(found.group())


def _snake(name: str) -> str:
    return _CAMEL.sub("_", name).replace("-", "_").replace(" ", "_").lower()
