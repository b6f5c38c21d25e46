"""Several processes that serve on one port."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import sys
import threading
from functools import partial
from inspect import signature
from multiprocessing.connection import wait
from typing import Any

from starlette.types import ASGIApp
from uvicorn import Config, Server
from uvicorn.supervisors import Multiprocess

from mrtr_adapter.serving.http import STARTUP_FAILURE, application, settings
from mrtr_adapter.serving.job import Job
from mrtr_adapter.serving.refusal import CannotServe
from mrtr_adapter.serving.startup import Startup

logger = logging.getLogger("mrtr")


def serve_by_workers(job: Job, host: str, sockets: list[socket.socket], count: int) -> None:
    """Serve by `count` processes until SIGTERM or SIGINT. A worker that dies is replaced."""
    config = settings(partial(_in_worker, job, host), factory=True, workers=count)
    Multiprocess(config, sockets=sockets, **_older_arguments(config)).run()


def _older_arguments(config: Config) -> dict[str, Any]:
    """What an older uvicorn wants to be told as well; `mcp` takes any from 0.31.1."""
    return {"target": Server(config).run} if "target" in signature(Multiprocess).parameters else {}


def _in_worker(job: Job, host: str) -> ASGIApp:
    """Make the application in a process of its own, which imports the file anew."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        return Startup(application(job.adapted(), host), _ready, logger.error)
    except CannotServe as error:
        print(f"mrtr run: {error}", file=sys.stderr)
        sys.exit(STARTUP_FAILURE)  # the supervisor does not start it again


def _ready() -> None:
    logger.info("worker %d is ready", os.getpid())


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)
