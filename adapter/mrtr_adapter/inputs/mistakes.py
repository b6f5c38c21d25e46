"""What is wrong with a document that was held against a pydantic model: one line a mistake, with its place."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from mrtr_adapter.serving.refusal import CannotServe, one_line

Place = tuple[str | int, ...]
_MOST = 20
"""Mistakes that are told one by one."""
_LONGEST = 60
"""Of a value that is shown."""
_KINDS = {
    "bool": "true or false",
    "float": "a number",
    "int": "a whole number",
    "list": "a list",
    "string": "a string",
}


class Mistake(NamedTuple):
    """Something that is not as it must be."""

    place: Place
    said: str

    def __str__(self) -> str:
        return ": ".join(filter(None, (spelled(self.place), self.said)))


class Mistakes(CannotServe):
    """All that is wrong with a document, one line each, which `line` says of a mistake."""

    def __init__(self, found: Sequence[Mistake], line: Callable[[Mistake], str]) -> None:
        more = len(found) - _MOST
        self.lines = [*map(line, found[:_MOST]), *([f"and {more} more like these"] if more > 0 else [])]
        super().__init__(*self.lines)

    def __str__(self) -> str:
        return "\n".join(map(one_line, self.lines))


def mistakes(
    error: ValidationError, document: Any, models: Mapping[str, type[BaseModel]], mapping: str
) -> list[Mistake]:
    """What `error` says about `document`, in the order of its places.

    `models` are the models by the key or tag that they stand under, the outermost under ""; where a field is
    misspelt, those that there are get named. `mapping` is what such a document calls a mapping, as "an object".
    """
    by_place: dict[Place, list[ErrorDetails]] = {}
    for detail in error.errors():
        by_place.setdefault(_place(detail, document), []).append(detail)
    told = _Teller(models, mapping)
    return [Mistake(place, told.all_of(details)) for place, details in by_place.items()]


def spelled(place: Iterable[str | int]) -> str:
    """As `cases[2].answers[0].action`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place).removeprefix(".")


def _place(detail: ErrorDetails, document: Any) -> Place:
    """Where it is in the document: pydantic puts the branch of a union in between."""
    kept: list[str | int] = []
    for step in detail["loc"]:
        if _has(document, step):
            document = document[step]
            kept.append(step)
    return (*kept, detail["loc"][-1]) if detail["type"] == "missing" else tuple(kept)


def _has(document: Any, step: str | int) -> bool:
    if isinstance(document, list):
        return isinstance(step, int) and step < len(document)
    return isinstance(document, Mapping) and step in document


class _Teller:
    def __init__(self, models: Mapping[str, type[BaseModel]], mapping: str) -> None:
        self._models = models
        self._kinds = {**_KINDS, "dict": mapping, "model": mapping}

    def all_of(self, details: Sequence[ErrorDetails]) -> str:
        """Of one place: what it may be on each branch of a union, or else the first mistake."""
        wanted = [kind for detail in details if (kind := self._kinds.get(detail["type"].split("_")[0]))]
        if len(wanted) == len(details) and _is_of_type(details[0]):
            return f"must be {' or '.join(dict.fromkeys(wanted))}, not {_shown(details[0]['input'])}"
        return self._one(details[0])

    def _one(self, detail: ErrorDetails) -> str:
        tell = _TOLD.get(detail["type"])
        if tell is not None:
            return tell(detail)
        return self._unknown(detail["loc"]) if detail["type"] == "extra_forbidden" else detail["msg"]

    def _unknown(self, loc: Place) -> str:
        above = [step for step in loc[:-1] if isinstance(step, str) and step in self._models]
        fields = self._models[above[-1] if above else ""].model_fields
        names = [field.alias or name for name, field in fields.items()]
        close = difflib.get_close_matches(str(loc[-1]), names, n=1)
        hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(names)}"
        return f"there is no such field; {hint}"


def _is_of_type(detail: ErrorDetails) -> bool:
    return detail["type"].endswith(("_type", "_parsing", "_from_float"))


_TOLD: Mapping[str, Callable[[ErrorDetails], str]] = {
    "missing": lambda detail: "is missing",
    "literal_error": lambda detail: f"must be {detail['ctx']['expected']}, not {_shown(detail['input'])}",
    "value_error": lambda detail: str(detail["ctx"]["error"]),
    "string_too_short": lambda detail: "must not be empty",
    "too_short": lambda detail: "must not be empty",
    "greater_than": lambda detail: f"must be more than {detail['ctx']['gt']:g}",
    "greater_than_equal": lambda detail: f"must be at least {detail['ctx']['ge']:g}",
}


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
