"""MRTR201: a URL request carries an `elicitationId`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.asks import Spelling
from mrtr_codemod.analysis.calls import key_of
from mrtr_codemod.analysis.sdk import argument, constant, is_client_test, items, sdk_names
from mrtr_codemod.analysis.walk import last_name
from mrtr_codemod.model import AskKind, Finding, Level
from mrtr_codemod.rules.base import SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_NAMES = ("elicitation_id", "elicitationId")
_POSITION = {"Context().elicit_url": 2, "ServerSession().elicit_url": 2, "elicit_url": 3}

_CALL = """
import uuid
from mcp.server.fastmcp import Context, FastMCP
mcp = FastMCP("calendar")
@mcp.tool()
async def link(ctx: Context) -> str:
    answer = await ctx.elicit_url("Sign in", "https://calendar.example/connect", elicitation_id=str(uuid.uuid4()))
    return answer.action
"""
_POSITIONAL = """
from mcp.server.lowlevel import Server
server = Server("calendar")
@server.call_tool()
async def call_tool(name, arguments):
    session = server.request_context.session
    await session.elicit_url("Sign in", "https://calendar.example/connect", "link-1")
    return []
"""
_PARAMS = """
from mcp import types
def sign_in(link: str) -> types.ElicitRequestURLParams:
    return types.ElicitRequestURLParams(
        mode="url", message="Sign in", url="https://calendar.example", elicitationId=link
    )
"""
_RAW = """
def sign_in(link):
    return {"mode": "url", "message": "Sign in", "url": "https://calendar.example", "elicitationId": link}
"""
_MIGRATED = """
from mcp.types import ElicitRequest, ElicitRequestURLParams
request = ElicitRequest(params=ElicitRequestURLParams(message="Sign in", url="https://calendar.example"))
"""
_CLIENT = '''
from mcp import types
async def on_elicit(context, params: types.ElicitRequestParams) -> types.ElicitResult:
    """Remembers the elicitationId."""
    print(params.elicitation_id)
    return types.ElicitResult(action="accept")
'''
_CLIENT_TEST = {
    "tests/test_client.py": """
from mcp.types import ElicitRequestURLParams
from app.client import on_elicit
async def test_the_page_is_opened() -> None:
    params = ElicitRequestURLParams(message="Sign in", url="https://x.example", elicitation_id="1")
    assert (await on_elicit(None, params)).action == "accept"
"""
}
_OTHER = """
import mcp
class Survey:
    def __init__(self, elicitation_id: str) -> None:
        self.elicitation_id = elicitation_id
survey = Survey(elicitation_id="requirements")
"""


def check(view: FileView) -> Iterator[Finding]:
    """One finding for each identifier that is sent."""
    if is_client_test(view):
        return
    sent = [_sent(view, call) for call in view.outside_asserts(ast.Call)]
    sent += [
        entries.get("elicitationId")
        for entries in map(items, view.outside_asserts(ast.Dict))
        if constant(entries.get("mode")) == "url"
    ]
    for identifier in sent:
        if identifier is not None:
            yield view.finding(RULE, identifier, _MESSAGE)


def _sent(view: FileView, call: ast.Call) -> ast.expr | None:
    scope = view.scope_at(call)
    fact = view.analysis.graph.asks.get(scope, {}).get(key_of(call))
    if fact is not None and fact.kind is AskKind.URL:
        position = _POSITION.get(fact.name)
        if position is not None and fact.spelling is Spelling.RUNNER:
            position += 1
        return argument(call, position, *_NAMES)
    if last_name(call) == "ElicitRequestURLParams" and "ElicitRequestURLParams" in sdk_names(
        view, call.func, scope
    ):
        return argument(call, None, *_NAMES)
    return None


_MESSAGE = "`elicitationId` is gone in 2026-07-28: the client never sees it"

RULE = Rule(
    code="MRTR201",
    name="elicitation-id",
    level=Level.WARNING,
    summary="A URL request carries an `elicitationId`, which 2026-07-28 removed.",
    what="Finds identifiers passed to `ctx.elicit_url`, `session.elicit_url`, `elicit_url` and "
    '`ElicitRequestURLParams`, and the key `elicitationId` in a dict with `"mode": "url"`.',
    why="In 2026-07-28 a URL request is a mode, a message and a url. The identifier is dropped on the wire, "
    "so neither "
    "the client nor the completion notification can refer to it, and what is looked up by it is never found.",
    example='```python\nawait ctx.elicit_url("Sign in", url, elicitation_id=link_id)\n```',
    remedy="Keep an identifier of your own in the sealed `requestState`, and read it from there when the "
    "client calls "
    "again. The page that the user opens can carry it in its URL.",
    reference=SPEC + "client/elicitation",
    check=check,
    words=(*_NAMES, "elicit_url"),
    valid=(_MIGRATED, _CLIENT, _CLIENT_TEST, _OTHER),
    invalid=(_CALL, _POSITIONAL, _PARAMS, _RAW),
)
