"""Whether what came back is an answer to the question that was asked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from mcp_types import CreateMessageResult, CreateMessageResultWithTools, ElicitResult, ListRootsResult
from pydantic import BaseModel, ValidationError
from referencing import Registry
from referencing.exceptions import Unresolvable

from mrtr_adapter.engine.nesting import ANSWER_LEVELS, deeper_than
from mrtr_adapter.engine.question import FORM, ROOTS, SAMPLING, Question

_OFFLINE: Registry[Any] = Registry()
"""References are resolved within the schema only; nothing is ever fetched."""


class Malformed(Exception):
    """Not an answer to this kind of question; the message says what was expected."""


def accepted(question: Question, answer: Mapping[str, Any]) -> bool:
    """Whether `answer` may be delivered to the handler: False if its content breaks the requested schema.

    A refusal (`decline`, `cancel`) is an answer. So is a form whose own schema is broken: there is nothing to hold
    the content against.

    Raises:
        Malformed: it is not the result that the question's method defines.
    """
    if question.kind == SAMPLING:
        wants_tools = "tools" in question.params or "toolChoice" in question.params
        _parse(CreateMessageResultWithTools if wants_tools else CreateMessageResult, answer, "a message")
        return True
    if question.kind == ROOTS:
        _parse(ListRootsResult, answer, "a list of roots")
        return True
    _parse(ElicitResult, answer, "an elicitation result")
    if question.kind == FORM and answer["action"] == "accept":
        return _fits(answer.get("content"), question.params.get("requestedSchema"))
    return True


def keepable(answer: Mapping[str, Any]) -> bool:
    """Whether `answer` can travel in the state: not if it is nested deeper than 64 levels, or has an endless number."""
    return not deeper_than(answer, ANSWER_LEVELS) and _has_json(answer)


def _has_json(answer: Mapping[str, Any]) -> bool:
    try:
        json.dumps(answer)
    except ValueError:
        return False
    return True


def _parse(model: type[BaseModel], answer: Mapping[str, Any], expected: str) -> None:
    try:
        model.model_validate(answer, by_name=False)
    except ValidationError as error:
        raise Malformed(expected) from error


def _fits(content: Mapping[str, Any] | None, schema: Any) -> bool:
    if not isinstance(schema, dict):
        return True
    if content is None and schema.get("properties"):
        return False
    validator = _validator(json.dumps(schema, sort_keys=True))
    try:
        return validator is None or bool(validator.is_valid({} if content is None else dict(content)))
    except (Unresolvable, RecursionError):
        return True


@lru_cache(maxsize=512)
def _validator(schema: str) -> Draft202012Validator | None:
    """For a schema as JSON: what checks against it, or None if it is no schema."""
    parsed = json.loads(schema)
    try:
        Draft202012Validator.check_schema(parsed)
    except SchemaError:
        return None
    return Draft202012Validator(parsed, registry=_OFFLINE)
