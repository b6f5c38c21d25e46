"""The values of an abstract run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias


class Ending(Enum):
    """How an ask ends."""

    ACCEPT = "accept"
    DECLINE = "decline"
    CANCEL = "cancel"
    IMPOSSIBLE = "impossible"
    """It raises: the client cannot be asked."""


@dataclass(frozen=True)
class Const:
    """A constant, or a named one such as `Verdict.YES` (then `value` is its dotted name in a tuple)."""

    value: object


@dataclass(frozen=True)
class Several:
    """A tuple of known length."""

    items: tuple[Known, ...]


@dataclass(frozen=True)
class Record:
    """An object of plain data, with what was given for its fields by name."""

    fields: tuple[tuple[str, Known], ...]


@dataclass(frozen=True)
class Answer:
    """What the ask returned; `raw` is the value itself, not an object with an action."""

    ending: Ending


@dataclass(frozen=True)
class Unknown:
    """Anything. `instead` marks what was worked out after the ask had failed: another way to decide; `content` what
    the user filled in: whatever it is, it is there.
    """

    instead: bool = False
    content: bool = False


Known: TypeAlias = Const | Several | Record | Answer | Unknown
UNKNOWN = Unknown()
INSTEAD = Unknown(instead=True)
CONTENT = Unknown(content=True)
NONE = Const(None)

_CLASSES = {
    "AcceptedElicitation": Ending.ACCEPT,
    "AcceptedUrlElicitation": Ending.ACCEPT,
    "DeclinedElicitation": Ending.DECLINE,
    "CancelledElicitation": Ending.CANCEL,
}


def truth(value: Known) -> bool | None:
    """Whether a value counts as true, None if that is not known."""
    if isinstance(value, Const):
        return bool(value.value) if not isinstance(value.value, tuple) else True
    if isinstance(value, Answer):
        return True
    return bool(value.items) if isinstance(value, Several) else None


def attribute(value: Known, name: str) -> Known:
    """An attribute of a value: the action of an answer is known, its content if there is none."""
    if isinstance(value, Record):
        return dict(value.fields).get(name, UNKNOWN)
    if not isinstance(value, Answer):
        return value if value in (INSTEAD, CONTENT) else UNKNOWN
    if name == "action":
        return Const(value.ending.value)
    if name in ("data", "content"):
        return CONTENT if value.ending is Ending.ACCEPT else NONE
    return UNKNOWN


def is_instance(value: Known, classes: tuple[str, ...]) -> bool | None:
    """Whether a value is of one of some classes, by their last names."""
    if not isinstance(value, Answer) or not all(name in _CLASSES for name in classes):
        return None
    return value.ending in {_CLASSES[name] for name in classes}


def same(left: Known, right: Known) -> bool | None:
    """Whether two values are equal."""
    if isinstance(left, Const) and isinstance(right, Const):
        return left.value == right.value and type(left.value) is type(right.value)
    for value, other in ((left, right), (right, left)):
        if other == NONE and (isinstance(value, (Answer, Record)) or value == CONTENT):
            return False
    return None
