"""Transport options move to where the server is started; one that finds no place is told, and never lost in silence."""

from __future__ import annotations

import pytest

from codemod.rewrite.sdk.moving import becomes, moved, told

OLD, NEW = "from mcp.server.fastmcp import FastMCP\n\n", "from mcp.server.mcpserver import MCPServer\n\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("mcp = FastMCP('x', host='0.0.0.0', port=80, stateless_http=True)\nmcp.run(transport='streamable-http')\n",
         "mcp = MCPServer('x')\nmcp.run(transport='streamable-http', host='0.0.0.0', port=80, stateless_http=True)\n"),
        ("mcp = FastMCP('x', port=80, json_response=True)\nmcp.run('sse')\n",
         "mcp = MCPServer('x')\nmcp.run('sse', port=80)\n"),
        ("mcp = FastMCP('x', host='h', port=80)\napp = mcp.streamable_http_app()\n",
         "mcp = MCPServer('x')\napp = mcp.streamable_http_app(host='h')\n"),
        ("mcp = FastMCP('x', port=80)\nmcp.run()\n", "mcp = MCPServer('x')\nmcp.run()\n"),
        ("mcp = FastMCP('x')\n\n\ndef main(port):\n    mcp.settings.port = port\n    mcp.settings.host = 'h'\n"
         "    mcp.run('sse')\n",
         "mcp = MCPServer('x')\n\n\ndef main(port):\n    mcp.run('sse', port=port, host='h')\n"),
        ("mcp = FastMCP(\n    'x',\n    port=80,  # ours\n)\nmcp.run(transport=how)\n",
         "mcp = MCPServer(\n    'x',\n)\nmcp.run(transport=how, port=80)\n"),
        ("mcp = FastMCP('x')\napp = mcp.sse_app('/here')\n", "mcp = MCPServer('x')\napp = mcp.sse_app()\n"),
    ],
)  # fmt: skip
def test_options_move_to_the_start(before: str, after: str) -> None:
    found = moved(OLD + before)
    assert found.source == NEW + after


@pytest.mark.parametrize(
    ("source", "note"),
    [
        ("mcp = FastMCP('x', port=80)\n",
         "line 3: `mcp` was built with port=80: pass this to its `run` or its `*_app()`, where it is started"),
        ("mcp = FastMCP('x')\nprint(mcp.settings.port)\n",
         "line 4: `mcp.settings.port` is gone: pass `port=` to `run` or `*_app()` of the server, where it is started"),
        ("mcp = FastMCP('x')\n\n\ndef f(port):\n    mcp.settings.port = port\n    port = 1\n    mcp.run('sse')\n",
         "line 7: `mcp.settings.port` is gone: pass `port=` to `run` or `*_app()` of the server, where it is started"),
    ],
)  # fmt: skip
def test_what_finds_no_place_is_told(source: str, note: str) -> None:
    assert told(moved(OLD + source)) == (note,)


def test_fastmcp_calls_its_paths_otherwise() -> None:
    becomes(
        "from fastmcp import FastMCP\n\nmcp = FastMCP('x', port=80, streamable_http_path='/m')\nmcp.run('http')\n",
        "from fastmcp import FastMCP\n\nmcp = FastMCP('x')\nmcp.run('http', port=80, path='/m')\n",
    )


def test_second_parameters_that_changed_places_are_named() -> None:
    becomes(
        """\
        from mcp.server.fastmcp import FastMCP
        from mcp.server.lowlevel import Server

        mcp = FastMCP("x", "be kind")
        low = Server("x", "1.0")
        """,
        """\
        from mcp.server.mcpserver import MCPServer
        from mcp.server.lowlevel import Server

        mcp = MCPServer("x", instructions="be kind")
        low = Server("x", version="1.0")
        """,
    )
