"""What an exploration has left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mrtr_adapter.verify.explore.frontier import Target


@dataclass(frozen=True)
class LeftOut:
    """The names of tools, prompts and resources."""

    unfinished: tuple[str, ...] = ()
    """They ask, and there is more to try of them."""
    silent: tuple[str, ...] = ()
    """They asked nothing in the calls that were made, and none of these was compared."""
    uncalled: tuple[str, ...] = ()
    """No arguments were found that fit their schema."""

    @classmethod
    def of(cls, targets: Sequence[Target]) -> LeftOut:
        """Once the exploration is over."""
        called = [target for target in targets if target.tried]
        return cls(
            tuple(each.name for each in called if each.asked and each.next() is not None),
            tuple(each.name for each in called if not (each.asked or each.compared)),
            tuple(each.name for each in targets if not each.tried),
        )
