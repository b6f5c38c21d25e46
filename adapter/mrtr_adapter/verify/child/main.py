"""The entry of a fresh process: does one piece of work and says how it went."""

from __future__ import annotations

import logging
import os
import signal
import sys
import tempfile
import threading
import warnings
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from mrtr_adapter.fastmcp import is_fastmcp
from mrtr_adapter.sealing.keys import ENVIRONMENT
from mrtr_adapter.serving.job import Job
from mrtr_adapter.serving.module import import_file
from mrtr_adapter.serving.refusal import CannotServe, told
from mrtr_adapter.serving.servers import find_server
from mrtr_adapter.serving.stdio import entered
from mrtr_adapter.serving.target import Target
from mrtr_adapter.verify.child import modern, native, observer
from mrtr_adapter.verify.child.lines import tracing
from mrtr_adapter.verify.wire import SAID, Ask, Cannot, Done, Reply, Said, Work

if TYPE_CHECKING:
    from mrtr_adapter.serving.servers import AnyServer


def main(pipe: Connection, output: str) -> None:
    """Do the work that comes through `pipe`. What the server prints goes to the file `output`."""
    if os.name == "posix":
        os.setsid()  # so that it can be ended with all that it starts
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _redirect(output)
    work = Work.model_validate_json(pipe.recv_bytes())
    try:
        said: Said = _done(work, pipe)
    except CannotServe as error:
        said = Cannot(reason=str(error))
    except BaseException as error:
        said = Cannot(reason=f"{Path(work.file).name} can't be run: {told(error)}")
    logging.shutdown()
    sys.stdout.flush()
    _say(pipe, said)
    os._exit(0)  # not waiting for threads that the server has left behind


def _done(work: Work, pipe: Connection) -> Done:
    _settle_in(work)
    target = Target(Path(work.file), work.object)
    with tracing(work) as arcs:
        server = _served(target, native=work.kind == "native")
        done = anyio.run(_run, server, work, pipe)
    done.seen.arcs = arcs()
    return done


def _settle_in(work: Work) -> None:
    os.chdir(work.folder)
    os.environ[ENVIRONMENT] = work.key
    os.environ.update(dict.fromkeys(("TMPDIR", "TEMP", "TMP"), work.temporary))
    tempfile.tempdir = work.temporary  # found out on the first use, by writing there
    sys.dont_write_bytecode = True
    warnings.simplefilter("ignore")


def _served(target: Target, *, native: bool) -> AnyServer:
    """The file's server, adapted. Natively only one of FastMCP is: FastMCP 4 lacks what handlers for 2 and 3 call."""
    server = find_server(import_file(target.path), target)
    if native and not is_fastmcp(server):
        return server
    return Job(target).adapting(server)


async def _run(server: AnyServer, work: Work, pipe: Connection) -> Done:
    async with entered(server) as low:
        watching = observer.Observer()
        low.middleware.append(watching)
        observer.install()
        if work.kind == "catalog":
            return await modern.catalog(low)
        if work.kind == "round":
            return await modern.one_round(low, work, watching)
        return await native.call(low, work, watching, lambda ask: _consult(pipe, ask))


def _consult(pipe: Connection, ask: Ask) -> Reply:
    _say(pipe, ask)
    return Reply.model_validate_json(pipe.recv_bytes())


def _say(pipe: Connection, said: Said) -> None:
    pipe.send_bytes(SAID.dump_json(said))


def _redirect(output: str) -> None:
    file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.close(file)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        if os.name == "posix":
            os.killpg(0, signal.SIGKILL)
        os._exit(1)
