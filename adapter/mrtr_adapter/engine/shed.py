"""What a handler has handed to `shed()`, in order: state that travels without a question."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from typing import Any


class Shed:
    """The values of one flow, as one run of its handler comes to them."""

    def __init__(self, recorded: Sequence[Any]) -> None:
        self.values = list(recorded)
        self._taken = 0

    @property
    def is_behind(self) -> bool:
        """Whether the run has still to come to a recorded value, or none was ever recorded."""
        return not self.values or self._taken < len(self.values)

    @property
    def is_recorded(self) -> bool:
        """Whether an earlier round has shed at this place."""
        return self._taken < len(self.values)

    def take(self) -> Any:
        """The recorded value of this place, in a copy of its own."""
        self._taken += 1
        return copy.deepcopy(self.values[self._taken - 1])

    def add(self, value: Any) -> None:
        """Record a value.

        Raises:
            TypeError: it can't travel in the state.
        """
        try:
            self.values.append(json.loads(json.dumps(value)))
        except (TypeError, ValueError) as error:
            raise TypeError(f"shed() takes what JSON can carry: {error}") from error
        self._taken += 1
