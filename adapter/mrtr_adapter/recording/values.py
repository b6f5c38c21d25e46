"""How a recorded value becomes JSON, and the same value again: by the type that its function declares.

Nothing is built but what that type says: pydantic models, dataclasses, enums, dates, decimals, uuids and collections
of them. With no declared type a value must be plain JSON.
"""

from __future__ import annotations

import functools
import inspect
import json
import math
import types
from collections.abc import Awaitable, Callable, Coroutine
from functools import lru_cache
from typing import Any, get_args, get_origin, get_type_hints

from pydantic import PydanticSchemaGenerationError, PydanticUndefinedAnnotation, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

_ANY = object()


class Unrecordable(TypeError):
    """A value that would not come back from a recording as it was; the message says what to do."""


class Mistyped(Exception):
    """A recorded value that does not fit the type that its function declares now."""


class Values:
    """Records the results of one function.

    Args:
        call: the function; its return annotation is the type.
        declared: the type, if not that.

    Raises:
        Unrecordable: there is no JSON form for that type.
    """

    def __init__(self, call: Callable[..., Any], declared: Any = None) -> None:
        self._called = _name(call)
        self._type = _returned(call) if declared is None else declared
        self._adapter = None if self._type is _ANY else self._adapted(self._type)

    def encode(self, value: Any) -> Any:
        """JSON for `value`.

        Raises:
            Unrecordable: `decode` would not give it back.
        """
        if self._adapter is None:
            if not _is_json(value):
                raise Unrecordable(
                    f"{self._called} returns {type(value).__qualname__}, which is no plain JSON: annotate what it "
                    "returns, or give returns="
                )
            return json.loads(json.dumps(value))
        try:
            encoded = self._adapter.dump_python(value, mode="json", round_trip=True, warnings="error")
            same = _same(self.decode(encoded), value)
        except (PydanticSerializationError, Mistyped, ValueError) as error:
            raise Unrecordable(self._lost(value)) from error
        if not same:
            raise Unrecordable(self._lost(value))
        return encoded

    def decode(self, encoded: Any) -> Any:
        """The value, in a copy of its own.

        Raises:
            Mistyped: it was recorded for another type.
        """
        if self._adapter is None:
            return json.loads(json.dumps(encoded))
        try:
            return self._adapter.validate_json(json.dumps(encoded), by_alias=False, by_name=True)
        except ValidationError as error:
            raise Mistyped(
                f"the recorded result of {self._called} does not fit its type {self._type}"
            ) from error

    def _adapted(self, declared: Any) -> TypeAdapter[Any]:
        try:
            return _adapter(declared)
        except (PydanticSchemaGenerationError, PydanticUndefinedAnnotation, TypeError) as error:
            raise Unrecordable(
                f"{self._called} returns {declared!r}, which can't be recorded: return JSON, a dataclass or a pydantic "
                "model, or give returns="
            ) from error

    def _lost(self, value: Any) -> str:
        return (
            f"{self._called} returns a {type(value).__qualname__} that can't be recorded as {self._type}: declare the "
            "type that it really has, with all that it holds"
        )


def _name(call: Callable[..., Any]) -> str:
    while isinstance(call, functools.partial):
        call = call.func
    return getattr(call, "__qualname__", None) or type(call).__qualname__


def _returned(call: Callable[..., Any]) -> Any:
    """The declared type of what `call` gives once it is awaited; `_ANY` if there is none."""
    while isinstance(call, functools.partial):
        call = call.func
    if not (inspect.isroutine(call) or inspect.isclass(call)):
        call = type(call).__call__
    if inspect.isclass(call):
        return call
    try:
        declared = get_type_hints(call, include_extras=True).get("return", Any)
    except (NameError, TypeError, AttributeError):
        return _ANY
    if get_origin(declared) in (Coroutine, Awaitable, types.CoroutineType):
        declared = get_args(declared)[-1]
    return _ANY if declared is Any else declared


def _adapter(declared: Any) -> TypeAdapter[Any]:
    try:
        return _cached_adapter(declared)
    except TypeError:
        return TypeAdapter(declared)  # not hashable


@lru_cache(maxsize=256)
def _cached_adapter(declared: Any) -> TypeAdapter[Any]:
    return TypeAdapter(declared)


def _is_json(value: Any) -> bool:
    if value is None or type(value) in (bool, int, str):
        return True
    if type(value) is float:
        return math.isfinite(value)
    if type(value) is list:
        return all(map(_is_json, value))
    return type(value) is dict and all(type(key) is str and _is_json(item) for key, item in value.items())


def _same(decoded: Any, value: Any) -> bool:
    """Equal and of one type; two objects that can't be compared pass."""
    if type(decoded) is not type(value):
        return False
    comparable = any("__eq__" in vars(kind) for kind in type(value).__mro__[:-1])
    return bool(decoded == value) or not comparable
