"""Published old servers through the gateway: what they show, do and ask equals a direct older connection.

Their code is not ours: each runs with a home and a folder of its own and sees no variable but PATH and HOME.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from gateway.published.servers import HERE, Published, published
from gateway.published.survey import Survey

pytestmark = pytest.mark.anyio

GATEWAY = (sys.executable, "-m", "mrtr_adapter.cli", "wrap", "--")
SERVERS = published()
IN_CI = [server for server in SERVERS if server.ci]


def name(server: Published) -> str:
    return server.package


@pytest.mark.parametrize("server", IN_CI, ids=name)
async def test_ten_of_them_are_as_on_a_direct_connection(server: Published, tmp_path: Path) -> None:
    await compare(server, server.installed_for_ci(), tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("server", SERVERS, ids=name)
async def test_each_is_as_on_a_direct_connection(server: Published, tmp_path: Path) -> None:
    place = tmp_path / "installed"
    try:
        await compare(server, server.install(place), tmp_path)
    finally:
        shutil.rmtree(place, ignore_errors=True)


async def compare(server: Published, commands: Path, scratch: Path) -> None:
    direct = await look(server, commands, scratch, legacy=True)
    through = await look(server, commands, scratch, legacy=False)
    assert through.version == "2026-07-28"
    assert direct.version < "2026"
    assert through.seen == direct.seen
    assert through.asked == direct.asked
    assert through.asked_for_roots == direct.asked_for_roots
    assert bool(direct.asked) == server.asks


async def look(server: Published, commands: Path, scratch: Path, *, legacy: bool) -> Survey:
    """A survey in a fresh folder at the same place, so that what a server tells of it is equal."""
    shutil.rmtree(scratch / "scratch", ignore_errors=True)
    folder = scratch / "scratch" / "folder"
    (root := folder / "root").mkdir(parents=True)
    reached = server.reached(commands, folder, *(() if legacy else GATEWAY))
    survey = Survey(root=root.as_uri())
    return await survey.run(reached, "legacy" if legacy else "auto", server.requests(folder))


def test_there_are_as_many_as_promised_and_none_twice() -> None:
    packages = {
        (server.registry, server.package.rpartition("@" if server.registry == "npm" else "==")[0])
        for server in SERVERS
    }
    assert len(packages) == len(SERVERS) >= 80
    assert {server.registry for server in SERVERS} == {"npm", "pypi"}
    assert all(server.tools for server in SERVERS)


def test_ci_installs_the_versions_that_are_listed() -> None:
    listed = {server.package for server in IN_CI if server.registry == "npm"}
    locked = json.loads((HERE / "ci" / "package.json").read_text())["dependencies"]
    assert listed == {f"{package}@{version}" for package, version in locked.items()}
    required = (HERE / "ci" / "requirements.txt").read_text().splitlines()
    assert {server.package for server in IN_CI if server.registry == "pypi"} <= set(required)
    assert len(IN_CI) == 10
    assert sum(server.asks for server in IN_CI) >= 2
