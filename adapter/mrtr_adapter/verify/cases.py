"""The case file: what is called, and what is answered.

    {"cases": [{"name": "refund, agreed", "tool": "refund", "arguments": {"invoice": 7},
                "answers": [{"action": "accept", "content": {"ok": true}}]}]}

Answers stand in the order in which the questions are asked natively. Its schema is `cases.schema.json` beside this
file.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from mrtr_adapter.inputs.json_text import arguments_of, json_of, line_of
from mrtr_adapter.inputs.mistakes import Mistakes, Place, mistakes
from mrtr_adapter.inputs.text import text_of
from mrtr_adapter.verify.answers import MODELS, Answer, Root, Strict
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


def read_cases(path: Path, option: str = "--cases") -> list[Case]:
    """The cases of the file that `option` names.

    Raises:
        CannotServe: it can't be read, or something in it is wrong; says where.
    """
    file = _File.read(path, option)
    try:
        cases = CaseFile.model_validate(file.document).cases
    except ValidationError as error:
        raise file.mistakes(error) from None
    first: dict[str, int] = {}
    for number, case in enumerate(cases):
        if first.setdefault(case.name, number) != number:
            raise CannotVerify(
                f"{file.at(('cases', number, 'name'))}: cases[{first[case.name]}] is named {case.name!r} as well: "
                "give each a name of its own"
            )
    return cases


def one_case(tool: str, arguments: str, answers: Path | None) -> Case:
    """The case that the command line describes: JSON arguments, and a file with a list of answers.

    Raises:
        CannotServe: one of them is wrong; says where.
    """
    case = Case(name=tool or "call", tool=tool, arguments=arguments_of(arguments))
    if answers is None:
        return case
    file = _File.read(answers, "--answers")
    try:
        return case.model_copy(update={"answers": _ANSWERS.validate_python(file.document)})
    except ValidationError as error:
        raise file.mistakes(error) from None


_ANSWERS: TypeAdapter[list[Answer]] = TypeAdapter(list[Answer])
_MODELS: dict[str, type[BaseModel]] = {"": CaseFile, "cases": Case, "roots": Root, **MODELS}


@dataclass(frozen=True)
class _File:
    """A JSON file that the user has written."""

    path: Path
    text: str
    document: Any

    @classmethod
    def read(cls, path: Path, option: str) -> _File:
        text = text_of(path, option)
        return cls(path, text, json_of(text, str(path)))

    def at(self, place: Place) -> str:
        return f"{self.path}, line {line_of(self.text, place)}"

    def mistakes(self, error: ValidationError) -> Mistakes:
        found = mistakes(error, self.document, _MODELS, "an object")
        return Mistakes(found, lambda each: f"{self.at(each.place)}: {each}")


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
