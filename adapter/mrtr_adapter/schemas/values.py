"""Values that a JSON schema allows: an ordinary one, and those at its edges."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from referencing import Registry
from referencing.exceptions import Unresolvable

_FORMATS = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "email": "ada@example.org",
    "time": "12:00:00Z",
    "uri": "https://example.org/",
    "uuid": "7d444840-9dc0-41d1-b245-5ffdce74fad2",
}
_WORD = "text"
_LONGEST = 2_000
_LARGEST_TEXT, _LARGEST_LIST = 100_000, 1_000
"""What must be longer is not made."""
_DEEPEST = 8
_NO_MORE = object()
_BEYOND = 1_000_000
"""Where a number has no bound of its own."""


class Values:
    """For the schemas of one document: each value fits its schema.

    Args:
        root: the document, which `$ref` points into.
        sparse: leave out of objects what is not required.
    """

    def __init__(self, root: Mapping[str, Any], *, sparse: bool = False) -> None:
        self._root = root
        self._sparse = sparse
        self._validator = Draft202012Validator(root, registry=Registry())  # nothing is ever fetched
        self._readable = _is_schema(root)

    def all(self, schema: Mapping[str, Any], depth: int = 0) -> Iterator[Any]:
        """An ordinary value first, then each choice and each edge once; nothing where none is found that fits."""
        if not self._readable:
            return
        seen: list[Any] = []
        for value in self._every(self._resolved(schema), depth):
            known = any(value == other and type(value) is type(other) for other in seen)
            if not known and self._fits(schema, value):
                seen.append(value)
                yield value

    def _fits(self, schema: Mapping[str, Any], value: Any) -> bool:
        """Not if it can't be told, as where a reference leads nowhere, or a step is too small to be counted."""
        try:
            return self._validator.evolve(schema=schema).is_valid(value)
        except (Unresolvable, RecursionError, ArithmeticError, re.error):
            return False

    def guesses(self, schema: Mapping[str, Any], words: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Of an object: the ordinary one, with a word in the place of one string after the other."""
        ordinary = next(self.all(schema), None)
        if ordinary is None:
            return
        for word in words:
            for name, each in schema.get("properties", {}).items():
                guess = {**ordinary, name: word}
                if self._takes_words(each) and self._fits(schema, guess):
                    yield guess

    def _takes_words(self, schema: Any) -> bool:
        resolved = self._resolved(schema)
        choices = [resolved, *map(self._resolved, resolved.get("anyOf", ()))]
        return any(
            choice.get("type") == "string" and not {"enum", "const", "format"} & choice.keys()
            for choice in choices
        )

    def _every(self, schema: Mapping[str, Any], depth: int) -> Iterator[Any]:
        if "const" in schema:
            yield schema["const"]
            return
        if "enum" in schema:
            yield from _default_first(schema, schema["enum"])
            return
        choices = schema.get("anyOf") or schema.get("oneOf")
        if choices:
            yield from self._of_choices(schema, choices, depth)
            return
        kind = schema.get("type")
        if isinstance(kind, list):
            yield from self._of_choices(schema, [{**schema, "type": each} for each in kind], depth)
            return
        if "default" in schema:
            yield schema["default"]
        yield from schema.get("examples", ())
        yield from self._of_kind(kind, schema, depth)

    def _of_choices(
        self, schema: Mapping[str, Any], choices: Iterable[Mapping[str, Any]], depth: int
    ) -> Iterator[Any]:
        """The ordinary value of each choice, then the others; `null` after what says more."""
        if schema.get("default") is not None:
            yield schema["default"]
        ordered = sorted(choices, key=lambda choice: self._resolved(choice).get("type") == "null")
        streams = [self.all(choice, depth + 1) for choice in ordered] if depth < _DEEPEST else []
        yield from chain.from_iterable(islice(stream, 1) for stream in streams)
        yield from chain.from_iterable(streams)

    def _of_kind(self, kind: object, schema: Mapping[str, Any], depth: int) -> Iterator[Any]:
        if kind == "boolean":
            yield from (True, False)
        elif kind in ("integer", "number"):
            with suppress(ArithmeticError, ValueError):  # of what no float can hold
                yield from filter(_is_finite, _numbers(schema, whole=kind == "integer"))
        elif kind == "array":
            yield from self._arrays(schema, depth)
        elif kind == "object" or "properties" in schema:
            yield from self._objects(schema, depth)
        elif kind == "null":
            yield None
        else:
            yield from self._strings(schema)

    def _strings(self, schema: Mapping[str, Any]) -> Iterator[str]:
        shortest = int(schema.get("minLength", 0))
        longest = int(schema.get("maxLength", max(shortest, _LONGEST)))
        if shortest > _LARGEST_TEXT:
            return
        format_ = _FORMATS.get(str(schema.get("format")))
        if format_ is not None:
            yield format_
            return
        yield _WORD.ljust(shortest, "x")[:longest]
        yield "x" * shortest
        if "maxLength" in schema and longest <= _LONGEST:
            yield "x" * longest

    def _arrays(self, schema: Mapping[str, Any], depth: int) -> Iterator[list[Any]]:
        least = int(schema.get("minItems", 0))
        most = int(schema.get("maxItems", max(least, 2)))
        if least > _LARGEST_LIST:
            return
        alone = schema.get("uniqueItems", False)
        items = list(self.all(schema.get("items", {}), depth + 1)) if depth < _DEEPEST else []
        yield from (_filled(items, count, alone=alone) for count in (max(least, min(1, most)), least))
        if most > 1:
            yield items[: max(most, least)] if alone else _mixed(items, least)
        others = items[1:] if most >= 1 else []
        yield from (_filled([item], max(least, 1), alone=alone) for item in others)

    def _objects(self, schema: Mapping[str, Any], depth: int) -> Iterator[dict[str, Any]]:
        """All properties ordinary; then one of them otherwise; then without each optional one."""
        streams = self._of_properties(schema, depth)
        required = schema.get("required", ())
        ordinary = {name: value for name, stream in streams.items() for value in islice(stream, 1)}
        yield ordinary
        while streams:  # one of each in turn
            for name, stream in list(streams.items()):
                value = next(stream, _NO_MORE)
                if value is _NO_MORE:
                    del streams[name]
                else:
                    yield {**ordinary, name: value}
        for left_out in ordinary:
            if left_out not in required:
                yield {name: value for name, value in ordinary.items() if name != left_out}

    def _of_properties(self, schema: Mapping[str, Any], depth: int) -> dict[str, Iterator[Any]]:
        """The values of each property that an object gets."""
        properties = schema.get("properties", {})
        required = schema.get("required", ())
        wanted = required if self._sparse else dict.fromkeys([*properties, *required])
        if depth >= _DEEPEST:
            return {}
        return {name: self.all(properties.get(name, {}), depth + 1) for name in wanted}

    def _resolved(self, schema: Any) -> Mapping[str, Any]:
        if not isinstance(schema, Mapping):  # true and false are schemas as well
            return {}
        for _ in range(_DEEPEST):
            reference = schema.get("$ref")
            if not isinstance(reference, str) or not reference.startswith("#"):
                break
            found: Any = self._root
            for part in filter(None, reference[1:].split("/")):
                found = found.get(part, {}) if isinstance(found, Mapping) else {}
            if not isinstance(found, Mapping):
                return {}
            schema = {**found, **{name: value for name, value in schema.items() if name != "$ref"}}
        if len(all_of := schema.get("allOf", ())) == 1:
            return {**self._resolved(all_of[0]), **schema, "allOf": ()}
        return dict(schema)


def _is_schema(document: Mapping[str, Any]) -> bool:
    try:
        Draft202012Validator.check_schema(document)
    except (SchemaError, RecursionError):
        return False
    return True


def _filled(items: Sequence[Any], count: int, *, alone: bool) -> list[Any]:
    """So many of them; of the first one, unless each has to be `alone`."""
    return list(items[:count]) if alone else list(items[:1]) * count


def _mixed(items: Sequence[Any], least: int) -> list[Any]:
    """Two that differ, and no fewer than there must be."""
    return [*_filled(items, max(least - 1, 1), alone=False), *items[1:2]]


def _default_first(schema: Mapping[str, Any], values: Iterable[Any]) -> Iterator[Any]:
    if "default" in schema:
        yield schema["default"]
    yield from values


def _is_finite(number: int | float) -> bool:
    return isinstance(number, int) or math.isfinite(number)


def _numbers(schema: Mapping[str, Any], *, whole: bool) -> Iterator[int | float]:
    """An ordinary one, the bounds, what lies beyond where there is none, and between those closer than a step."""
    step = schema.get("multipleOf", 1 if whole else 0.5)
    exact = whole or "multipleOf" in schema
    low, high = _lowest(schema, step, exact=exact), _highest(schema, step, exact=exact)
    ordinary = step if exact else 1
    ordinary = ordinary if low is None else max(low, ordinary)
    yield ordinary if high is None else min(ordinary, high)
    if low is not None:
        yield low
    elif high is None or high >= 0:
        yield 0
    yield high if high is not None else step * (_BEYOND // step) if exact else _BEYOND
    if low is None and (high is None or high >= -1):
        yield -step if exact else -1
    if not exact and low is not None and high is not None and low > high:
        yield (low + high) / 2


def _lowest(schema: Mapping[str, Any], step: float, *, exact: bool) -> float | None:
    """The least that is allowed; with `exact` the least multiple, else a step away from what is excluded."""
    least, over = schema.get("minimum"), schema.get("exclusiveMinimum")
    found = [] if least is None else [step * -int(-least // step) if exact else least]
    found += [] if over is None else [step * (int(over // step) + 1) if exact else over + step]
    return max(found, default=None)


def _highest(schema: Mapping[str, Any], step: float, *, exact: bool) -> float | None:
    """The same at the other end."""
    most, under = schema.get("maximum"), schema.get("exclusiveMaximum")
    found = [] if most is None else [step * int(most // step) if exact else most]
    found += [] if under is None else [step * (-int(-under // step) - 1) if exact else under - step]
    return min(found, default=None)
