"""The keys that a command is given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mrtr_adapter.inputs.text import text_of
from mrtr_adapter.sealing.keys import ENVIRONMENT, configured_keys, parse_keys
from mrtr_adapter.sealing.seal import SealCodec
from mrtr_adapter.serving.refusal import CannotServe


def keys_of_file(path: Path) -> Sequence[str]:
    """The ring out of a keys file.

    Raises:
        CannotServe: it can't be read, holds none, or a key is no good.
    """
    ring = parse_keys(text_of(path, "--keys-file"))
    if not ring:
        raise CannotServe(f"--keys-file {path}: there is no key in it; make one with `mrtr keygen`")
    try:
        return _checked(ring)
    except ValueError as error:
        raise CannotServe(f"--keys-file {path}: {error}") from None


def keys_of_environment() -> Sequence[str] | None:
    """The ring out of `MRTR_KEYS`, which `adapt()` finds there itself; None if it is not set.

    Raises:
        CannotServe: a key is no good.
    """
    ring = configured_keys()
    try:
        return ring and _checked(ring)
    except ValueError as error:
        raise CannotServe(f"{ENVIRONMENT}: {error}") from None


def _checked(ring: Sequence[str]) -> Sequence[str]:
    SealCodec(ring, max_state_bytes=0)  # it will open nothing, only look at the keys
    return ring
