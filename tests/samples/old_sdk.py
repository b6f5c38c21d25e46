"""Drives a server over stdio, each case in a process and a folder of its own, with the sample's files and its twin."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mcp import Client, StdioServerParameters
from mcp.types import ElicitRequestParams, ElicitResult, TextContent

from mrtr_adapter.verify.answers import Elicited
from samples.making import SAMPLES

if TYPE_CHECKING:
    from mcp.client import ClientRequestContext

    from mrtr_adapter.verify.cases import Case


@dataclass
class Seen:
    """What a client saw of one call, and which files there are after it."""

    asked: list[str] = field(default_factory=list)
    failed: bool = False
    text: str = ""
    files: dict[str, bytes] = field(default_factory=dict)


async def play(case: Case, sample: Path, command: list[str], mode: Literal["2026-07-28", "legacy"]) -> Seen:
    """Call what the case calls, answering forms as it says. `command` is run in the copy of the folder."""
    seen = Seen()
    answers = iter(case.answers)

    async def elicit(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        seen.asked.append(params.message)
        answer = next(answers)
        assert isinstance(answer, Elicited)
        return ElicitResult(action=answer.action, content=answer.content)

    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / sample.name
        for layer in (sample, SAMPLES / "rewritten"):
            shutil.copytree(layer, folder, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
        server = StdioServerParameters(command=command[0], args=command[1:], cwd=folder)
        async with Client(server, mode=mode, elicitation_callback=elicit) as client:
            result: Any = await client.call_tool(case.request.target, case.arguments)
        content = result.content[0]
        seen.failed, seen.text = (
            bool(result.is_error),
            content.text if isinstance(content, TextContent) else "",
        )
        seen.files = _files(folder)
    assert next(answers, None) is None
    return seen


def _files(folder: Path) -> dict[str, bytes]:
    found = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}
