"""Where the ring of sealing keys comes from."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path

ENVIRONMENT = "MRTR_KEYS"


def new_key() -> str:
    """A key of 32 random bytes, as text."""
    return "mrtr_" + secrets.token_urlsafe(32)


def parse_keys(text: str) -> list[str]:
    """Keys out of configuration: separated by commas or white space, the sealing one first; `#` starts a comment."""
    lines = (line.partition("#")[0] for line in text.splitlines())
    return [key for line in lines for key in re.split(r"[,\s]+", line) if key]


def read_keys_file(path: Path) -> list[str]:
    """The keys of a file.

    Raises:
        ValueError: it can't be read, or holds none.
    """
    try:
        keys = parse_keys(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"can't read the keys file {path}: {error}") from error
    if not keys:
        raise ValueError(f"there is no key in {path}; make one with `mrtr keygen`")
    return keys


def configured_keys(environ: Mapping[str, str] = os.environ) -> Sequence[str] | None:
    """The keys of `MRTR_KEYS`, or None if it is not set."""
    return parse_keys(environ.get(ENVIRONMENT, "")) or None
