"""Bring one file to the new SDKs: from `mcp` 1.x to `mcp` 2, from FastMCP 2 and 3 to FastMCP 4."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import libcst as cst

from mrtr_codemod.discover.decode import UndecodableError, decode

from ..imports import add_imports
from .attributes import fix_attributes
from .clients import fix_clients
from .contexts import fix_contexts
from .errors import fix_errors
from .fastmcp import fix_fastmcp, tell_of_asks
from .file import File
from .given_context import fix_given_contexts
from .imports import fix_imports
from .lowlevel import fix_low_level
from .memory import fix_memory
from .notes import Note
from .opening import opened
from .parameters import fix_parameters
from .tasks import fix_tasks
from .transport import fix_transport
from .unused import without_unused
from .uris import fix_uris
from .wrappers import fix_wrappers

_IMPORTS_SDK = re.compile(rb"\b(?:import|from)\s+(?:mcp|mcp_types|fastmcp)\b")
# The ones that copy what others have changed come last.
_FIXES = (
    fix_imports, fix_attributes, fix_errors, fix_wrappers, fix_parameters, fix_contexts, fix_given_contexts,
    fix_clients, fix_fastmcp, fix_memory, fix_uris, fix_transport, fix_tasks,
    fix_low_level,
)  # fmt: skip


@dataclass(frozen=True)
class Renamed:
    """A file in the terms of the new SDKs, and what in it has to be moved by hand."""

    source: str
    notes: tuple[Note, ...]
    registers: Mapping[str, str] = field(default_factory=dict)
    """The handlers that are new, and for each the function before which it is registered now."""
    lost: Note | None = None
    """The first thing that keeps the new SDKs from serving the file at all; `source` is then as it was."""


def imports_sdk(data: bytes) -> bool:
    """Whether a file imports one of the SDKs at all; a cheap look at its bytes."""
    return _IMPORTS_SDK.search(data) is not None


def rename(data: bytes, *, asks_stay: bool = False) -> Renamed:
    """Move what a file takes from the old SDKs. The same text, without notes, if it takes nothing from there.

    With `asks_stay`, asks that the new SDK can't serve are told as well.

    Raises:
        SyntaxError, ValueError: if it does not parse.
    """
    try:
        text = decode(data)
    except UndecodableError as error:
        raise ValueError(str(error)) from None
    if not imports_sdk(data):
        return Renamed(text, ())
    file = opened(text)
    if file is None:
        return Renamed(text, ())
    for fix in _FIXES:
        fix(file)
    if asks_stay:
        tell_of_asks(file)
    # What can't be imported in the end is not half moved.
    source = text if file.stuck else _with_imports(file)
    lost = min(file.lost, default=None)
    return Renamed(source, file.notes.listed(), {} if file.stuck else file.registers, lost)


def _with_imports(file: File) -> str:
    after = file.edits.result()
    if file.wanted:
        after = add_imports(cst.parse_module(after), file.wanted).code
    return after if after == file.edits.text else without_unused(file.edits.text, after)
