"""Where the ring of sealing keys comes from."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping, Sequence

ENVIRONMENT = "MRTR_KEYS"


def new_key() -> str:
    """A key of 32 random bytes, as text."""
    return "mrtr_" + secrets.token_urlsafe(32)


def parse_keys(text: str) -> list[str]:
    """Keys out of configuration: separated by commas or white space, the sealing one first; `#` starts a comment."""
    lines = (line.partition("#")[0] for line in text.splitlines())
    return [key for line in lines for key in re.split(r"[,\s]+", line) if key]


def configured_keys(environ: Mapping[str, str] = os.environ) -> Sequence[str] | None:
    """The keys of `MRTR_KEYS`, or None if it is not set."""
    return parse_keys(environ.get(ENVIRONMENT, "")) or None
