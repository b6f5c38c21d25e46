"""Foreign clients against adapted handlers: each is asked, answers, and gets its results, on both protocols.

Modern clients call three instances behind a front that keeps no session, so a flow's rounds land on different
ones. A legacy session lives in one process, so legacy clients call one instance, as they always had to.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from mcp import StdioServerParameters

from interop.clients import LEGACY, MODERN, Call, Seen, User, fastmcp, python_sdk, typescript_sdk
from interop.fleet import Fleet, running_fleet
from interop.ledger import Ledger
from mrtr_adapter.sealing.keys import new_key

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from interop.clients import Server

    Drive = Callable[[Server, str, User, list[Call]], Awaitable[list[Seen]]]

USER = User(
    forms={
        "Where does vase go?": {"city": "Oslo"},
        "Send vase to Oslo by express?": {"express": True},
        "Insure vase to Oslo by express?": {"insured": True},
        "What is wrong with vase?": {"state": "broken"},
        "Read the sheet of vase in which language?": {"name": "Norwegian"},
    },
    model_says="Fragile glass",
    root="file:///depot",
)
SCRIPT = [
    (
        Call("tools/call", "ship", {"order": "vase", "fragile": True}),
        Seen(
            ["Where does vase go?", "Send vase to Oslo by express?", "Insure vase to Oslo by express?"],
            "vase to Oslo by express, insured",
        ),
    ),
    (
        Call("tools/call", "describe", {"order": "vase"}),
        Seen(["Describe vase", "roots"], "Fragile glass for file:///depot"),
    ),
    (Call("tools/call", "pay", {"order": "vase"}), Seen(["Pay for vase at the till"], "vase: accept")),
    (Call("tools/call", "weigh", {"order": "vase"}), Seen([], "vase weighs 3 kg")),
    (
        Call("prompts/get", "complaint", {"order": "vase"}),
        Seen(["What is wrong with vase?"], "Complain: vase is broken."),
    ),
    (
        Call("resources/read", "depot://orders/vase"),
        Seen(["Read the sheet of vase in which language?"], "vase in Norwegian"),
    ),
]

clients = pytest.mark.parametrize("drive", [python_sdk, fastmcp, typescript_sdk])
versions = pytest.mark.parametrize("version", [MODERN, LEGACY])


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with running_fleet(tmp_path_factory.mktemp("clients")) as fleet:
        yield fleet


@clients
@versions
async def test_over_http(drive: Drive, version: str, fleet: Fleet) -> None:
    server = fleet.front if version == MODERN else fleet.instances[0]
    await check(drive, server.url, version)


@clients
@versions
async def test_over_stdio(drive: Drive, version: str, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.sqlite"
    Ledger(ledger).create()
    server = StdioServerParameters(
        command=sys.executable,
        args=[str(Path(__file__).with_name("depot_server.py")), "stdio", str(ledger)],
        env={**os.environ, "MRTR_KEYS": new_key()},
    )
    await check(drive, server, version)


async def check(drive: Drive, server: Server, version: str) -> None:
    seen = await drive(server, version, USER, [call for call, _ in SCRIPT])
    # What is asked at once comes in any order.
    assert [sorted(each.asked) for each in seen] == [sorted(expected.asked) for _, expected in SCRIPT]
    assert [each.text for each in seen] == [expected.text for _, expected in SCRIPT]
