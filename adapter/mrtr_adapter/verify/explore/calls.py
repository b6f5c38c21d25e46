"""What may be called: each tool, prompt and resource, with arguments from their schemas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from mrtr_adapter.schemas.values import Values
from mrtr_adapter.verify.cases import Case
from mrtr_adapter.verify.catalog import Catalog

_BLANK = re.compile(r"\{[?&/#.;+]?[\w,*]+\}")
"""An expression of a URI template (RFC 6570)."""
_UNNAMED = "explored"


class Try(NamedTuple):
    """Something to try. A guess, with a word out of the server's code, counts only if it comes to new code."""

    case: Case
    guess: bool = False


class Calls(NamedTuple):
    """Of one target: by its schema, the ordinary call first; and with words."""

    target: str
    ordinary: Iterator[Try]
    guesses: Iterator[Try]


def calls(catalog: Catalog, tool: str | None, words: Sequence[str]) -> list[Calls]:
    """For each target the calls of it; only those of `tool`, if that is named."""
    tools = [entry for entry in catalog.tools or () if tool in (None, entry["name"])]
    found = [_of_tool(entry, words) for entry in tools]
    if tool is None:
        found += [_of_prompt(entry, words) for entry in catalog.prompts or ()]
        found += [_of_template(entry, words) for entry in catalog.templates or ()]
        found += [
            Calls(entry["uri"], iter([_resource(entry["uri"])]), iter(()))
            for entry in catalog.resources or ()
        ]
    return found


def _of_tool(entry: dict[str, Any], words: Sequence[str]) -> Calls:
    schema = {**entry.get("inputSchema", {}), "type": "object"}
    return _filled("tool", entry["name"], schema, words)


def _of_prompt(entry: dict[str, Any], words: Sequence[str]) -> Calls:
    arguments = entry.get("arguments") or []
    schema = {
        "type": "object",
        "properties": {each["name"]: {"type": "string"} for each in arguments},
        "required": [each["name"] for each in arguments if each.get("required")],
    }
    return _filled("prompt", entry["name"], schema, words)


def _filled(kind: str, name: str, schema: dict[str, Any], words: Sequence[str]) -> Calls:
    values = Values(schema)

    def call(arguments: dict[str, Any]) -> Case:
        return Case.model_validate({"name": _UNNAMED, kind: name, "arguments": arguments})

    return Calls(
        name,
        (Try(call(arguments)) for arguments in values.all(schema)),
        (Try(call(arguments), guess=True) for arguments in values.guesses(schema, words)),
    )


def _of_template(entry: dict[str, Any], words: Sequence[str]) -> Calls:
    def filled(word: str, *, guess: bool = False) -> Try:
        return _resource(_BLANK.sub(word, entry["uriTemplate"]), guess=guess)

    fitting = (word for word in words if re.fullmatch(r"[\w.~-]+", word))
    return Calls(
        entry["uriTemplate"],
        (filled(word) for word in ("1", "text")),
        (filled(word, guess=True) for word in fitting),
    )


def _resource(uri: str, *, guess: bool = False) -> Try:
    return Try(Case(name=_UNNAMED, resource=uri), guess)
