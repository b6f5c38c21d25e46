"""An import goes with its last use; what a string only mentions in prose is no use, an expression in one is."""

from __future__ import annotations

import pytest

from mrtr_codemod.rewrite.verify import problems

from .rewriting import rewritten

TOP = """\
{above}
from mcp.server.mcpserver import Context, MCPServer

mcp = MCPServer("test")
{below}

@mcp.tool()
async def handler(name: str, ctx: Context) -> str:
    {docstring}
    {inside}
    answer = await ctx.elicit_url(f"{{name}}?", "https://example.org", str(uuid4()))
    return answer.action
"""
IMPORT = "from uuid import UUID, uuid4"


def module(place: str, below: str, docstring: str) -> str:
    above, inside = (IMPORT, "pass") if place == "above" else ("import asyncio", IMPORT)
    return TOP.format(above=above, below=below, docstring=docstring, inside=inside)


@pytest.mark.parametrize("place", ["above", "inside"])
@pytest.mark.parametrize("docstring", ['"""Open the page."""', '"""Open a page whose uuid4 is new."""'])
def test_it_goes_with_its_last_use(place: str, docstring: str) -> None:
    source = module(place, "", docstring)
    after = rewritten(source).after
    assert "import UUID\n" in after
    assert problems(source, after, "server.py") == []


@pytest.mark.parametrize("place", ["above", "inside"])
@pytest.mark.parametrize("text", ["uuid4", "list[uuid4]", "uuid4 | None"])
def test_it_stays_for_an_expression_in_a_string(place: str, text: str) -> None:
    """It may be evaluated: then the rewrite is refused where it is an import in vain, rather than break it."""
    below = f'NAMED = "{text}"\n' if place == "above" else ""
    docstring = f'"{text}"' if place == "inside" else '"""Open the page."""'
    assert "import UUID, uuid4\n" in rewritten(module(place, below, docstring)).after
