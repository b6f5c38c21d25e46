"""MRTR409: a secret, or data about a person, travels in `requestState`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.definitions import Definitions
from mrtr_codemod.analysis.form_fields import FormField, FormFields, Shape
from mrtr_codemod.analysis.sdk import items
from mrtr_codemod.analysis.sensitive import is_credential, is_personal
from mrtr_codemod.analysis.state import STATE_WORDS, StateSite, state_sites
from mrtr_codemod.analysis.walk import last_name
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.names.module import ScopeId
from mrtr_codemod.names.values import ClassValue
from mrtr_codemod.rules.base import MRTR_SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_VENDORED = "mrtr_steps"

_DICT = """
import json
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import InputRequiredResult
mcp = MCPServer("mail")
@mcp.tool()
async def connect(host: str, ctx: Context) -> str | InputRequiredResult:
    answers = ctx.input_responses or {}
    state = {"step": 2, "password": answers["login"].content["password"]}
    return InputRequiredResult(request_state=json.dumps(state))
"""
_MODEL = """
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import InputRequiredResult
from pydantic import BaseModel
mcp = MCPServer("mail")
class State(BaseModel):
    step: int
    email: str
@mcp.tool()
async def invite(ctx: Context) -> str | InputRequiredResult:
    state = State(step=2, email="ada@example.com")
    return InputRequiredResult(request_state=state.model_dump_json())
"""
_TEXT = """
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import InputRequiredResult
mcp = MCPServer("mail")
@mcp.tool()
async def connect(api_key: str, ctx: Context) -> str | InputRequiredResult:
    return InputRequiredResult(request_state=f"2:{api_key}")
"""
_STEP = """
from typing import Literal
from mrtr_steps import Step
class ConnectAgreed(Step):
    step: Literal["agreed"] = "agreed"
    access_token: str
"""
_SEALED = """
from cryptography.fernet import Fernet
import json
BOX = Fernet(b"from the environment")
def ask(requests, user):
    state = BOX.encrypt(json.dumps({"user": user.id, "iban": user.iban}).encode()).decode()
    return {"resultType": "input_required", "inputRequests": requests, "requestState": state}
"""
_HARMLESS = """
import json
from typing import Literal
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import InputRequiredResult
from mrtr_steps import Step
mcp = MCPServer("mail")
class ConnectAgreed(Step):
    step: Literal["agreed"] = "agreed"
    connection_id: str
    token_count: int
    has_password: bool
@mcp.tool()
async def connect(password: str, ctx: Context) -> str | InputRequiredResult:
    login(password)
    state = {"step": 2, "page_token": "7", "token": "a nonce", "email": None}
    return InputRequiredResult(request_state=json.dumps(state))
def login(password: str) -> None: ...
"""


def check(view: FileView) -> Iterator[Finding]:
    """One finding for each sensitive thing in each state."""
    reader = FormFields(view.analysis.project, view.analysis.evaluator)
    for site in state_sites(view):
        for name, node in _carried(site, reader):
            kind = _kind(name)
            if kind is not None:
                yield view.finding(RULE, node, _message(name, kind))
    for field in _step_fields(view, reader):
        kind = "a secret" if field.shape is Shape.SECRET else _kind(field.name)
        if kind is not None and field.shape is not Shape.OTHER:
            yield view.finding(RULE, field.node, _message(field.name, kind))


def _carried(site: StateSite, reader: FormFields) -> Iterator[tuple[str, ast.AST]]:
    """The names under which values go into a state, each with its place in this file."""
    for part in site.parts:
        for node in ast.walk(part):
            if isinstance(node, ast.Dict):
                yield from ((n, v) for n, v in items(node).items() if not isinstance(v, ast.Constant))
            elif isinstance(node, ast.Call) and _constructs(site, node):
                yield from ((k.arg, k.value) for k in node.keywords if k.arg is not None)
            elif isinstance(node, ast.FormattedValue) and isinstance(node.value, (ast.Name, ast.Attribute)):
                yield last_name(node.value), node.value
    if isinstance(site.value, (ast.Name, ast.Attribute)):
        yield last_name(site.value), site.value


def _constructs(site: StateSite, call: ast.Call) -> bool:
    values = site.view.values(call.func, site.scope)
    return last_name(call) == "dict" or any(isinstance(value, ClassValue) for value in values)


def _step_fields(view: FileView, reader: FormFields) -> Iterator[FormField]:
    """The fields of the steps that rewritten handlers keep in their state."""
    definitions = Definitions(view.analysis.project, view.analysis.evaluator)
    for scope in view.module.classes:
        definition = definitions.class_of(scope)
        if definition is not None and _is_step(view, scope):
            yield from (field for field in reader.of_class(definition) if field.path == view.path)


def _is_step(view: FileView, scope: ScopeId) -> bool:
    if any(base.endswith(f"{_VENDORED}.Step") for base in view.analysis.evaluator.external_bases(scope)):
        return True
    ancestors = view.analysis.evaluator.ancestors(scope)
    return any(
        isinstance(value, ClassValue)
        and value.scope.qualname == "Step"
        and value.scope.path.endswith(f"{_VENDORED}.py")
        for value in ancestors[1:]
    )


def _kind(name: str) -> str | None:
    if is_credential(name):
        return "a secret"
    return "data about a person" if is_personal(name) else None


def _message(name: str, kind: str) -> str:
    return f"`{name}` ({kind}) travels in `requestState`, which is logged, cached and copied on its way"


RULE = Rule(
    code="MRTR409",
    name="sensitive-state",
    level=Level.WARNING,
    summary="A secret, or data about a person, travels in `requestState`.",
    what="Finds fields that are named like passwords, keys, tokens, e-mail addresses, phone or account numbers in what "
    "becomes a `requestState`: in dicts, models, formatted text, and in the `Step` classes of rewritten handlers.",
    why="The state is kept by the client and sent again with the retry. It lands in call records, traces, proxies' "
    "logs and conversation stores. A seal keeps it from being changed, and encryption from being read, until the key "
    "is lost; neither lets you delete it.",
    example='```python\nInputRequiredResult(request_state=json.dumps({"step": 2, "password": password}))\n```',
    remedy="Keep it on the server, under the user's account or under a random reference with an expiry, and carry the "
    "reference. Often the value can be looked up again from the call's arguments.",
    reference=MRTR_SPEC,
    check=check,
    words=(*STATE_WORDS, _VENDORED),
    valid=(_HARMLESS,),
    invalid=(_DICT, _MODEL, _TEXT, _STEP, _SEALED),
)
