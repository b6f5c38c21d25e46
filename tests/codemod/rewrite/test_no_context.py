"""A handler that ends with -32042 needs no context for that, but needs one to ask."""

from __future__ import annotations

from .rewriting import refused

SIGN_IN = '''
@mcp.tool()
async def handler(name: str) -> str:
    """List what an account has."""
    if name not in TOKENS:
        raise UrlElicitationRequiredError(
            [ElicitRequestURLParams(mode="url", message="Sign in", url="https://example.org", elicitation_id="1")]
        )
    return "website"
'''
HEADER = """\
from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import UrlElicitationRequiredError
from mcp.types import ElicitRequestURLParams

mcp = MCPServer("test")
TOKENS: dict[str, str] = {}

"""


def test_a_handler_without_a_context_is_told_to_take_one() -> None:
    assert refused(SIGN_IN, HEADER) == "no-context"
