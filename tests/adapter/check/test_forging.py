"""Forgeries of a state, whatever it is."""

from __future__ import annotations

import pytest

from mrtr_adapter.check import forging


@pytest.mark.parametrize("state", ["", "a", "ab", "eyJhIjoxfQ", '{"a": 1}'])
def test_no_forgery_is_the_state_itself(state: str) -> None:
    made = [forged for make in (forging.flipped, forging.cut, forging.forged) for forged, _ in make(state)]
    assert state not in (forged for forged in made if forged)
