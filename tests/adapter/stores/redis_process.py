"""A real Redis of a test's own, which may be killed, paused and emptied."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from needs import needs

_START_SECONDS = 20.0


class RedisProcess:
    """One `redis-server` on a free port, with an append-only file, so that it survives its own death."""

    def __init__(self, folder: Path, *more: str) -> None:
        self._folder = folder
        self._more = more
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def url(self) -> str:
        """With short times, so that a test of a Redis that is down does not take long."""
        return f"redis://127.0.0.1:{self.port}/0?socket_timeout=0.5&socket_connect_timeout=0.5"

    def start(self) -> None:
        options = f"--bind 127.0.0.1 --port {self.port} --save --appendonly yes --appendfsync always".split()
        options.insert(options.index("--save") + 1, "")
        self._process = subprocess.Popen(
            ["redis-server", *options, *self._more, "--dir", str(self._folder)], stdout=subprocess.DEVNULL
        )
        client, end = Redis(port=self.port), time.monotonic() + _START_SECONDS
        while True:
            try:
                client.ping()
                client.close()
                return
            except RedisError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.02)

    def kill(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)
        self._process.kill()
        self._process.wait()

    def pause(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def flush(self) -> None:
        with Redis(port=self.port) as client:
            client.flushall()


@contextmanager
def redis_process(folder: Path, *more: str) -> Iterator[RedisProcess]:
    """`more` are options of `redis-server`."""
    needs("redis")
    running = RedisProcess(folder, *more)
    try:
        yield running
    finally:
        running.kill()
