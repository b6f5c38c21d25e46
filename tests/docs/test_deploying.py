"""docs/deploying.md: its nginx.conf in front of two instances with a key and a Redis in common."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Literal

import httpx2
import pytest
from mcp import Client
from mcp.types import ElicitResult

from docs.blocks import blocks
from interop.serving import free_port
from mrtr_adapter.sealing.keys import new_key
from needs import needs

pytestmark = pytest.mark.anyio

SERVER = Path(__file__).with_name("trees") / "desk" / "server.py"
INSTANCES = ("instance1", "instance2")
STICKY = "hash $remote_addr consistent;"
SECONDS = 60


def page(port: int, instances: dict[str, int]) -> str:
    """The page's nginx.conf with these ports."""
    (text,) = [block.text for block in blocks("docs/deploying.md") if block.language == "nginx"]
    assert "listen 8080;" in text
    text = text.replace("listen 8080;", f"listen 127.0.0.1:{port};")
    for name, there in instances.items():
        assert f"server {name}:8000;" in text
        text = text.replace(f"server {name}:8000;", f"server 127.0.0.1:{there};")
    return text


@contextmanager
def process(command: list[str], log: Path, port: int, **more: Any) -> Iterator[None]:
    """A process that listens on that port."""
    with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=output, **more) as started:
        try:
            deadline = time.monotonic() + SECONDS
            while not _listens(port):
                assert started.poll() is None, log.read_text()
                assert time.monotonic() < deadline, log.read_text()
                time.sleep(0.05)
            yield
        finally:
            started.terminate()


def _listens(port: int) -> bool:
    try:
        httpx2.get(f"http://127.0.0.1:{port}/")
    except httpx2.TransportError:
        return False
    return True


@contextmanager
def deployed(folder: Path, *, sticky: bool = False) -> Iterator[str]:
    """The URL at nginx, which writes the address of the instance that it asked into FOLDER/access.log."""
    nginx, redis = needs("nginx"), needs("redis")
    environment = {**os.environ, "MRTR_KEYS": new_key()}
    instances = {name: free_port() for name in INSTANCES}
    port = free_port()
    text = page(port, instances)
    if sticky:
        text = text.replace("        server 127.0.0.1", f"        {STICKY}\n        server 127.0.0.1", 1)
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in _TEMPORARY)
    log_format = f"log_format upstream '$upstream_addr';\naccess_log {folder}/access.log upstream;\n"
    (folder / "nginx.conf").write_text(text.replace("http {", f"http {{\n{log_format}{temporary}", 1))
    with ExitStack() as stack:
        for name, there in instances.items():
            run = [sys.executable, "-m", "mrtr_adapter.cli", "run", str(SERVER), "--store", redis]
            command = [*run, "--single-use", "pay", "--http", f"0.0.0.0:{there}"]
            stack.enter_context(process(command, folder / f"{name}.log", there, env=environment))
        main = f"daemon off; pid {folder}/nginx.pid;" + (" user root;" if os.geteuid() == 0 else "")
        log = folder / "nginx.log"
        command = [nginx, "-p", str(folder), "-e", str(log), "-c", str(folder / "nginx.conf"), "-g", main]
        stack.enter_context(process(command, folder / "nginx.out", port))
        yield f"http://127.0.0.1:{port}/mcp"


_TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


async def paid(url: str, amount: int, mode: Literal["2026-07-28", "legacy"]) -> str:
    async def accept(*_: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"ok": True})

    async with Client(url, mode=mode, elicitation_callback=accept) as client:
        result: Any = await client.call_tool("pay", {"amount": amount})
        return str(result.content[0].text)


async def test_rounds_go_to_every_instance_and_none_fails(tmp_path: Path) -> None:
    with deployed(tmp_path) as url:
        assert [await paid(url, n, "2026-07-28") for n in range(6)] == [f"{n}: accept" for n in range(6)]
    asked = [line for line in (tmp_path / "access.log").read_text().splitlines() if line.startswith("127.")]
    assert len(set(asked)) == len(INSTANCES)
    assert all(asked.count(instance) > 1 for instance in asked)


async def test_older_clients_are_served_if_they_are_kept_at_an_instance(tmp_path: Path) -> None:
    assert f"`{STICKY}`" in Path("docs/deploying.md").read_text()
    with deployed(tmp_path, sticky=True) as url:
        assert [await paid(url, n, "legacy") for n in range(4)] == [f"{n}: accept" for n in range(4)]
