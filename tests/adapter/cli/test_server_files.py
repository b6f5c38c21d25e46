"""Server files as people have them: in packages, with helpers beside them, with odd names, starting themselves."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from adapter.cli.commands import MRTR, environment, mrtr, written

SERVER = "from mcp.server.mcpserver import MCPServer\n"


async def name_of(*arguments: str, cwd: Path) -> str:
    """The name of the server that a client finds behind `mrtr run ARGUMENTS`."""
    parameters = StdioServerParameters(
        command=MRTR[0], args=[*MRTR[1:], "run", *arguments], env=environment(), cwd=cwd
    )
    async with Client(parameters) as client:
        assert client.server_info is not None
        return client.server_info.name


async def test_helper_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    written(tmp_path / "here", "NAME = 'from a helper'", "helper.py")
    written(tmp_path / "here", SERVER + "import helper\nserver = MCPServer(helper.NAME)")
    assert await name_of("here/server.py", cwd=tmp_path) == "from a helper"


async def test_file_in_a_package(tmp_path: Path) -> None:
    package = tmp_path / "outer" / "inner"
    package.mkdir(parents=True)
    for folder in (package, package.parent):
        written(folder, "", "__init__.py")
    written(package.parent, "NAME = 'relative'", "names.py")
    written(package, SERVER + "from ..names import NAME\nserver = MCPServer(f'{NAME} in {__name__}')")
    assert await name_of("outer/inner/server.py", cwd=tmp_path) == "relative in outer.inner.server"


async def test_file_in_a_package_below_a_folder_that_only_looks_like_one(tmp_path: Path) -> None:
    package = tmp_path / "src" / "desk"
    package.mkdir(parents=True)
    for folder in (package, package.parent):
        written(folder, "", "__init__.py")
    written(
        package, "from desk.server import mcp\n@mcp.tool()\ndef look() -> str:\n    return 'x'", "tools.py"
    )
    text = "mcp = MCPServer(f'{__name__}')\nfrom desk import tools\nassert tools.mcp is mcp\n"
    written(package, SERVER + text)
    assert await name_of("src/desk/server.py", cwd=tmp_path) == "desk.server"


async def test_package_named_like_a_library_does_not_take_its_place(tmp_path: Path) -> None:
    package = tmp_path / "app" / "click"
    package.mkdir(parents=True)
    for folder in (package, package.parent):
        written(folder, "", "__init__.py")
    written(package, SERVER + "import click\nclick.command\nmcp = MCPServer(__name__)")
    assert await name_of("app/click/server.py", cwd=tmp_path) == "app.click.server"


@pytest.mark.parametrize(("file", "module"), [("my-server.py", "my-server"), ("anyio_.py", "anyio_")])
async def test_module_is_named_after_the_file(file: str, module: str, tmp_path: Path) -> None:
    written(tmp_path, SERVER + "server = MCPServer(__name__)", file)
    assert await name_of(file, cwd=tmp_path) == module


async def test_file_named_like_a_module_of_the_library_is_not_mistaken_for_it(tmp_path: Path) -> None:
    written(tmp_path, SERVER + "server = MCPServer(__name__)", "email.py")
    assert await name_of("email.py", cwd=tmp_path) == "mrtr_email"


async def test_one_server_under_several_names(tmp_path: Path) -> None:
    written(tmp_path, SERVER + "app = server = mcp = MCPServer('one')")
    assert await name_of("server.py", cwd=tmp_path) == "one"


async def test_one_of_several_servers_by_name(tmp_path: Path) -> None:
    written(tmp_path, SERVER + "a = MCPServer('a')\nclass Holder:\n    b = MCPServer('b')\n")
    assert await name_of("server.py:Holder.b", cwd=tmp_path) == "b"


@pytest.mark.parametrize("start", ["server.run()", "server.run('streamable-http', port=1)"])
async def test_file_that_starts_its_server_itself(start: str, tmp_path: Path) -> None:
    written(tmp_path, SERVER + f"server = MCPServer('selfish')\n{start}\nraise RuntimeError('never')")
    assert await name_of("server.py", cwd=tmp_path) == "selfish"


def test_file_that_uses_an_event_loop_of_its_own(tmp_path: Path) -> None:
    text = "import anyio\nasync def setup():\n    return 'set up'\nserver = MCPServer(anyio.run(setup))\n"
    written(tmp_path, SERVER + text)
    assert mrtr("run", "server.py", cwd=tmp_path).status == 0


def test_command_line_is_not_the_files_to_read(tmp_path: Path) -> None:
    text = "import sys\nassert sys.argv == ['server.py'], sys.argv\nserver = MCPServer('argv')\n"
    written(tmp_path, SERVER + text)
    assert mrtr("run", "server.py", "--stdio", cwd=tmp_path).status == 0
