"""Effects above an ask are seen and named; what is no effect of the handler is not."""

from __future__ import annotations

import logging
import os
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import anyio
import pytest
from mcp.server.mcpserver import Context

from adapter.rounds import YES, always, call, play_tool
from adapter.servers import Ok, serving
from mrtr_adapter.engine import effects

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def _nothing_reported_yet() -> Iterator[None]:
    effects._reported.clear()
    yield
    effects._reported.clear()


def above_an_ask(effect: Callable[[], object]) -> Callable[[Context], object]:
    async def handler(ctx: Context) -> str:
        effect()
        return (await ctx.elicit("Sure?", Ok)).action

    return handler


async def warned(effect: Callable[[], object], caplog: pytest.LogCaptureFixture) -> str:
    with caplog.at_level(logging.WARNING, "mrtr"):
        assert (await play_tool(serving(above_an_ask(effect)), "tool", always(YES))).text == "accept"
    return "\n".join(record.getMessage() for record in caplog.records if record.name == "mrtr")


def _listening() -> socket.socket:
    server = socket.create_server(("127.0.0.1", 0))
    server.listen()
    return server


SEEN: dict[str, Callable[[Path], object]] = {
    "open": lambda p: (p / "new").write_text("x"),
    "os.mkdir": lambda p: (p / "folder").mkdir(exist_ok=True),
    "os.rename": lambda p: [(p / "a").touch(), (p / "a").rename(p / "b")],
    "os.remove": lambda p: [(p / "c").touch(), (p / "c").unlink()],
    "sqlite3.connect": lambda p: sqlite3.connect(p / "db").close(),
    "subprocess.Popen": lambda p: subprocess.run([sys.executable, "-c", ""], check=True),
    "os.system": lambda p: os.system("true"),
}


@pytest.mark.parametrize("event", SEEN)
async def test_an_effect_above_an_ask_is_named_with_its_line(
    event: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    text = await warned(lambda: SEEN[event](tmp_path), caplog)
    assert "tools/call tool did" in text
    assert event in text
    assert "(test_effects.py:" in text
    assert text.count("before it had its answer") == 1


async def test_a_connection_above_an_ask_is_named(caplog: pytest.LogCaptureFixture) -> None:
    with _listening() as server:
        text = await warned(lambda: socket.create_connection(server.getsockname()).close(), caplog)
    assert "socket.connect (test_effects.py:" in text
    assert "127.0.0.1" not in text


async def test_an_effect_in_a_thread_is_the_handlers_own(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def handler(ctx: Context) -> str:
        await anyio.Path(tmp_path / "new").write_text("x")
        return (await ctx.elicit("Sure?", Ok)).action

    with caplog.at_level(logging.WARNING, "mrtr"):
        await play_tool(serving(handler), "tool", always(YES))
    assert "open" in caplog.text


INNOCENT: dict[str, Callable[[Path], object]] = {
    "reading": lambda p: Path(__file__).read_text(),
    "listing": lambda p: list(p.iterdir()),
    "importing": lambda p: __import__("colorsys"),
    "logging to a file": lambda p: _log_to(p / "log"),
}


def _log_to(path: Path) -> None:
    logger = logging.getLogger("some.handler")
    handler = logging.FileHandler(path, delay=True)
    logger.addHandler(handler)
    try:
        logger.error("something")
    finally:
        logger.removeHandler(handler)
        handler.close()


@pytest.mark.parametrize("what", INNOCENT)
async def test_what_is_no_effect_is_not_named(
    what: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert "before it had its answer" not in await warned(lambda: INNOCENT[what](tmp_path), caplog)


async def test_effects_below_the_last_ask_are_not_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def handler(ctx: Context) -> str:
        answer = await ctx.elicit("Sure?", Ok)
        (tmp_path / "new").write_text("x")
        return answer.action

    with caplog.at_level(logging.WARNING, "mrtr"):
        await play_tool(serving(handler), "tool", always(YES))
    assert "before it had its answer" not in caplog.text


async def test_a_handler_is_warned_of_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    handler = above_an_ask(lambda: (tmp_path / "new").write_text("x"))
    with caplog.at_level(logging.WARNING, "mrtr"):
        for _ in range(3):
            await call(serving(handler)(), "tool")
    assert caplog.text.count("before it had its answer") == 1


async def test_a_worker_that_a_handler_left_behind_is_not_stopped(tmp_path: Path) -> None:
    """A pool that is started in a first call outlives it; what it does later is nobody's unwinding."""
    import asyncio

    go, workers = asyncio.Event(), []

    async def work() -> None:
        await go.wait()
        (tmp_path / "later").write_text("x")

    async def handler(ctx: Context) -> str:
        workers.append(asyncio.create_task(work()))
        return (await ctx.elicit("Sure?", Ok)).action

    await call(serving(handler)(), "tool")
    go.set()
    await workers[0]
    assert (tmp_path / "later").exists()
