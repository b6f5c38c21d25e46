"""The case file: what is called, and what is answered.

    {"cases": [{"name": "refund, agreed", "tool": "refund", "arguments": {"invoice": 7},
                "answers": [{"action": "accept", "content": {"ok": true}}]}]}

Answers stand in the order in which the questions are asked natively. Its schema is `cases.schema.json` beside this
file.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ConfigDict, Field, ValidationError, model_validator

from mrtr_adapter.verify.answers import Answer, Strict
from mrtr_adapter.verify.refusal import CannotVerify

_KINDS = ("tool", "prompt", "resource")


class Request(NamedTuple):
    """What a case calls."""

    method: str
    params: dict[str, Any]

    @property
    def target(self) -> str:
        """The name of the tool or prompt, or the resource's URI."""
        return str(self.params.get("name") or self.params.get("uri"))


class Case(Strict):
    """One call of a tool, a prompt or a resource, with the answers to what it asks."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"oneOf": [{"required": [kind]} for kind in _KINDS]}
    )

    name: str = Field(min_length=1, description="Names the case in reports; unique in the file.")
    tool: str | None = None
    prompt: str | None = None
    resource: str | None = Field(default=None, description="A URI; of a template, a filled-in one.")
    arguments: dict[str, Any] = Field(default_factory=dict)
    answers: list[Answer] = Field(
        default_factory=list,
        description='One for each question, in the order that it is asked in natively. "missing" stands for a client '
        "that has not declared what the question needs.",
    )
    capabilities: dict[str, Any] | None = Field(
        default=None, description="What the client declares, as on the wire; all there is, if left out."
    )
    allow_repeat: bool = Field(
        default=False, description="Whether effects above a question may happen again in each round."
    )

    @model_validator(mode="after")
    def _calls_one_thing(self) -> Case:
        if sum(getattr(self, kind) is not None for kind in _KINDS) != 1:
            raise ValueError("name one of tool, prompt and resource")
        if self.resource is not None and self.arguments:
            raise ValueError("a resource has no arguments: put them into its URI")
        return self

    @property
    def request(self) -> Request:
        if self.resource is not None:
            return Request("resources/read", {"uri": self.resource})
        name = self.tool if self.tool is not None else self.prompt
        method = "tools/call" if self.tool is not None else "prompts/get"
        return Request(method, {"name": name, "arguments": self.arguments})


class CaseFile(Strict):
    """All cases of a server."""

    schema_: str | None = Field(default=None, alias="$schema")
    cases: list[Case] = Field(min_length=1)


def read_cases(path: Path) -> list[Case]:
    """The cases of a file.

    Raises:
        CannotVerify: it can't be read, or a case in it is wrong; names the case and the field.
    """
    try:
        data = _json(f"--cases {path}", path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise CannotVerify(f"--cases {path} can't be read: {error}") from None
    try:
        cases = CaseFile.model_validate(data).cases
    except ValidationError as error:
        raise CannotVerify(f"--cases {path}: {_first_wrong(error, data)}") from None
    twice = [name for name, count in Counter(case.name for case in cases).items() if count > 1]
    if twice:
        raise CannotVerify(
            f"--cases {path}: several cases are named {twice[0]!r}: give each a name of its own"
        )
    return cases


def one_case(tool: str, arguments: str, answers: Path | None) -> Case:
    """The case that the command line describes: JSON arguments, and a file with a list of answers.

    Raises:
        CannotVerify: one of them is wrong.
    """
    body: dict[str, Any] = {"name": tool, "tool": tool, "arguments": _json("--args", arguments)}
    if answers is not None:
        try:
            body["answers"] = _json(f"--answers {answers}", answers.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise CannotVerify(f"--answers {answers} can't be read: {error}") from None
    try:
        return Case.model_validate(body)
    except ValidationError as error:
        raise CannotVerify(_first_wrong(error, {"cases": [body]}, ["cases", 0])) from None


def _json(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise CannotVerify(f"{name} is not JSON: {error}") from None


def write_cases(path: Path, cases: Sequence[Case]) -> None:
    """Write a case file.

    Raises:
        CannotVerify: the file can't be written.
    """
    body = [case.model_dump(mode="json", exclude_defaults=True) for case in cases]
    try:
        path.write_text(json.dumps({"cases": body}, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise CannotVerify(f"{path} can't be written: {error.strerror or error}") from None


def _first_wrong(error: ValidationError, data: Any, within: Sequence[str | int] = ()) -> str:
    first = error.errors()[0]
    place = [*within, *first["loc"]]
    text = first["msg"].removeprefix("Value error, ")
    if place[:1] != ["cases"] or len(place) < 2:
        return f"{'.'.join(map(str, place)) or 'the file'}: {text}"
    number = int(place[1])
    name = data["cases"][number].get("name") if isinstance(data["cases"][number], dict) else None
    case = f"case {name!r}" if isinstance(name, str) and name else f"case {number + 1}"
    if place[2:3] == ["answers"] and len(place) > 3:
        return (
            f"{case}, answer {int(place[3]) + 1}: it is none that there is. Write "
            '{"action": "accept", "content": {…}}, {"action": "decline"}, {"action": "cancel"}, {"roots": […]}, '
            '{"text": "…"} or "missing"'
        )
    field = ".".join(map(str, place[2:]))
    return f"{case}{', ' + field if field else ''}: {text}"
