"""What a case answers to a question: a form or a page, a model's text, the client's folders, or no capability."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from mrtr_adapter.engine.question import ELICIT, LIST_ROOTS, SAMPLE, Question

MISSING: Literal["missing"] = "missing"
FOLDER = "{folder}"
"""Stands for the folder of the run in the URI of a root."""


class Strict(BaseModel):
    """Part of a case file: a misspelt name is an error."""

    model_config = ConfigDict(extra="forbid")


class Elicited(Strict):
    """The answer to a form or to a page that is to be opened."""

    action: Literal["accept", "decline", "cancel"]
    content: dict[str, Any] | None = Field(
        default=None, description="What was filled in; only with `accept`, and not for a page."
    )


class Root(Strict):
    """A folder that the client has opened."""

    uri: str = Field(description=f"As file:///home/ada; file://{FOLDER} is the folder that the run works in.")
    name: str | None = None


class Roots(Strict):
    """The answer to roots/list."""

    roots: list[Root]


class Text(Strict):
    """The answer to sampling: what the model says."""

    text: str


class Message(Strict):
    """The answer to sampling, as on the wire: an image, or the use of a tool."""

    role: Literal["assistant", "user"] = "assistant"
    content: dict[str, Any] | list[dict[str, Any]]
    model: str = "verify"
    stopReason: str | None = None  # the name on the wire


MODELS: dict[str, type[BaseModel]] = {each.__name__: each for each in (Elicited, Roots, Text, Message)}
_TELLING = {"action": "Elicited", "roots": "Roots", "text": "Text", "content": "Message"}
"""The field that tells which answer is meant; the first of them that is there."""


def _meant(answer: object) -> str | None:
    """What is wrong with an answer is told of that which was meant, not of all that there are."""
    if isinstance(answer, Mapping):
        return next((kind for field, kind in _TELLING.items() if field in answer), None)
    return MISSING if answer == MISSING else type(answer).__name__


Answer = Annotated[
    Annotated[Elicited, Tag("Elicited")]
    | Annotated[Roots, Tag("Roots")]
    | Annotated[Text, Tag("Text")]
    | Annotated[Message, Tag("Message")]
    | Annotated[Literal["missing"], Tag(MISSING)],
    Discriminator(
        _meant,
        custom_error_type="no_answer",
        custom_error_message='is no answer: write {"action": "accept", "content": {…}}, {"action": "decline"}, '
        '{"action": "cancel"}, {"roots": […]}, {"text": "…"} or "missing"',
    ),
]

_METHODS: dict[type[BaseModel], str] = {
    Elicited: ELICIT,
    Roots: LIST_ROOTS,
    Text: SAMPLE,
    Message: SAMPLE,
}
_TOLD = {
    Elicited: "a form or a page",
    Roots: "roots",
    Text: "sampling",
    Message: "sampling",
}


def answers_to(answer: Answer, question: Question) -> bool:
    """Whether this is the kind of answer that the question wants."""
    return isinstance(answer, str) or _METHODS[type(answer)] == question.method


def told(answer: Answer) -> str:
    """What the answer is for, in words."""
    return "a missing capability" if isinstance(answer, str) else f"an answer to {_TOLD[type(answer)]}"


def on_the_wire(answer: Elicited | Roots | Text | Message, folder: str) -> dict[str, Any]:
    """The result that a client would send. `folder` is that of the run."""
    if isinstance(answer, Text):
        answer = Message(content={"type": "text", "text": answer.text}, stopReason="endTurn")
    wire = answer.model_dump(mode="json", exclude_none=True)
    for root in wire.get("roots", ()):
        root["uri"] = root["uri"].replace(FOLDER, folder)
    return wire
