"""JSON that a user has written, and which line of it a value stands in."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

from mrtr_adapter.serving.refusal import CannotServe

_VALUE = json.JSONDecoder()
_LONGEST = 60
"""Of arguments that are shown."""
_BLANK = re.compile(r"[ \t\n\r]*")


def json_of(text: str, source: str) -> Any:
    """The value that `text` stands for.

    Raises:
        CannotServe: it is not JSON; names the `source` and the line.
    """
    try:
        return _parsed(text)
    except json.JSONDecodeError as error:
        raise CannotServe(
            f"{source}, line {error.lineno}: this is not JSON: {error.msg} (column {error.colno})"
        ) from None
    except (ValueError, RecursionError) as error:
        raise CannotServe(f"{source} can't be read: {_reason(error)}") from None


def arguments_of(text: str) -> dict[str, Any]:
    """The arguments of a call, as `--args` has them.

    Raises:
        CannotServe: they are no JSON object; shows how a shell takes one.
    """
    shown = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    given = f"--args {shown!r}"
    example = """write them as in --args '{"invoice": 7}'"""
    try:
        value = _parsed(text)
    except (ValueError, RecursionError) as error:
        raise CannotServe(f"{given} is not JSON ({_reason(error)}): {example}") from None
    if not isinstance(value, dict):
        raise CannotServe(f"{given} is no JSON object of names and values: {example}")
    return value


def _parsed(text: str) -> Any:
    """Without what Python takes for JSON and nobody on the wire does. Raises `ValueError` or `RecursionError`."""
    value = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    try:
        to_json(value)
    except PydanticSerializationError:
        raise ValueError("it is nested too deeply, or has half a surrogate pair such as \\ud800") from None
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"JSON has no {name}")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"{digits} is too large a number")
    return number


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return error.msg if isinstance(error, json.JSONDecodeError) else str(error)


def line_of(text: str, place: Sequence[str | int]) -> int:
    """The line of what stands at `place`, keys and indices from the outermost; where it ends, that of the last step."""
    at = _past_blanks(text, 0)
    for step in place:
        inner = _entry(text, at, step)
        if inner is None:
            break
        at = inner
    return text.count("\n", 0, at) + 1


def _entry(text: str, at: int, step: str | int) -> int | None:
    """Where the value of a key (the last one of its name) or index begins, in the object or list that begins `at`."""
    keyed = text[at] == "{"
    if not keyed and text[at] != "[":
        return None
    at, number = _past_blanks(text, at + 1), 0
    found = None
    while text[at] not in "]}":
        key: str | int = number
        if keyed:
            key, at = _VALUE.raw_decode(text, at)
            at = _past_blanks(text, _past_blanks(text, at) + 1)  # the colon
        if key == step:
            found = at
            if not keyed:
                break
        at = _past_blanks(text, _VALUE.raw_decode(text, at)[1])
        if text[at] == ",":
            at = _past_blanks(text, at + 1)
        number += 1
    return found


def _past_blanks(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    assert found is not None
    return found.end()
