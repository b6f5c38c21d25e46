"""A store in Redis, for the instances of a fleet.

Each operation is one command on one key, so it works in a cluster, and takes one round trip. What was acknowledged
lasts as long as that Redis keeps it: `appendonly yes` for one that may be restarted, `noeviction` for one that may
fill up.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar, cast

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from mrtr_adapter.stores import StoreError

ResultT = TypeVar("ResultT")

_PREFIX = "mrtr:"
_TIMEOUT_SECONDS = 2.0

# Flags tell nothing from an empty value. A swap that was sent again, because the reply to the first one was
# lost, finds its own value there.
_SWAP = """
local found = redis.call('GET', KEYS[1])
if (ARGV[1] == '1' and found == ARGV[2]) or (ARGV[1] == '0' and not found) then
  return {1, false}
end
if (ARGV[3] == '1' and found == ARGV[4]) or (ARGV[3] == '0' and not found) then
  if ARGV[1] == '1' then
    redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[5])
  else
    redis.call('DEL', KEYS[1])
  end
  return {1, false}
end
return {0, found}
"""


class RedisStore:
    """Keeps entries in the Redis at `url`, as `redis://[USER:PASSWORD@]HOST:PORT/DB`.

    It connects when it is first used. An operation waits two seconds at most for each of two attempts; other times can
    be given in the URL (`?socket_timeout=0.5&socket_connect_timeout=0.5`).

    Raises:
        ValueError: the URL is none of Redis.
    """

    blocking = True
    shared = True

    def __init__(self, url: str) -> None:
        self._client = Redis.from_url(
            url,
            socket_timeout=_TIMEOUT_SECONDS,
            socket_connect_timeout=_TIMEOUT_SECONDS,
            # Once more, for a pooled connection that a restart of the server has cut.
            retry=Retry(NoBackoff(), 1),
        )

    def read(self, key: str) -> bytes | None:
        return self._run(lambda: cast("bytes | None", self._client.get(_PREFIX + key)))

    def write(self, key: str, value: bytes, seconds: float) -> None:
        self._run(lambda: self._client.set(_PREFIX + key, value, px=_milliseconds(seconds)))

    def swap(self, key: str, expected: bytes | None, value: bytes | None, seconds: float) -> bytes | None:
        wanted = ("0", b"") if value is None else ("1", value)
        before = ("0", b"") if expected is None else ("1", expected)
        arguments = (_PREFIX + key, *wanted, *before, _milliseconds(seconds))
        swapped, found = self._run(
            lambda: cast("tuple[int, bytes | None]", self._client.eval(_SWAP, 1, *arguments))
        )
        return expected if swapped else found

    def close(self) -> None:
        self._client.close()

    def _run(self, command: Callable[[], ResultT]) -> ResultT:
        try:
            return command()
        except (RedisError, OSError) as error:
            raise StoreError(f"the Redis store can't be used: {error}") from error


def _milliseconds(seconds: float) -> int:
    return max(1, math.ceil(seconds * 1000))
