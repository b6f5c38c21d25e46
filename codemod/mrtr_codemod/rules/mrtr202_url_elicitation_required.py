"""MRTR202: a call fails with -32042 to make the client open a URL."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.definitions import Definitions
from mrtr_codemod.analysis.sdk import argument, constant, is_client_test, items, sdk_names
from mrtr_codemod.analysis.walk import last_name
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.names.module import ScopeId
from mrtr_codemod.names.roles import URL_REQUIRED
from mrtr_codemod.rules.base import SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_CODE = -32042
_CODE_NAME = "URL_ELICITATION_REQUIRED"
_ERRORS = {"ErrorData": None, "McpError": 0, "MCPError": 0}

_RAISED = """
from mcp import types
from mcp.shared.exceptions import UrlElicitationRequiredError
def token(user: str) -> str:
    raise UrlElicitationRequiredError([types.ElicitRequestURLParams(message="Sign in", url="https://x.example")])
"""
_SUBCLASS = """
from mcp.shared.exceptions import UrlElicitationRequiredError
class SignInFirst(UrlElicitationRequiredError):
    pass
def token(user: str) -> str:
    raise SignInFirst([])
"""
_DATA = """
from mcp import McpError
from mcp.types import ErrorData
def token(user: str) -> str:
    raise McpError(ErrorData(code=-32042, message="Sign in first", data={"elicitations": []}))
"""
_NAMED = """
from mcp import MCPError, types
def token(user: str) -> str:
    raise MCPError(types.URL_ELICITATION_REQUIRED, "Sign in first")
"""
_OWN_NAME = {
    "app/codes.py": "SIGN_IN_FIRST = -32042\n",
    "app/__init__.py": "",
    "app/tokens.py": """
from mcp.shared.exceptions import McpError
from mcp.types import ErrorData
from app.codes import SIGN_IN_FIRST
def token(user: str) -> str:
    raise McpError(ErrorData(code=SIGN_IN_FIRST, message="Sign in first"))
""",
}
_RAW = """
def refuse(request):
    return {"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32042, "message": "Sign in first"}}
"""
_CLIENT = '''
from mcp import ClientSession
from mcp.shared.exceptions import McpError, UrlElicitationRequiredError
from mcp.types import URL_ELICITATION_REQUIRED
async def call(session: ClientSession) -> None:
    """A server may raise UrlElicitationRequiredError (-32042)."""
    try:
        await session.call_tool("read", {})
    except UrlElicitationRequiredError:
        raise
    except McpError as error:
        if error.error.code == URL_ELICITATION_REQUIRED or error.error.code == -32042:
            print("open the page")
'''
_OTHER = """
from mcp import MCPError
def fail() -> None:
    raise MCPError(-32602, "No such tool")
class UrlElicitationRequiredError(Exception):
    pass
def other() -> None:
    raise UrlElicitationRequiredError("a class of our own")
"""


def check(view: FileView) -> Iterator[Finding]:
    """One finding for each error that is made."""
    if is_client_test(view):
        return
    definitions = Definitions(view.analysis.project, view.analysis.evaluator)
    for call in view.outside_asserts(ast.Call):
        form = _form(view, call, definitions)
        if form:
            yield view.finding(RULE, call, _message(form))
    for entries in map(items, view.outside_asserts(ast.Dict)):
        code = entries.get("code")
        if code is not None and "message" in entries and _is_code(view, code, definitions):
            yield view.finding(RULE, code, _message("error -32042"))


def _form(view: FileView, call: ast.Call, definitions: Definitions) -> str | None:
    scope = view.scope_at(call)
    name = last_name(call)
    if name in _ERRORS:
        code = argument(call, _ERRORS[name], "code")
        if (
            code is not None
            and _is_code(view, code, definitions)
            and name in sdk_names(view, call.func, scope)
        ):
            return "error -32042"
    elif URL_REQUIRED in _classes(view, call, scope):
        return f"`{name}`"
    return None


def _classes(view: FileView, call: ast.Call, scope: ScopeId) -> frozenset[str]:
    """The SDK's classes that a call makes an object of, in a file that may know of this one."""
    if URL_REQUIRED not in view.source.text or not last_name(call)[:1].isupper():
        return frozenset()
    return sdk_names(view, call.func, scope)


def _is_code(view: FileView, node: ast.expr, definitions: Definitions) -> bool:
    scope = view.scope_at(node)
    if constant(node) == _CODE or _CODE_NAME in sdk_names(view, node, scope):
        return True
    found = definitions.of(node, scope)
    return isinstance(found.node, ast.expr) and constant(found.node) == _CODE


def _message(form: str) -> str:
    return f"{form} makes the client open a URL and call again; 2026-07-28 has no such error"


RULE = Rule(
    code="MRTR202",
    name="url-elicitation-required",
    level=Level.WARNING,
    summary="A call fails with -32042 to make the client open a URL, which 2026-07-28 removed.",
    what="Finds errors that are made with the code -32042: `UrlElicitationRequiredError` and classes derived "
    "from it, "
    "`ErrorData(code=-32042)`, `MCPError(URL_ELICITATION_REQUIRED, …)`, and error objects built by hand.",
    why="The code was removed together with `elicitationId`. To a 2026-07-28 client it is an unknown error: "
    "the call is "
    "over, and the user never sees the page.",
    example="```python\nraise UrlElicitationRequiredError([ElicitRequestURLParams(...)])\n```",
    remedy="End the call with an `InputRequiredResult` whose input request is the URL, and look up the "
    "outcome when the "
    "client calls again. The adapter translates the error while it is raised.",
    reference=SPEC + "client/elicitation",
    check=check,
    words=(URL_REQUIRED, _CODE_NAME, "32042", *_ERRORS),
    valid=(_CLIENT, _OTHER),
    invalid=(_RAISED, _SUBCLASS, _DATA, _NAMED, _OWN_NAME, _RAW),
)
