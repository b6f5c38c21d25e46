"""MRTR402: a form's schema is not flat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.form_fields import FormFields, Shape
from mrtr_codemod.analysis.forms import FORM_WORDS, forms
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_NESTED = """
from mcp.server.fastmcp import Context, FastMCP
from pydantic import BaseModel
mcp = FastMCP("shop")
class Address(BaseModel):
    city: str
class Order(BaseModel):
    address: Address
@mcp.tool()
async def order(ctx: Context) -> str:
    answer = await ctx.elicit("Where to?", schema=Order)
    return answer.action
"""
_LISTS = """
from dataclasses import dataclass
from fastmcp import Context, FastMCP
mcp = FastMCP("shop")
@dataclass
class Order:
    items: list[str]
@mcp.tool
async def order(ctx: Context) -> str:
    return (await ctx.elicit("What?", response_type=Order)).action
"""
_OPEN = """
from mcp.server.mcpserver import Elicit
from pydantic import BaseModel, Field
class Order(BaseModel):
    options: dict[str, str] | None = Field(default=None)
def order() -> Elicit[Order]:
    return Elicit("What?", Order)
"""
_SCHEMA = """
from mcp.server.session import ServerSession
async def order(session: ServerSession) -> None:
    await session.elicit(
        message="Where to?",
        requestedSchema={
            "type": "object",
            "properties": {"address": {"type": "object", "properties": {"city": {"type": "string"}}}},
        },
    )
"""
_FLAT = """
from enum import Enum
from typing import Annotated, ClassVar, Literal, Optional
from datetime import date
from fastmcp import Context, FastMCP
from pydantic import BaseModel, Field
mcp = FastMCP("shop")
class Size(Enum):
    SMALL = "s"
class Order(BaseModel):
    defaults: ClassVar[dict[str, str]] = {}
    size: Size
    sizes: list[Size] = Field(default_factory=list)
    colours: list[Literal["red", "blue"]]
    count: Annotated[int, Field(ge=1)] = 1
    note: Optional[str] = None
    day: date | None = None
class Stored(BaseModel):
    order: Order
@mcp.tool
async def order(ctx: Context) -> str:
    first = await ctx.elicit("What?", response_type=Order)
    second = await ctx.elicit("Which?", response_type=["small", "large"])
    third = await ctx.elicit("Which?", {"low": {"title": "Low"}})
    return first.action + second.action + third.action
"""
_SELF_REFERENCE = """
from mcp.server.mcpserver import Elicit
Order = Order.model_json_schema()
def order() -> Elicit:
    return Elicit("What?", Order)
"""
_MULTI_SELECT = """
from mcp.types import ElicitRequestFormParams
params = ElicitRequestFormParams(
    message="Which?",
    requested_schema={
        "type": "object",
        "properties": {
            "one": {"type": "string", "enum": ["a", "b"]},
            "many": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
        },
    },
)
"""

_NOT_FLAT = {
    Shape.NESTED: "an object",
    Shape.LIST: "a list of other things than choices",
    Shape.OPEN: "a value of any shape",
}


def check(view: FileView) -> Iterator[Finding]:
    """One finding for each field that no form can show."""
    reader = FormFields(view.analysis.project, view.analysis.evaluator)
    for form in forms(view):
        for field in reader.of(form.schema, form.scope) if form.schema is not None else ():
            if field.shape in _NOT_FLAT and field.name:
                related = [("the field", field.node)] if field.path == view.path else []
                message = f"the form's field `{field.name}` is {_NOT_FLAT[field.shape]}; a form is flat"
                yield view.finding(RULE, form.node, message, related=related)


RULE = Rule(
    code="MRTR402",
    name="schema-not-flat",
    level=Level.ERROR,
    summary="A form's schema is not flat.",
    what="Finds forms whose schema has a field that is an object, a dict, or a list of something else than "
    "choices: in "
    "pydantic models, dataclasses, typed dicts, `create_model` and JSON Schema.",
    why="An elicitation schema is an object of strings, numbers, truth values and choices. The SDKs raise "
    "`TypeError` for "
    "anything else before they ask, and a client that gets such a schema cannot show it.",
    example="```python\nclass Order(BaseModel):\n    address: Address  # a model of its own\n```",
    remedy="Flatten the object into fields (`address_city`), turn a list into choices (`list[Literal[…]]` or "
    "of an Enum), or "
    "ask in several rounds.",
    reference=SPEC + "client/elicitation",
    check=check,
    words=FORM_WORDS,
    valid=(_FLAT, _MULTI_SELECT, _SELF_REFERENCE),
    invalid=(_NESTED, _LISTS, _OPEN, _SCHEMA),
)
