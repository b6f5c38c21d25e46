"""The keys that a command is given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mrtr_adapter.flow import Terms
from mrtr_adapter.keys import ENVIRONMENT, configured_keys, read_keys_file
from mrtr_adapter.seal import SealCodec
from mrtr_adapter.serving.refusal import CannotServe


def given_keys(file: Path | None) -> Sequence[str] | None:
    """The ring out of the keys file, else out of `MRTR_KEYS`; None if neither is given.

    Raises:
        CannotServe: the file can't be read, or a key is no good.
    """
    try:
        ring = read_keys_file(file) if file is not None else configured_keys()
        if ring is not None:
            SealCodec(ring, max_state_bytes=Terms.max_state_bytes)
    except ValueError as error:
        source = "--keys-file" if file is not None else ENVIRONMENT
        raise CannotServe(f"{source}: {error}") from None
    return ring
