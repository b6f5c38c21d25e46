"""Rewrite a source in a test, and get at its parts."""

from __future__ import annotations

from pathlib import Path

from mrtr_codemod.rewrite import support
from mrtr_codemod.rewrite.asks import Framework
from mrtr_codemod.rewrite.engine import rewrite_module
from mrtr_codemod.rewrite.module_view import ModuleView
from mrtr_codemod.rewrite.verdicts import FileRewrite, HandlerVerdict, Level

HEADER = """\
import asyncio
import uuid

from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

mcp = MCPServer("test")
EFFECTS: list[str] = []


class Ok(BaseModel):
    ok: bool


class Text(BaseModel):
    text: str


def effect(text: str) -> int:
    EFFECTS.append(text)
    return len(text)


"""


def rewritten(source: str) -> FileRewrite:
    """All handlers of a module that can be rewritten, rewritten."""
    return rewrite_module(ModuleView.of(source), lambda verdict: True)


def written(path: Path, folder: Path) -> Path:
    """A case in this folder, all of it rewritten that can be, beside the support modules that it may need."""
    framework = Framework.FASTMCP if "fastmcp" in path.parts else Framework.MCP
    for name in support.modules(framework, {"Steps", "sampled"}):
        (folder / f"{name}.py").write_text(support.source(name))
    new = folder / path.name
    new.write_text(rewritten(path.read_text()).after)
    return new


def verdict(body: str, header: str = HEADER) -> HandlerVerdict:
    """The verdict on the only handler in `body`."""
    (found,) = rewritten(header + body).handlers
    return found


def refused(body: str, header: str = HEADER) -> str:
    """The rule by which the handler in `body` stays as it is; checks that it does, under one marker."""
    result = rewritten(header + body)
    (found,) = result.handlers
    assert found.level is Level.MANUAL, result.after
    marked = [
        line for line in result.after.splitlines(keepends=True) if line.lstrip().startswith("# mrtr: manual[")
    ]
    assert len(marked) == 1
    assert f"# mrtr: manual[{found.rule}] {found.reason}" in marked[0]
    assert result.after.replace(marked[0], "") == header + body, "nothing but the marker is added"
    assert rewritten(result.after).after == result.after, "and it is never added twice"
    return found.rule
