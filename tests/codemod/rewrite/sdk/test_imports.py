"""What moved is imported from where it is now, by where the import says that it came from, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from codemod.rewrite.sdk import existing as existing_script
from codemod.rewrite.sdk.moving import becomes, moved, stays, told
from mrtr_codemod.rewrite.sdk.names import GONE, MODULES, NAMES, gone
from mrtr_codemod.rewrite.sdk.names import moved as place_of


def test_the_server_and_its_module() -> None:
    becomes(
        "from mcp.server.fastmcp import Context, FastMCP\n\nmcp = FastMCP('x')\n",
        "from mcp.server.mcpserver import Context, MCPServer\n\nmcp = MCPServer('x')\n",
    )


def test_the_other_fastmcp_is_left_alone() -> None:
    stays("from fastmcp import Context, FastMCP\n\nmcp = FastMCP('x')\n")


def test_a_file_without_the_sdk_is_left_alone() -> None:
    stays("class FastMCP: ...\n\n\nresult = FastMCP()\nprint(result.isError)\n")


@pytest.mark.parametrize(
    "rest",
    [
        "class MCPServer: ...\n\n\nmcp = FastMCP('x')\n",
        "def run(FastMCP):\n    return FastMCP\n\n\nmcp = FastMCP('x')\n",
        "__all__ = ['FastMCP']\nmcp = FastMCP('x')\n",
        "",
    ],
    ids=["taken", "shadowed", "exported", "for others to import"],
)
def test_a_name_that_others_may_mean_stays(rest: str) -> None:
    found = moved(f"from mcp.server.fastmcp import FastMCP\n\n\n{rest}")
    assert found.source == f"from mcp.server.mcpserver import MCPServer as FastMCP\n\n\n{rest}"


def test_dotted_and_aliased_imports() -> None:
    becomes(
        "import mcp.server.fastmcp as f\n\nmcp = f.FastMCP('x')\n",
        "import mcp.server.mcpserver as f\n\nmcp = f.MCPServer('x')\n",
    )
    becomes(
        "import mcp.server.fastmcp.server\n\ns = mcp.server.fastmcp.server.FastMCP('x')\n",
        "import mcp.server.mcpserver.server\n\ns = mcp.server.mcpserver.server.MCPServer('x')\n",
    )


def test_annotations_in_strings_follow() -> None:
    becomes(
        "from mcp.server.fastmcp import FastMCP\n\n\ndef add(to: 'FastMCP | None') -> 'list[FastMCP]': ...\n",
        "from mcp.server.mcpserver import MCPServer\n\n\ndef add(to: 'MCPServer | None') -> 'list[MCPServer]': ...\n",
    )


def test_names_of_one_module_that_went_to_several() -> None:
    becomes(
        "from fastmcp.tools.tool import FunctionTool, Tool, ToolResult\n\nprint(FunctionTool, Tool, ToolResult)\n",
        "from fastmcp.tools.base import Tool, ToolResult\nfrom fastmcp.tools.function_tool import FunctionTool\n\n"
        "print(FunctionTool, Tool, ToolResult)\n",
    )


def test_a_decorator_is_no_module() -> None:
    stays("from fastmcp.tools import tool\n\n\n@tool\ndef add(a: int) -> int:\n    return a\n")


def test_literals_take_the_place_of_names_that_are_gone() -> None:
    becomes(
        "from mcp.types import TASK_REQUIRED, Cursor, Tool\n\nc: Cursor = TASK_REQUIRED\nprint(Tool)\n",
        'from mcp.types import Tool\n\nc: str = "required"\nprint(Tool)\n',
    )


def test_a_file_that_imports_what_is_gone_is_not_half_moved() -> None:
    found = stays(
        """\
        from mcp.server.fastmcp import FastMCP
        from mcp.shared.progress import progress

        mcp = FastMCP("x")
        """
    )
    assert [note.partition(" is gone")[0] for note in told(found)] == [
        "line 2: `mcp.shared.progress.progress`"
    ]


def test_a_use_in_a_function_is_told_and_the_rest_moved() -> None:
    found = moved(
        """\
        from mcp.server.fastmcp import FastMCP


        def connect():
            from mcp.client.websocket import websocket_client

            return websocket_client, FastMCP
        """
    )
    assert "MCPServer" in found.source
    assert told(found)[0].startswith("line 5: `mcp.client.websocket.websocket_client` is gone: ")


def test_line_ends_and_comments_stay() -> None:
    before = "# -*- coding: utf-8 -*-\r\nfrom mcp.server.fastmcp import FastMCP  # é\r\n\r\nmcp = FastMCP('é')  # ü\r\n"
    assert moved(before).source == before.replace("fastmcp", "mcpserver").replace("FastMCP", "MCPServer")


NEW_PLACES = {old: MODULES.get(old) or place_of(old) for old in [*NAMES, *MODULES]}


@pytest.fixture(scope="module")
def existing() -> list[str]:
    """Those of all the names below that exist where nothing but the SDKs has been imported."""
    command = [sys.executable, existing_script.__file__, *NEW_PLACES.values(), *GONE]
    return json.loads(subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout)


@pytest.mark.parametrize("old", NEW_PLACES)
def test_the_new_place_exists(old: str, existing: list[str]) -> None:
    assert NEW_PLACES[old] in existing


@pytest.mark.parametrize("old", GONE)
def test_what_is_gone_is_gone(old: str, existing: list[str]) -> None:
    assert old not in existing
    assert gone(f"{old}.anything") == GONE[old]
