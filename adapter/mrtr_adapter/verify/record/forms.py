"""A form in the terminal, by its JSON schema. Everything is shown on stderr; stdout is the report's."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import click

from mrtr_codemod.report.visible import visible


def filled(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Ask for each property. An optional one that is left empty stays out."""
    required = schema.get("required", ())
    content: dict[str, Any] = {}
    for name, each in schema.get("properties", {}).items():
        value = _asked(name, each, optional=name not in required)
        if value is not None:
            content[name] = value
    return content


def show(text: str) -> None:
    """A line for the person, whatever characters the server has put into it."""
    click.echo("\n".join(map(visible, text.splitlines())), err=True)


def _asked(name: str, schema: Mapping[str, Any], *, optional: bool) -> Any:
    default = schema.get("default", "" if optional else None)
    value = click.prompt(
        _label(name, schema, optional=optional and not default),
        default=_shown(default),
        value_proc=partial(_read, schema),
        err=True,
        show_default=bool(_shown(default)),
    )
    return None if optional and value in ("", []) else value


def _label(name: str, schema: Mapping[str, Any], *, optional: bool) -> str:
    described = f" ({schema['description']})" if schema.get("description") else ""
    choices = [str(choice) for choice, _ in _choices(schema) or _choices(schema.get("items", {}))]
    kind = "yes, no" if _kind(schema) == "boolean" else ", ".join(choices) or _kind(schema)
    return visible(f"  {name}{described}: {kind}{' or nothing' if optional else ''}")


def _shown(default: Any) -> str | None:
    if isinstance(default, list):
        return ",".join(map(str, default))
    return default if default is None or isinstance(default, str) else json.dumps(default)


def _read(schema: Mapping[str, Any], text: str) -> Any:
    """What a person has written, as the JSON that a schema wants: choices by name, lists with commas.

    Raises:
        click.BadParameter: it is nothing of the kind.
    """
    kind, choices = _kind(schema), _choices(schema)
    text = text.strip()
    if not text:
        return [] if kind == "array" else ""
    if choices:
        return _chosen(choices, text)
    if kind == "array":
        return [_read(schema.get("items", {}), part) for part in text.split(",")]
    if kind == "boolean":
        return click.BOOL.convert(text, None, None)
    return text if kind == "string" else _parsed(kind, text)


def _chosen(choices: Sequence[tuple[Any, str]], text: str) -> Any:
    for choice, title in choices:
        if text in (str(choice), title):
            return choice
    raise click.BadParameter(f"it is one of {', '.join(str(choice) for choice, _ in choices)}")


def _parsed(kind: str, text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is no {kind}") from None
    if kind == "integer" and not isinstance(value, int):
        raise click.BadParameter(f"{text!r} is no integer")
    return value


def _kind(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type", "")
    if isinstance(kind, list):
        kind = next((each for each in kind if each != "null"), "")
    for choice in schema.get("anyOf", ()) if not kind else ():
        if choice.get("type") not in (None, "null"):
            return _kind(choice)
    return str(kind) or "string"


def _choices(schema: Mapping[str, Any]) -> list[tuple[Any, str]]:
    """The values that are allowed, each with its title."""
    if "enum" in schema:
        titles = schema.get("enumNames") or schema["enum"]
        return [(value, str(title)) for value, title in zip(schema["enum"], titles, strict=False)]
    named = schema.get("oneOf") or schema.get("anyOf") or ()
    return [(each["const"], str(each.get("title", each["const"]))) for each in named if "const" in each]
