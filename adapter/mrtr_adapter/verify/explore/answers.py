"""What may be answered to a question: everything its schema asks for, a refusal, and what breaks the schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mrtr_adapter.engine.answers import accepted
from mrtr_adapter.engine.question import FORM, ROOTS, URL, Question
from mrtr_adapter.schemas.values import Values
from mrtr_adapter.verify.answers import FOLDER, Answer, Elicited, Message, Root, Roots, Text

_REFUSALS = (Elicited(action="decline"), Elicited(action="cancel"))
_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="


def answers_to_try(question: Question) -> Iterator[Sequence[Answer]]:
    """Answers, each in the place of one; the ordinary one first. What is invalid is followed by a refusal."""
    if question.kind == FORM:
        yield from _to_form(question)
    elif question.kind == URL:
        yield from ([answer] for answer in (Elicited(action="accept"), *_REFUSALS))
    elif question.kind == ROOTS:
        yield [Roots(roots=[Root(uri=f"file://{FOLDER}", name="folder")])]
        yield [Roots(roots=[])]
    else:
        yield [Text(text="text")]
        yield [Message(content={"type": "image", "data": _PIXEL, "mimeType": "image/png"})]
        yield [Text(text="")]


def guesses(question: Question, words: Sequence[str]) -> Iterator[Sequence[Answer]]:
    """Answers with words that the server's code knows."""
    if question.kind == FORM:
        for content in Values(_schema(question)).guesses(_schema(question), words):
            if _fits(question, content):
                yield [Elicited(action="accept", content=content)]
    elif question.kind not in (URL, ROOTS):
        yield from ([Text(text=word)] for word in words)


def _to_form(question: Question) -> Iterator[Sequence[Answer]]:
    schema = _schema(question)
    fitting = (content for content in Values(schema).all(schema) if _fits(question, content))
    ordinary = next(fitting, None)
    if ordinary is not None:
        yield [Elicited(action="accept", content=ordinary)]
    yield from ([refusal] for refusal in _REFUSALS)
    broken = _broken(question, schema)
    if broken is not None:
        yield [Elicited(action="accept", content=broken), _REFUSALS[0]]
    yield from ([Elicited(action="accept", content=content)] for content in fitting)


def _schema(question: Question) -> Mapping[str, Any]:
    schema = question.params.get("requestedSchema")
    return {**schema, "type": "object"} if isinstance(schema, dict) else {"type": "object"}


def _broken(question: Question, schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Content with a property of the wrong kind."""
    ordinary: dict[str, Any] = next(Values(schema).all(schema), {})
    for name in schema.get("properties", {}):
        for content in ({**ordinary, name: []}, {**ordinary, name: 7}):
            if not _fits(question, content):
                return content
    return None


def _fits(question: Question, content: dict[str, Any]) -> bool:
    return accepted(question, {"action": "accept", "content": content})
