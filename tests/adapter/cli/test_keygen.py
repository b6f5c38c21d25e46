"""`mrtr keygen` prints a key that the adapter takes, and nothing else."""

from __future__ import annotations

from adapter.cli.commands import mrtr
from mrtr_adapter.sealing.keys import parse_keys
from mrtr_adapter.sealing.seal import SealCodec


def test_keygen_prints_one_good_key_and_nothing_else() -> None:
    first, second = mrtr("keygen"), mrtr("keygen")
    assert first.status == 0
    assert first.err == ""
    [key] = first.out.splitlines()
    assert parse_keys(key) == [key]
    codec = SealCodec([key], max_state_bytes=1024)
    assert codec.unseal(codec.seal(b"state")) == b"state"
    assert key != second.out.strip()
