"""`mrtr run --workers N`: any worker takes any round, a dead one is replaced, and none outlives the command."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import anyio
import pytest
from mcp import Client
from mcp.types import TextContent

from adapter.cli.commands import SHOP, User, serving, written
from mrtr_adapter.sealing.keys import new_key

FLOWS = 20
WHO = """
import os

@shop.tool()
async def who(ctx: Context) -> str:
    before = os.getpid()
    await ctx.elicit("Go on?", Sure)
    return f"{before}"
"""


async def test_twenty_flows_over_two_workers(tmp_path: Path) -> None:
    with serving(written(tmp_path, SHOP), "--workers", "2", keys=new_key()) as server:
        server.said(r"worker \d+ is ready", times=2)
        sold: list[str] = []

        async def sell(thing: str) -> None:
            user = User()
            async with Client(server.url, elicitation_callback=user.elicit) as client:
                result = await client.call_tool("sell", {"thing": thing})
            assert isinstance(result.content[0], TextContent)
            sold.append(result.content[0].text)
            assert user.asked == [f"Sell {thing}?", f"Really sell {thing}?"]

        async with anyio.create_task_group() as group:
            for number in range(FLOWS):
                group.start_soon(sell, f"thing {number}")
    assert sorted(sold) == sorted(f"thing {number}: accept, accept" for number in range(FLOWS))


async def test_flow_goes_on_when_its_worker_is_killed(tmp_path: Path) -> None:
    with serving(written(tmp_path, SHOP + WHO), "--workers", "2", keys=new_key()) as server:
        server.said(r"worker \d+ is ready", times=2)
        workers = {int(pid) for line in server.lines for pid in re.findall(r"worker (\d+) is ready", line)}

        async def kill_all(context: object, params: object) -> object:
            for worker in workers:
                os.kill(worker, signal.SIGKILL)
            await anyio.to_thread.run_sync(lambda: server.said(r"worker \d+ is ready", times=3))
            return await User().elicit(context, params)  # type: ignore[arg-type]

        async with Client(server.url, elicitation_callback=kill_all) as client:  # type: ignore[arg-type]
            result = await client.call_tool("who")
    assert isinstance(result.content[0], TextContent)
    assert int(result.content[0].text) not in workers


def test_workers_end_with_the_command(tmp_path: Path) -> None:
    for number, status in ((signal.SIGTERM, 0), (signal.SIGKILL, -signal.SIGKILL)):
        with serving(written(tmp_path, SHOP), "--workers", "2", keys=new_key()) as server:
            server.said(r"worker \d+ is ready", times=2)
            workers = [
                int(pid) for line in server.lines for pid in re.findall(r"worker (\d+) is ready", line)
            ]
            assert server.end(number) == status
        deadline = time.monotonic() + 20
        while any(map(alive, workers)):
            assert time.monotonic() < deadline, f"workers outlive {number.name}"
            time.sleep(0.05)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A killed parent leaves its children to init, which may be slow to collect them.
    state = Path(f"/proc/{pid}/stat")
    return not (state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z")


pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends POSIX signals to workers")
