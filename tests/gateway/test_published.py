"""Published old servers through the gateway: what they show and do equals a direct older connection.

Installs them from npm and PyPI, so it runs at night only.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp.types import CreateMessageResult, ElicitResult, ListRootsResult, TextContent

from needs import needs

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

pytestmark = [pytest.mark.anyio, pytest.mark.nightly]

SERVERS = tomllib.loads(Path(__file__).with_name("published.toml").read_text())["servers"]


def name(server: dict[str, Any]) -> str:
    return str(server.get("npm") or server.get("pypi"))


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one folder for each package, in which it is installed."""
    return tmp_path_factory.mktemp("published")


def installed(server: dict[str, Any], programs: Path) -> Path:
    """The folder with the commands of this package."""
    place = programs / name(server).replace("/", "_")
    if "npm" in server:
        needs("node")
        quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
        run("npm", "install", "--prefix", str(place), *quiet, server["npm"])
        return place / "node_modules" / ".bin"
    run(sys.executable, "-m", "venv", str(place))
    run(str(place / "bin" / "pip"), "install", "--quiet", server["pypi"], "mcp<2")
    return place / "bin"


def run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("server", SERVERS, ids=name)
async def test_it_is_as_on_a_direct_older_connection(
    server: dict[str, Any], programs: Path, tmp_path: Path
) -> None:
    (folder := tmp_path / "folder").mkdir()
    command, *arguments = (word.format(folder=folder) for word in server["command"])
    old = [str(installed(server, programs) / command), *arguments]
    direct = await survey(old, server, mode="legacy")
    through = await survey(
        [sys.executable, "-m", "mrtr_adapter.cli", "wrap", "--", *old], server, mode="auto"
    )
    assert through == direct


async def survey(command: list[str], server: dict[str, Any], mode: Any) -> dict[str, Any]:
    """What a client sees of a server, in a form that does not depend on the protocol version."""
    asked: list[str] = []

    async def elicit(context: object, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="decline")

    async def sample(context: object, params: Any) -> CreateMessageResult:
        return CreateMessageResult(role="assistant", model="m", content=TextContent(type="text", text="yes"))

    async def roots(context: object) -> ListRootsResult:
        return ListRootsResult(roots=[])

    parameters = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    client = Client(
        parameters,
        mode=mode,
        elicitation_callback=elicit,
        sampling_callback=sample,
        list_roots_callback=roots,
    )
    async with client:
        assert client.server_info is not None
        seen: dict[str, Any] = {
            "server": client.server_info.model_dump(),
            "instructions": client.instructions,
            "tools": await everything(client.list_tools, "tools"),
            "prompts": await everything(client.list_prompts, "prompts"),
            "resources": await everything(client.list_resources, "resources"),
            "templates": await everything(client.list_resource_templates, "resource_templates"),
        }
        for kind in ("call", "asks"):
            if wanted := server.get(kind):
                result = await client.call_tool(wanted["tool"], wanted["arguments"])
                seen[kind] = ([block.model_dump() for block in result.content], result.is_error)
    return {**seen, "asked": asked}


async def everything(list_page: Any, field: str) -> Any:
    """All pages of a list, or the code of the error that it ends with."""
    found: list[Any] = []
    cursor: str | None = None
    while True:
        try:
            page = await list_page(cursor=cursor)
        except MCPError as error:
            return error.code
        # 2026-07-28 has no `execution`: tasks are gone.
        found += [entry.model_dump(mode="json", exclude={"execution"}) for entry in getattr(page, field)]
        cursor = page.next_cursor
        if cursor is None:
            return found
