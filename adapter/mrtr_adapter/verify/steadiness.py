"""What differs already between two native runs, and so says nothing about another way of serving."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mrtr_adapter.verify.runs import Difference


def unexplained(found: Sequence[Difference], natively: Sequence[Difference]) -> list[Difference]:
    """Those of `found` that two native runs do not show as well, at the same place."""
    left = Counter(map(_place, natively))
    kept = []
    for difference in found:
        place = _place(difference)
        if left[place]:
            left[place] -= 1
        else:
            kept.append(difference)
    return kept


def _place(difference: Difference) -> tuple[str, str]:
    """Of a new effect its act alone: a file that is named by the time has another name in every run."""
    new = difference.kind == "effect new"
    return difference.kind, " ".join(difference.what.split()[:2]) if new else difference.what
