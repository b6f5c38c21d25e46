"""Which tools are called: those that the user names, or those that say that they change nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mrtr_adapter.check.calling import Tool
from mrtr_adapter.check.failure import CannotCheck
from mrtr_adapter.check.wire import Wire
from mrtr_adapter.inputs.json_text import arguments_of
from mrtr_adapter.schemas.example import NoExample, example

_MAX_PAGES = 100


@dataclass(frozen=True)
class Chosen:
    """The tools to call, and why others of those that change nothing are left out."""

    tools: tuple[Tool, ...]
    left_out: tuple[str, ...] = ()


def named(names: Sequence[str], arguments: Sequence[str]) -> list[Tool]:
    """The tools that the user has named, each with the arguments given at the same place (none: no arguments).

    Raises:
        CannotCheck: there are more arguments than names.
        CannotServe: some are no JSON object.
    """
    if len(arguments) > len(names):
        raise CannotCheck("each --args belongs to the --tool at the same place, and there are more of them")
    found = [arguments_of(text) for text in arguments]
    found += [{}] * (len(names) - len(found))
    return [Tool(name, given) for name, given in zip(names, found, strict=True)]


async def choose(wire: Wire, wanted: Sequence[Tool], *, probe: bool) -> Chosen:
    """The wanted tools as the server lists them; with `probe` also all that are annotated read-only and whose
    arguments can be made up.

    Raises:
        CannotCheck: the server has no tool of a name that was given.
    """
    if not wanted and not probe:
        return Chosen(())
    listed = await _listed(wire)
    tools = []
    for tool in wanted:
        if tool.name not in listed:
            raise CannotCheck(
                f"the server lists no tool {tool.name}; it has {', '.join(sorted(listed)) or 'none'}"
            )
        tools.append(replace(listed[tool.name], arguments=tool.arguments))
    taken = {tool.name for tool in wanted}
    left_out = []
    for tool in listed.values() if probe else ():
        if tool.name in taken or tool.annotations.get("readOnlyHint") is not True:
            continue
        try:
            tools.append(replace(tool, arguments=example(tool.schema)))
        except NoExample as lack:
            left_out.append(f"{tool.name} was not called: {lack}")
    return Chosen(tuple(tools), tuple(left_out))


async def _listed(wire: Wire) -> dict[str, Tool]:
    found: dict[str, Tool] = {}
    cursor: dict[str, Any] = {}
    for _ in range(_MAX_PAGES):
        reply = await wire.request("tools/list", cursor)
        result = reply.result or {}
        found |= {tool.name: tool for tool in map(_tool, result.get("tools") or []) if tool is not None}
        if not isinstance(result.get("nextCursor"), str):
            break
        cursor = {"cursor": result["nextCursor"]}
    return found


def _tool(listed: object) -> Tool | None:
    if not isinstance(listed, Mapping) or not isinstance(listed.get("name"), str):
        return None
    schema, annotations = listed.get("inputSchema"), listed.get("annotations")
    return Tool(
        listed["name"],
        schema=schema if isinstance(schema, Mapping) else {},
        annotations=annotations if isinstance(annotations, Mapping) else {},
    )
