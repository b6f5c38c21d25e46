"""What may be called: each tool, prompt and resource, with arguments from their schemas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from mrtr_adapter.verify.cases import Case
from mrtr_adapter.verify.catalog import Catalog
from mrtr_adapter.verify.explore.values import Values

_BLANK = re.compile(r"\{[?&/#.;+]?[\w,*]+\}")
"""An expression of a URI template (RFC 6570)."""
_UNNAMED = "explored"


class Try(NamedTuple):
    """Something to try. A guess, with a word out of the server's code, counts only if it comes to new code."""

    case: Case
    guess: bool = False


def calls(catalog: Catalog, tool: str | None, words: Sequence[str]) -> list[Iterator[Try]]:
    """For each target the calls of it, the ordinary one first; only those of `tool`, if that is named."""
    tools = [entry for entry in catalog.tools or () if tool in (None, entry["name"])]
    found = [_of_tool(entry, words) for entry in tools]
    if tool is None:
        found += [_of_prompt(entry, words) for entry in catalog.prompts or ()]
        found += [_of_template(entry, words) for entry in catalog.templates or ()]
        found += [iter([Try(_resource(entry["uri"]))]) for entry in catalog.resources or ()]
    return found


def _of_tool(entry: dict[str, Any], words: Sequence[str]) -> Iterator[Try]:
    schema = {**entry.get("inputSchema", {}), "type": "object"}
    for arguments, guess in _filled(schema, words):
        yield Try(Case(name=_UNNAMED, tool=entry["name"], arguments=arguments), guess)


def _of_prompt(entry: dict[str, Any], words: Sequence[str]) -> Iterator[Try]:
    arguments = entry.get("arguments") or []
    schema = {
        "type": "object",
        "properties": {each["name"]: {"type": "string"} for each in arguments},
        "required": [each["name"] for each in arguments if each.get("required")],
    }
    for filled, guess in _filled(schema, words):
        yield Try(Case(name=_UNNAMED, prompt=entry["name"], arguments=filled), guess)


def _filled(schema: dict[str, Any], words: Sequence[str]) -> Iterator[tuple[dict[str, Any], bool]]:
    yield from ((arguments, False) for arguments in Values(schema).all(schema))
    yield from ((arguments, True) for arguments in Values(schema).guesses(schema, words))


def _of_template(entry: dict[str, Any], words: Sequence[str]) -> Iterator[Try]:
    for number, word in enumerate(("1", "text", *words)):
        if re.fullmatch(r"[\w.~-]+", word):
            yield Try(_resource(_BLANK.sub(word, entry["uriTemplate"])), guess=number > 1)


def _resource(uri: str) -> Case:
    return Case(name=_UNNAMED, resource=uri)
