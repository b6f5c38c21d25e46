"""MRTR401: a form asks for a secret."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.form_fields import FormField, FormFields, Shape
from mrtr_codemod.analysis.forms import FORM_WORDS, Form, forms
from mrtr_codemod.analysis.sensitive import asks_for_secret, is_secret
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_MODEL = """
from mcp.server.fastmcp import Context, FastMCP
from pydantic import BaseModel
mcp = FastMCP("mail")
class Login(BaseModel):
    user: str
    password: str
@mcp.tool()
async def connect(ctx: Context) -> str:
    answer = await ctx.elicit("Sign in", schema=Login)
    return answer.action
"""
_TYPED = """
from fastmcp import Context, FastMCP
from pydantic import BaseModel, SecretStr
mcp = FastMCP("mail")
class Login(BaseModel):
    word: SecretStr | None = None
@mcp.tool
async def connect(ctx: Context) -> str:
    return (await ctx.elicit("Sign in", response_type=Login)).action
"""
_SHORTHAND = """
from fastmcp import Context, FastMCP
mcp = FastMCP("maps")
@mcp.tool
async def connect(provider: str, ctx: Context) -> str:
    return (await ctx.elicit(f"Please enter your {provider} API key", response_type=str)).action
"""
_SCHEMA = """
from mcp import types
SCHEMA = {"type": "object", "properties": {"apiKey": {"type": "string"}}, "required": ["apiKey"]}
def ask() -> types.ElicitRequest:
    params = types.ElicitRequestFormParams(message="Sign in", requested_schema=SCHEMA)
    return types.ElicitRequest(params=params)
"""
_RESOLVER = {
    "models.py": """
from pydantic import BaseModel
class Base(BaseModel):
    access_token: str
class Login(Base):
    host: str
""",
    "server.py": """
from mcp.server.mcpserver import Elicit
from models import Login
def login() -> Elicit[Login]:
    return Elicit("Sign in", Login)
""",
}
_RAW = """
def ask(user):
    schema = {"type": "object", "properties": {"password": {"type": "string"}}}
    return {"method": "elicitation/create", "params": {"message": f"Hello {user}", "requestedSchema": schema}}
"""
_HARMLESS = """
from mcp.server.fastmcp import Context, FastMCP
from pydantic import BaseModel
mcp = FastMCP("mail")
class Choice(BaseModel):
    reset_password: bool
    max_tokens: int
    page_token: str
    password_hint: str
@mcp.tool()
async def connect(ctx: Context) -> str:
    answer = await ctx.elicit("Reset the password, or enter the name of the API key to revoke", schema=Choice)
    return answer.action
"""
_URL = """
from mcp.types import ElicitRequestURLParams
from pydantic import BaseModel
class Login(BaseModel):
    password: str
params = ElicitRequestURLParams(message="Enter your password on the page", url="https://mail.example/login")
"""


def check(view: FileView) -> Iterator[Finding]:
    """One finding for each secret of each form."""
    reader = FormFields(view.analysis.project, view.analysis.evaluator)
    for form in forms(view):
        if form.schema is None:
            continue
        fields = reader.of(form.schema, form.scope)
        named = [field for field in fields if _is_secret(field)]
        for field in named:
            label = f"`{field.name}`" if field.name else "a `SecretStr`"
            related = [("the field", field.node)] if field.path == view.path else []
            message = f"the form asks for {label}: secrets must not go through the client"
            yield view.finding(RULE, form.node, message, related=related)
        if not named and _wants_secret(form, fields):
            message = "the form's message asks for a secret: secrets must not go through the client"
            yield view.finding(RULE, form.node, message)


def _is_secret(field: FormField) -> bool:
    return field.shape is Shape.SECRET or (field.shape is Shape.TEXT and is_secret(field.name))


def _wants_secret(form: Form, fields: list[FormField]) -> bool:
    if len(fields) != 1 or fields[0].shape is not Shape.TEXT or form.message is None:
        return False
    return asks_for_secret(_text(form.message))


def _text(node: ast.expr) -> str:
    """The literal text of a message; what is filled in counts as a word."""
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(value) for value in node.values)
    if isinstance(node, ast.BinOp):
        return _text(node.left) + _text(node.right)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else "it"


RULE = Rule(
    code="MRTR401",
    name="secret-in-form",
    level=Level.ERROR,
    summary="A form asks for a secret.",
    what="Finds forms with a text field that is named like a password, key, token, credential or card number, "
    "with a "
    "`SecretStr` or a `format: password`, and single-field forms whose message says to enter one.",
    why="A server must not ask for secrets in form mode. What is typed into a form passes through the client, "
    "and may end "
    "up in its logs, its conversation and the model's context; with rounds it also rides in `requestState`.",
    example='```python\nanswer = await ctx.elicit("Your API key?", response_type=str)\n```',
    remedy="Ask in URL mode: the user types the secret into a page of your own server, which stores it for "
    "that user. The "
    "handler only looks up whether it is there.",
    reference=SPEC + "client/elicitation",
    check=check,
    words=FORM_WORDS,
    valid=(_HARMLESS, _URL),
    invalid=(_MODEL, _TYPED, _SHORTHAND, _SCHEMA, _RESOLVER, _RAW),
)
