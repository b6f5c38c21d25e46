"""What every store promises, held against each of them: memory, SQLite and a real Redis."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import pytest

from mrtr_adapter.stores import Store, StoreError, open_store
from mrtr_adapter.stores.memory import MemoryStore
from needs import needs

KINDS = ["memory", "sqlite", "redis"]


def url_of(kind: str, folder: Path) -> str:
    if kind == "redis":
        return needs("redis")
    return "memory:" if kind == "memory" else f"sqlite:///{folder / 'store.db'}"


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    opened = open_store(url_of(request.param, tmp_path))
    yield opened
    opened.close()


@pytest.fixture
def key() -> str:
    return f"test:{uuid4()}"


def test_what_is_written_is_read_until_it_expires(store: Store, key: str) -> None:
    assert store.read(key) is None
    store.write(key, b"\0\xffone", 60)
    assert store.read(key) == b"\0\xffone"
    store.write(key, b"two", 1.5)
    assert store.read(key) == b"two"
    time.sleep(1.6)
    assert store.read(key) is None


def test_a_swap_happens_only_from_what_is_expected(store: Store, key: str) -> None:
    assert store.swap(key, b"something", b"new", 60) is None
    assert store.read(key) is None
    assert store.swap(key, None, b"first", 60) is None
    assert store.read(key) == b"first"
    assert store.swap(key, None, b"second", 60) == b"first"
    assert store.swap(key, b"other", b"second", 60) == b"first"
    assert store.read(key) == b"first"
    assert store.swap(key, b"first", b"second", 60) == b"first"
    assert store.read(key) == b"second"


def test_a_swap_to_nothing_removes(store: Store, key: str) -> None:
    store.write(key, b"claim", 60)
    assert store.swap(key, b"other", None, 60) == b"claim"
    assert store.swap(key, b"claim", None, 60) == b"claim"
    assert store.read(key) is None


def test_a_swap_that_is_sent_again_succeeds_again(store: Store, key: str) -> None:
    assert store.swap(key, None, b"mine", 60) is None
    assert store.swap(key, None, b"mine", 60) is None
    assert store.swap(key, b"mine", None, 60) == b"mine"
    assert store.swap(key, b"mine", None, 60) == b"mine"


def test_an_empty_value_is_not_nothing(store: Store, key: str) -> None:
    store.write(key, b"", 60)
    assert store.read(key) == b""
    assert store.swap(key, None, b"x", 60) == b""
    assert store.swap(key, b"", b"x", 60) == b""
    assert store.read(key) == b"x"


def test_a_swap_into_an_expired_entry_finds_nothing(store: Store, key: str) -> None:
    store.write(key, b"old", 0.05)
    time.sleep(0.1)
    assert store.swap(key, None, b"new", 60) is None
    assert store.read(key) == b"new"


def test_of_two_hundred_threads_that_swap_at_once_one_wins(store: Store, key: str) -> None:
    with ThreadPoolExecutor(50) as threads:
        found = list(threads.map(lambda n: store.swap(key, None, f"claim {n}".encode(), 60), range(200)))
    assert found.count(None) == 1
    winner = store.read(key)
    assert all(value in (None, winner) for value in found)


_RACE = """
import sys
from mrtr_adapter.stores import open_store
store = open_store(sys.argv[1])
won = 0
for number in range(100):
    won += store.swap(f"{sys.argv[2]}:{number}", None, sys.argv[3].encode(), 60) is None
print(won)
"""


@pytest.mark.parametrize("kind", ["sqlite", "redis"])
def test_processes_that_race_for_a_hundred_keys_win_each_of_them_once(
    kind: str, tmp_path: Path, key: str
) -> None:
    url = url_of(kind, tmp_path)
    racers = [
        subprocess.Popen([sys.executable, "-c", _RACE, url, key, str(n)], stdout=subprocess.PIPE, text=True)
        for n in range(4)
    ]
    won = [int(racer.communicate(timeout=60)[0]) for racer in racers]
    assert sum(won) == 100


@pytest.mark.parametrize("kind", ["sqlite", "redis"])
def test_another_process_sees_what_was_stored_and_memory_says_that_it_does_not_share(
    kind: str, tmp_path: Path, key: str
) -> None:
    first, second = (open_store(url_of(kind, tmp_path)) for _ in range(2))
    first.write(key, b"shared", 60)
    assert second.read(key) == b"shared"
    assert first.shared
    assert not open_store("memory:").shared


def test_memory_gives_back_the_room_of_what_has_expired() -> None:
    store = MemoryStore()
    for number in range(20_000):
        store.write(str(number), b"x", 0.0)
    assert len(store._kept) < 2_000


def test_sqlite_gives_back_the_room_of_what_has_expired(tmp_path: Path) -> None:
    import sqlite3

    store = open_store(url_of("sqlite", tmp_path))
    for number in range(600):
        store.write(str(number), b"x", 0.0)
    store.close()
    with sqlite3.connect(tmp_path / "store.db") as connection:
        assert connection.execute("SELECT count(*) FROM mrtr").fetchone()[0] < 300


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "use memory:, sqlite:///FILE or redis://HOST:PORT/DB"),
        ("memcached://host", "use memory:, sqlite:///FILE or redis://HOST:PORT/DB"),
        ("memory:something", "use memory:"),
        ("sqlite:", "names no file"),
        ("sqlite:///", "names no file"),
        ("sqlite:////no/such/folder/store.db", "can't be used: unable to open database file"),
        ("redis://:secret@host:port/0", "redis://…@host:port/0 is no address of a Redis"),
    ],
)
def test_a_url_that_is_no_store_is_refused_and_no_password_shown(url: str, said: str) -> None:
    with pytest.raises(ValueError) as caught:
        open_store(url)
    assert said in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "store.db").write_text("something else, and long enough for a header of a database " * 4)
    with pytest.raises(ValueError, match="file is not a database"):
        open_store(url_of("sqlite", tmp_path))


def test_a_redis_that_is_not_there_fails_within_its_time() -> None:
    pytest.importorskip("redis")
    store = open_store("redis://127.0.0.1:1/0")
    operations: list[Callable[[], object]] = [
        lambda: store.read("a"),
        lambda: store.write("a", b"", 1),
        lambda: store.swap("a", None, b"", 1),
    ]
    for operation in operations:
        began = time.monotonic()
        with pytest.raises(StoreError, match="the Redis store can't be used"):
            operation()
        assert time.monotonic() - began < 5


def test_the_client_of_redis_is_imported_only_when_one_is_opened() -> None:
    looked = subprocess.run(
        [sys.executable, "-c", "import mrtr_adapter.binding.adapt, sys; print('redis' in sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert looked.stdout.strip() == "False"
