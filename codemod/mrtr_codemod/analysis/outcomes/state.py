"""Where an abstract run is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import NamedTuple

from mrtr_codemod.analysis.calls import Key
from mrtr_codemod.analysis.outcomes.values import NONE, Known

MOST_STATES = 160
"""Paths followed at once. A function with more is not judged."""


class TooManyPaths(Exception):
    """The function has more paths than are followed."""


class Act(NamedTuple):
    """Something that is done: its source, by which the same act in two places is one, and where it stands."""

    what: str
    key: Key


@dataclass(frozen=True)
class State:
    """The locals of a path, and what happened on it since the ask."""

    names: tuple[tuple[str, Known], ...] = ()
    acts: frozenset[Act] = frozenset()
    asked: bool = False
    caught: Key | None = None
    """What swallowed the ask's error: an `except`, a `suppress`, a timeout."""
    inside: bool = False
    """The path is in the body of that `except`."""
    hedged: bool = False
    """That `except` goes on only under a condition."""
    instead: bool = False
    """The path was chosen by something else that was asked or worked out in that `except`."""
    overruled: Key | None = None
    """What swallowed an error that the handler itself raised after the ask."""
    settled: frozenset[Act] = frozenset()
    """What had happened by then."""

    def get(self, name: str) -> Known | None:
        return dict(self.names).get(name)

    def bind(self, name: str, value: Known) -> State:
        names = dict(self.names)
        names[name] = value
        return replace(self, names=tuple(sorted(names.items(), key=lambda item: item[0])))

    def act(self, act: Act) -> State:
        return replace(self, acts=self.acts | {act}) if self.asked else self


class Leave(Enum):
    """How a path leaves a block."""

    END = "end"
    RETURN = "return"
    RAISE = "raise"
    BREAK = "break"
    CONTINUE = "continue"


@dataclass(frozen=True)
class Path:
    """The end of a path through a block. `refused` marks an error that is the ask's own."""

    leave: Leave
    state: State
    value: Known = NONE
    error: str = ""
    refused: bool = False


@dataclass(frozen=True)
class Outcome:
    """All that may come of a function when an ask in it ends in one way."""

    paths: tuple[Path, ...] = field(default=())

    def acts(self) -> frozenset[str]:
        """What happens after the ask on any path."""
        return frozenset(act.what for path in self.paths for act in path.state.acts)

    def returned(self) -> frozenset[Known]:
        """What is returned after the ask."""
        return frozenset(
            path.value for path in self.paths if path.state.asked and path.leave in (Leave.RETURN, Leave.END)
        )
