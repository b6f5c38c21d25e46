"""An old server as a process: what is said of one that can't be spoken with any more."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import anyio
import pytest

from mrtr_adapter.gateway import process
from mrtr_adapter.gateway.child import Command
from mrtr_adapter.gateway.link import Link, LinkClosed
from mrtr_adapter.gateway.warden import Warden

pytestmark = pytest.mark.anyio

CLOSES_STDIN = "import os, sys, time; os.close(0); print('{}', flush=True); time.sleep(%r); sys.exit(3)"


async def send_without_end(link: Link) -> None:
    while True:
        await link.send({})


@pytest.mark.parametrize(
    ("lives_on", "told"), [(0.2, "has ended with status 3"), (60.0, "has closed its stdin")]
)
async def test_a_server_that_ends_before_it_reads_is_told_by_its_status(lives_on: float, told: str) -> None:
    command = Command([sys.executable, "-c", CLOSES_STDIN % lives_on])
    async with command.opened(Warden(None)) as link:
        await link.receive()
        with anyio.fail_after(30), pytest.raises(LinkClosed, match=told):
            await send_without_end(link)


LEAVES_ONE_BEHIND = """
import json, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
sleep = [sys.executable, "-c", "import sys, time; time.sleep(60); open(sys.argv[1], 'w')", *sys.argv[1:]]
child = subprocess.Popen(sleep, start_new_session=True)
print(json.dumps({"pid": child.pid}), flush=True)
%s
"""


@pytest.mark.parametrize("end", ["sys.stdin.read()", "time.sleep(60)"], ids=["ends", "is killed"])
async def test_whoever_leaves_the_group_is_not_waited_for_and_holds_no_pipe_open(
    end: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(process, "POLITE_SECONDS", 0.5)
    before = len(os.listdir("/dev/fd"))
    end_of_it = tmp_path / "end"
    command = Command([sys.executable, "-c", LEAVES_ONE_BEHIND % end, str(end_of_it)])
    async with command.opened(Warden(None)) as link:
        left = (await link.receive())["pid"]
    try:
        assert len(os.listdir("/dev/fd")) == before
        assert not end_of_it.exists()
    finally:
        os.kill(left, signal.SIGKILL)


async def test_the_status_of_a_server_is_told_whoever_holds_its_stderr() -> None:
    keeps_stderr = LEAVES_ONE_BEHIND.replace("(sleep,", "(sleep, stdin=-3, stdout=-3,")
    async with Command([sys.executable, "-c", keeps_stderr % "sys.exit(3)"]).opened(Warden(None)) as link:
        left = (await link.receive())["pid"]
        try:
            with pytest.raises(LinkClosed, match="has ended with status 3"):
                await link.receive()
        finally:
            os.kill(left, signal.SIGKILL)
