"""Values that a JSON schema allows: an ordinary one, and those at its edges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

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
_DEEPEST = 6
_NO_MORE = object()
_BEYOND = 1_000_000
"""Where a number has no bound of its own."""


class Values:
    """For the schemas of one document.

    `root` is where `$ref` points into.
    """

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root

    def ordinary(self, schema: Mapping[str, Any]) -> Any:
        """One value; objects have all of their properties."""
        return next(self.all(schema))

    def all(self, schema: Mapping[str, Any], depth: int = 0) -> Iterator[Any]:
        """An ordinary value first, then each choice and each edge once."""
        seen: list[Any] = []
        for value in self._every(self._resolved(schema), depth):
            if not any(value == other and type(value) is type(other) for other in seen):
                seen.append(value)
                yield value

    def guesses(self, schema: Mapping[str, Any], words: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Of an object: the ordinary one, with a word in the place of one string after the other."""
        ordinary = self.ordinary(schema)
        for word in words:
            for name, each in schema.get("properties", {}).items():
                if self._takes(each, word):
                    yield {**ordinary, name: word}

    def _takes(self, schema: Mapping[str, Any], word: str) -> bool:
        resolved = self._resolved(schema)
        choices = [resolved, *map(self._resolved, resolved.get("anyOf", ()))]
        return any(
            choice.get("type") == "string"
            and not {"enum", "const", "format"} & choice.keys()
            and choice.get("minLength", 0) <= len(word) <= choice.get("maxLength", _LONGEST)
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
        resolved = [self._resolved(choice) for choice in choices]
        resolved.sort(key=lambda choice: choice.get("type") == "null")
        streams = [self.all(choice, depth) for choice in resolved]
        yield from (next(stream) for stream in streams)
        for stream in streams:
            yield from stream

    def _of_kind(self, kind: object, schema: Mapping[str, Any], depth: int) -> Iterator[Any]:
        if kind == "boolean":
            yield from (True, False)
        elif kind in ("integer", "number"):
            yield from _numbers(schema, whole=kind == "integer")
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
        longest = int(schema.get("maxLength", _LONGEST))
        format_ = _FORMATS.get(str(schema.get("format")))
        if format_ is not None:
            yield format_
            return
        yield _WORD.ljust(shortest, "x")[:longest]
        yield "x" * shortest
        if "maxLength" in schema and longest <= _LONGEST:
            yield "x" * longest

    def _arrays(self, schema: Mapping[str, Any], depth: int) -> Iterator[list[Any]]:
        least, most = int(schema.get("minItems", 0)), int(schema.get("maxItems", 2))
        if depth >= _DEEPEST:
            yield []
            return
        items = list(self.all(schema.get("items", {}), depth + 1))
        first = items[0]
        yield [first] * max(least, min(1, most))
        yield [first] * least
        if most > 1:
            yield items[: max(most, least)] if schema.get("uniqueItems") else [first, *items[1:2]]
        yield from ([item] * max(least, 1) for item in items[1:] if most >= 1)

    def _objects(self, schema: Mapping[str, Any], depth: int) -> Iterator[dict[str, Any]]:
        """All properties ordinary; then one of them otherwise; then without each optional one."""
        properties: Mapping[str, Any] = schema.get("properties", {}) if depth < _DEEPEST else {}
        required = schema.get("required", ())
        streams = {name: self.all(each, depth + 1) for name, each in properties.items()}
        ordinary = {name: next(stream) for name, stream in streams.items()}
        yield ordinary
        while streams:  # one of each in turn
            for name, stream in list(streams.items()):
                value = next(stream, _NO_MORE)
                if value is _NO_MORE:
                    del streams[name]
                else:
                    yield {**ordinary, name: value}
        for name in properties:
            if name not in required:
                yield {other: value for other, value in ordinary.items() if other != name}

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        for _ in range(_DEEPEST):
            reference = schema.get("$ref")
            if not isinstance(reference, str) or not reference.startswith("#/"):
                break
            found: Any = self._root
            for part in reference[2:].split("/"):
                found = found.get(part, {}) if isinstance(found, Mapping) else {}
            schema = {**found, **{name: value for name, value in schema.items() if name != "$ref"}}
        if len(all_of := schema.get("allOf", ())) == 1:
            return {**self._resolved(all_of[0]), **schema, "allOf": ()}
        return schema


def _default_first(schema: Mapping[str, Any], values: Iterable[Any]) -> Iterator[Any]:
    if "default" in schema:
        yield schema["default"]
    yield from values


def _numbers(schema: Mapping[str, Any], *, whole: bool) -> Iterator[int | float]:
    step = 1 if whole else 0.5
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is None and isinstance(over := schema.get("exclusiveMinimum"), (int, float)):
        low = over + step
    if high is None and isinstance(under := schema.get("exclusiveMaximum"), (int, float)):
        high = under - step
    multiple = schema.get("multipleOf")
    if isinstance(multiple, (int, float)) and multiple > 0:
        yield multiple * max(1, -(-(low or 0) // multiple))
        return
    ordinary = 1 if low is None else max(low, 1)
    yield ordinary if high is None else min(ordinary, high)
    if low is not None:
        yield low
    elif high is None or high >= 0:
        yield 0
    yield _BEYOND if high is None else high
    if low is None and (high is None or high >= -1):
        yield -1
