"""Fresh processes for the server: bounded in time, and ended with all that they have started.

They are forked from one that has imported the SDK, and FastMCP if the server does, but nothing of the server itself;
where the system can't fork, each imports all anew.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess
from pathlib import Path

from mrtr_adapter.serving.refusal import one_line
from mrtr_adapter.verify.child.main import main
from mrtr_adapter.verify.refusal import CannotVerify
from mrtr_adapter.verify.wire import SAID, Ask, Cannot, Done, Reply, Work

Answering = Callable[[Ask], Reply]
_PRELOADED = ["__main__", "mrtr_adapter.verify.child.main"]
_PRELOADED_FASTMCP = ["mrtr_adapter.fastmcp.binding", "mrtr_adapter.fastmcp.old_names"]
_FASTMCP = re.compile(rb"^\s*(from|import)\s+fastmcp\b", re.MULTILINE)


class TimedOut(Exception):
    """The work has not been done within its time."""


class Broken(Exception):
    """The process has ended without a word; says how."""


def perform(work: Work, output: Path, seconds: float, answering: Answering | None = None) -> Done:
    """Do the work in a fresh process. The time that `answering` takes does not count.

    Raises:
        CannotVerify: the server can't be run.
        TimedOut: it took longer than `seconds`, and was killed.
        Broken: the process has died.
    """
    context = _context(work)
    ours, theirs = context.Pipe()
    process = context.Process(target=main, args=(theirs, str(output)), daemon=True)
    process.start()
    theirs.close()
    try:
        with suppress(BrokenPipeError):
            ours.send_bytes(work.model_dump_json().encode())
        return _heard(ours, process, output, seconds, answering)
    finally:
        ours.close()
        _end(process)


def _context(work: Work) -> SpawnContext | ForkServerContext:
    if sys.platform == "win32":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    wants_fastmcp = _FASTMCP.search(Path(work.file).read_bytes()) is not None
    context.set_forkserver_preload([*_PRELOADED, *_PRELOADED_FASTMCP] if wants_fastmcp else _PRELOADED)
    return context


def _heard(
    pipe: Connection, process: BaseProcess, output: Path, seconds: float, answering: Answering | None
) -> Done:
    deadline = time.monotonic() + seconds
    while True:
        if not pipe.poll(max(deadline - time.monotonic(), 0)):
            raise TimedOut
        try:
            said = SAID.validate_json(pipe.recv_bytes())
        except (EOFError, OSError):
            raise Broken(_how(process, output)) from None
        if isinstance(said, Done):
            return said
        if isinstance(said, Cannot):
            raise CannotVerify(said.reason)
        assert answering is not None
        asked_at = time.monotonic()
        reply = answering(said)
        deadline += time.monotonic() - asked_at
        pipe.send_bytes(reply.model_dump_json().encode())


def _how(process: BaseProcess, output: Path) -> str:
    process.join(1)
    status = process.exitcode
    printed = output.read_text(errors="replace").strip().splitlines() if output.is_file() else []
    last = f"; the last it printed: {printed[-1]}" if printed else ""
    return one_line(f"the process ended by itself (exit status {status}){last}")


def _end(process: BaseProcess) -> None:
    if os.name == "posix" and process.pid is not None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.join()
    process.close()
