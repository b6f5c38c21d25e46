"""MRTR310: memory that is keyed by the session, of which there is none any more."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.mentions import Mentions
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.names.roles import local_part
from mrtr_codemod.rules.base import SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView
    from mrtr_codemod.names.module import ScopeId

_HEAD = """
from fastmcp import Context, FastMCP
mcp = FastMCP("cart")
CARTS: dict[str, list[str]] = {}
"""
_ID = (
    _HEAD
    + """
@mcp.tool
async def add(item: str, ctx: Context) -> int:
    key = ctx.session_id
    CARTS.setdefault(key, []).append(item)
    return len(CARTS[ctx.session_id])
"""
)
_OBJECT = (
    _HEAD
    + """
@mcp.tool
async def add(item: str, ctx: Context) -> None:
    CARTS[id(ctx.session)] = [item]
"""
)
_OWN_KEY = (
    _HEAD
    + """
@mcp.tool
async def add(cart: str, item: str, ctx: Context) -> None:
    await ctx.info(f"session {ctx.session_id}")
    CARTS[cart] = [item]
"""
)
_OTHER = """
from fastmcp import FastMCP
mcp = FastMCP("web")
PAGES = {}
class Browser:
    session_id = "x"
@mcp.tool
def page(browser: Browser) -> str:
    return PAGES[browser.session_id]
"""
_SESSION_KEYS = frozenset(
    {"Context().session_id", "ServerSession()", "Context().client_id", "ServerSession().session_id",
     "RequestContext().session_id", "ServerRequestContext().session_id"}
)  # fmt: skip
_MENTIONED = re.compile(r"\.(?:session_id|client_id)\b|[\[(]\s*(?:id\()?[\w.]+\.session\s*[\]),]")
_LOOKUPS = frozenset({"get", "setdefault", "pop", "add", "discard", "remove"})
_IN_SUBSCRIPT = re.compile(r"(?:[\w)]|(?<!`)\])\s*\[(?:[^\[\]]|\[[^\[\]]*\])*\Z")
_IN_CALL = re.compile(rf"\.(?:{'|'.join(sorted(_LOOKUPS))})\(\s*(?:[\w.]+\([^()\[\]]*){{0,2}}[^()\[\],]*\Z")
_IN_ASSIGNMENT = re.compile(r"((?:\w+\s*,\s*)*\w+)\s*(?::[^=\n]*)?=[^=]*\Z")
_WORD = re.compile(r"\w+")
_NEAR = 200
"""Characters in which a look-up, or an assignment, has come to its key."""


def _may_concern(text: str) -> bool:
    """Whether a text looks something up by a session that it mentions, or by a name that was given to one."""
    names: set[str] = set()
    for mention in _MENTIONED.finditer(text):
        if _is_looked_up(text, mention.start() + 1):
            return True
        assignment = _IN_ASSIGNMENT.search(text, max(mention.start() - _NEAR, 0), mention.start())
        if assignment:
            names.update(_WORD.findall(assignment[1]))
    named = re.finditer(rf"(?<![\"'\w])(?:{'|'.join(sorted(names))})(?![\"'\w])", text) if names else ()
    return any(_is_looked_up(text, name.start()) for name in named)


def _is_looked_up(text: str, position: int) -> bool:
    start = max(position - _NEAR, 0)
    return bool(_IN_SUBSCRIPT.search(text, start, position) or _IN_CALL.search(text, start, position))


def check(view: FileView) -> Iterator[Finding]:
    """One finding a look-up."""
    for scope, node in _lookups(view):
        key = _key(node)
        if key is None:
            continue
        name = _session_part(view, key, scope)
        if name:
            text = (
                f"this is kept under `{name}`, but on 2026-07-28 each request stands alone: there is no "
                f"session to key by"
            )
            yield view.finding(RULE, node, text, scope=scope)


def _lookups(view: FileView) -> Iterator[tuple[ScopeId, ast.AST]]:
    """The nodes of the functions that mention a session."""
    positions = (match.start() for match in _MENTIONED.finditer(view.source.text))
    for scope in Mentions(view.analysis.project).matching(view.path, positions):
        function = view.function(scope)
        for node in function.nodes() if function is not None else ():
            yield scope, node


def _key(node: ast.AST) -> ast.expr | None:
    """What a container is asked for."""
    if isinstance(node, ast.Subscript):
        return node.slice
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _LOOKUPS
        and node.args
    ):
        return node.args[0]
    return None


def _session_part(view: FileView, key: ast.expr, scope: ScopeId) -> str | None:
    for part in ast.walk(key):
        if isinstance(part, (ast.Name, ast.Attribute)):
            for external in view.externals(part, scope):
                if local_part(external) in _SESSION_KEYS:
                    return ast.unparse(part)
    return None


RULE = Rule(
    code="MRTR310",
    name="session-memory",
    level=Level.WARNING,
    summary="Memory is keyed by the session, of which there is none on 2026-07-28.",
    what="Finds containers that are read or written under `ctx.session_id`, `ctx.client_id`, the session "
    "object or its `id`.",
    why="Protocol sessions are gone: each request stands alone and may reach another instance. What is kept "
    "under a session is not found again, or is found by somebody else.",
    example="```python\nCARTS.setdefault(ctx.session_id, []).append(item)\n```",
    remedy="Give the thing an identifier of its own that the tools take as an argument and return, and keep "
    "it in a store that all instances share. What is needed only between the rounds of one call belongs into "
    "the sealed state.",
    reference=SPEC + "changelog",
    check=check,
    words=("session_id", ".session", "client_id"),
    concerns=_may_concern,
    valid=(_OWN_KEY, _OTHER),
    invalid=(_ID, _OBJECT),
)
