"""An old server as a process: what is said of one that can't be spoken with any more."""

from __future__ import annotations

import sys

import anyio
import pytest

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
