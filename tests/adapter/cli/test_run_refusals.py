"""Whatever `mrtr run` can't do, it says in one line that tells what to do, with exit status 2 and no traceback."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path

import pytest

from adapter.cli.commands import MRTR, SHOP, mrtr, written
from mrtr_adapter.serving.address import Address
from mrtr_adapter.serving.refusal import CannotServe

TWO = """
from mcp.server.mcpserver import MCPServer
first, second = MCPServer("first"), MCPServer("second")
also_first, number = first, 3
async def later(): ...
def broken(): raise RuntimeError("no\\ndatabase")
"""

WRAP_OLD = "run `mrtr wrap -- python server.py`, with the python of an environment that has mcp<2"
FILES = {
    "one-file-too-few": ("x = 1", ["there is no server in server.py", "mrtr run server.py:build"]),
    "several": (TWO, ["several servers in server.py (first, second)", "`mrtr run server.py:first`"]),
    "missing-module": ("import nowhere.at_all", ["server.py line 1 imports nowhere", "install nowhere"]),
    "mcp1-fastmcp": (
        "from mcp.server.fastmcp import FastMCP",
        [
            "written for mcp 1.x",
            "mcp.server.fastmcp",
            "`mrtr rewrite --sdk-only server.py`",
            "`mrtr wrap -- python server.py`, with the python of an environment that has mcp<2",
        ],
    ),
    "fastmcp3-module": (
        "import fastmcp.nothing.at_all",
        ["server.py line 1: No module named 'fastmcp.nothing'; fastmcp 4.", "that has fastmcp<4"],
    ),
    "fastmcp3-name": (
        "from fastmcp.server.auth import BearerAuthProvider",
        [
            "server.py line 1: cannot import name 'BearerAuthProvider' from 'fastmcp.server.auth'; fastmcp 4.",
            "`mrtr rewrite --sdk-only server.py`",
            "`mrtr wrap -- python server.py`, with the python of an environment that has fastmcp<4",
        ],
    ),
    "fastmcp3-method": (
        "from fastmcp import FastMCP\nFastMCP('s').nothing",
        ["server.py line 2: 'FastMCP' object has no attribute 'nothing'", "that has fastmcp<4"],
    ),
    "mcp1-name": ("from mcp.shared.exceptions import McpError", ["written for mcp 1.x", "mrtr wrap"]),
    "mcp1-attribute": ("import mcp.types as types\ntypes.Nothing", ["mcp.types.Nothing", "mrtr wrap"]),
    "mcp1-decorator": (
        "from mcp.server import Server\nserver = Server('s')\n@server.list_tools()\nasync def tools(): ...",
        ["written for mcp 1.x", "Server.list_tools", "`mrtr rewrite --sdk-only server.py`"],
    ),
    "gone-module": (
        "import mcp.server.experimental",
        ["mcp.server.experimental", "tasks are gone", WRAP_OLD],
    ),
    "gone-name": (
        "from mcp.server.lowlevel.server import request_ctx",
        ["mcp.server.lowlevel.server.request_ctx", "take the context", WRAP_OLD],
    ),
    "gone-attribute": (
        "from mcp.server import Server\nserver = Server('s')\nserver.experimental.enable_tasks()",
        ["Server.experimental", "tasks are gone", WRAP_OLD],
    ),
    "newer-mcp2-name": (
        "from mcp.server.mcpserver import Nothing",
        ["server.py line 1: ImportError", "install the version"],
    ),
    "syntax": ("x = 1\ndef f(:", ["server.py line 2 is not valid Python"]),
    "exception": ("\nint('z\\n')", ["server.py line 2 fails with ValueError", "mend it there"]),
    "exit": ("raise SystemExit(3)", ["server.py ends the process", "__main__"]),
}


@pytest.mark.parametrize("kind", FILES)
def test_file_that_gives_no_server(kind: str, tmp_path: Path) -> None:
    text, says = FILES[kind]
    written(tmp_path, text)
    ended = mrtr("run", "server.py", cwd=tmp_path)
    assert ended.status == 2
    assert ended.out == ""
    assert ended.line.startswith("mrtr run: ")
    assert [part for part in says if part not in ended.line] == []
    assert WRAP_OLD not in says or "--sdk-only" not in ended.line


NAMES = {
    "server.py:third": "no third in server.py: its servers are first, second, also_first",
    "server.py:number": "number in server.py is no MCPServer, low-level Server or FastMCP but int",
    "server.py:later": "later in server.py is no MCPServer, low-level Server or FastMCP but function",
    "server.py:broken": "server.py line 6 fails with RuntimeError: no database",
    "server.py:": "'' is no name",
    "server.py:a b": "'a b' is no name",
    "none.py": "there is no file none.py",
    "folder": "folder is a folder",
    "server.txt": "server.txt is not a Python file",
}


@pytest.mark.parametrize("target", NAMES)
def test_target_that_names_no_server(target: str, tmp_path: Path) -> None:
    written(tmp_path, TWO)
    written(tmp_path, "", "server.txt")
    (tmp_path / "folder").mkdir()
    ended = mrtr("run", target, cwd=tmp_path)
    assert ended.status == 2
    assert NAMES[target] in ended.line


NO_ADDRESSES = [
    "8000",
    "localhost",
    "127.0.0.1:port",
    "127.0.0.1:99999",
    "http://h:1",
    "::1:80",
    "h: 80",
    ":80",
]


@pytest.mark.parametrize("text", NO_ADDRESSES)
def test_address_that_is_none(text: str) -> None:
    with pytest.raises(CannotServe) as refused:
        Address.parse(text)
    assert f"{text!r} is not HOST:PORT: write it as in --http 127.0.0.1:8000" in str(refused.value)


def test_address_that_is_none_at_the_command(tmp_path: Path) -> None:
    ended = mrtr("run", str(written(tmp_path, SHOP)), "--http", "8000")
    assert ended.status == 2
    assert "'8000' is not HOST:PORT" in ended.line


def test_port_that_is_taken(tmp_path: Path) -> None:
    written(tmp_path, SHOP)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ended = mrtr("run", "server.py", "--http", f"127.0.0.1:{port}", cwd=tmp_path)
    assert ended.status == 2
    assert f"port {port} of 127.0.0.1 is taken" in ended.line


def test_address_of_another_machine(tmp_path: Path) -> None:
    written(tmp_path, SHOP)
    ended = mrtr("run", "server.py", "--http", "192.0.2.1:8000", cwd=tmp_path)  # TEST-NET-1, RFC 5737
    assert ended.status == 2
    assert "this machine has no address 192.0.2.1" in ended.line


def test_several_workers_without_a_key(tmp_path: Path) -> None:
    ended = mrtr("run", str(written(tmp_path, SHOP)), "--http", "127.0.0.1:0", "--workers", "2")
    assert ended.status == 2
    assert "2 workers need a key in common: make one with `mrtr keygen`" in ended.line


def test_options_that_exclude_each_other(tmp_path: Path) -> None:
    file = str(written(tmp_path, SHOP))
    assert "--http and --stdio exclude" in mrtr("run", file, "--http", "127.0.0.1:0", "--stdio").line
    assert "--workers is for HTTP" in mrtr("run", file, "--workers", "2").line


def test_bad_keys(tmp_path: Path) -> None:
    file = str(written(tmp_path, SHOP))
    short = mrtr("run", file, keys="too-short")
    assert short.status == 2
    assert "MRTR_KEYS: key 1 has 9 bytes, 32 are needed; make one with `mrtr keygen`" in short.line
    missing = mrtr("run", file, "--keys-file", str(tmp_path / "keys"))
    assert missing.status == 2
    assert f"--keys-file {tmp_path / 'keys'} can't be read" in missing.line
    (tmp_path / "keys").write_text("# none yet\n")
    empty = mrtr("run", file, "--keys-file", str(tmp_path / "keys"))
    assert empty.status == 2
    assert "there is no key in it" in empty.line


LIFESPAN = """
from contextlib import asynccontextmanager
from mcp.server.mcpserver import MCPServer

@asynccontextmanager
async def lifespan(server):
    raise RuntimeError("no database")
    yield

server = MCPServer("shop", lifespan=lifespan)
"""


def test_lifespan_that_fails(tmp_path: Path) -> None:
    file = str(written(tmp_path, LIFESPAN))
    over_stdio = mrtr("run", file)
    assert over_stdio.status == 2
    assert over_stdio.line == "mrtr run: shop has failed: RuntimeError: no database"
    over_http = mrtr("run", file, "--http", "127.0.0.1:0")
    assert over_http.status == 2
    says = "the server's own startup (lifespan) failed: RuntimeError: no database: mend it there"
    assert over_http.line == f"mrtr run: {says}"


@pytest.mark.parametrize("closed", ["0<&-", ">&-"])
@pytest.mark.parametrize("command", ["run server.py", "wrap -- python server.py"])
def test_a_closed_standard_stream_is_told(command: str, closed: str, tmp_path: Path) -> None:
    written(tmp_path, SHOP)
    shell = ["sh", "-c", f"exec {MRTR[0]} {command} {closed}"]
    ended = subprocess.run(shell, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert ended.returncode == 2
    assert "stdin or stdout is closed, and a client speaks MCP on them" in ended.stderr
    assert "Traceback" not in ended.stderr
