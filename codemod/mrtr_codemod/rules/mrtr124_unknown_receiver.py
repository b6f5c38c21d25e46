"""MRTR124: what looks like an ask, on something that is not known."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.model import Finding, Level
from mrtr_codemod.names.bindings import BindingKind
from mrtr_codemod.names.roles import in_family
from mrtr_codemod.rules.base import MRTR_SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_PARAMETER = """
from fastmcp import FastMCP
async def agreed(context, question):
    return (await context.elicit(question, response_type=bool)).action == "accept"
"""
_TYPED = """
from fastmcp import Context, FastMCP
mcp = FastMCP("files")
async def agreed(context, question):
    return (await context.elicit(question, response_type=bool)).action == "accept"
@mcp.tool
async def delete(ctx: Context) -> str:
    return "gone" if await agreed(ctx, "Really?") else "kept"
"""
_ELSEWHERE = """
async def workshop(facilitator, topic):
    return await facilitator.elicit(topic)
"""
_TELLING = frozenset({"elicit", "elicit_form", "elicit_url"})
_TEST = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.py$")


def check(view: FileView) -> Iterator[Finding]:
    """One finding a call."""
    if not _uses_sdk(view) or _TEST.search(view.path):
        return
    for scope, calls in view.analysis.graph.unknown.items():
        for raw in calls if scope.path == view.path else ():
            if raw.name in _TELLING:
                text = f"`{''.join(raw.receiver)}.{raw.name}` looks like an ask, but what it is called on is not known"
                yield view.finding(RULE, raw.key, text, scope=scope)


def _uses_sdk(view: FileView) -> bool:
    bindings = (binding for bound in view.module.bindings.values() for binding in bound)
    return any(binding.kind is BindingKind.IMPORT and in_family(binding.target) for binding in bindings)


RULE = Rule(
    code="MRTR124",
    name="unknown-receiver",
    level=Level.INFO,
    summary="What looks like an ask is called on something that is not known.",
    what="Finds calls of `elicit`, `elicit_form` and `elicit_url` in files that import `mcp` or `fastmcp`, "
    "where neither an annotation, nor an assignment, nor a caller tells what they are called on.",
    why="If it is a context or a session, it is an ask and breaks on 2026-07-28; it is not counted as one, "
    "since that cannot be told from the code.",
    example="```python\nasync def agreed(context, question):\n    return await context.elicit(question, Confirm)\n```",
    remedy="Annotate the parameter: `context: Context`. Then it is judged, and `mrtr rewrite` can follow it.",
    reference=MRTR_SPEC,
    check=check,
    words=("elicit",),
    valid=(_TYPED, _ELSEWHERE),
    invalid=(_PARAMETER,),
)
