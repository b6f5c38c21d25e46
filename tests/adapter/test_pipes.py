"""stdin and stdout as pipes that the event loop waits for."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from mrtr_adapter.serving.pipes import PipeWriter, can_be_waited_for, lines_of

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")]

Pipe = tuple[int, int]


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    ends = os.pipe()
    yield ends
    for end in ends:
        try:
            os.close(end)
        except OSError:
            pass


async def test_lines_come_whole_whatever_pieces_they_were_sent_in(pipe: Pipe) -> None:
    read, write = pipe
    text = "one\nzwölf\n" + "x" * 200_000 + "\n\nlast without an end"
    sent = text.encode()

    def send() -> None:
        for start in range(0, len(sent), 7):
            os.write(write, sent[start : start + 7])
        os.close(write)

    writer = threading.Thread(target=send)
    writer.start()
    received = [line async for line in lines_of(read)]
    writer.join()
    assert received == text.splitlines(keepends=True)


async def test_what_is_larger_than_the_pipe_arrives_as_it_was_written(pipe: Pipe) -> None:
    read, write = pipe
    text = "".join(f"{number} é\n" for number in range(100_000))
    received: list[str] = []

    async def receive() -> None:
        received.extend([line async for line in lines_of(read)])

    async with anyio.create_task_group() as group:
        group.start_soon(receive)
        writer = PipeWriter(write)
        await writer.write(text)
        await writer.flush()
        os.close(write)
    assert "".join(received) == text


async def test_a_reader_that_stalls_does_not_stall_the_event_loop(pipe: Pipe) -> None:
    writer = PipeWriter(pipe[1])
    await writer.write("x" * 1_000_000)
    with anyio.move_on_after(0.1) as scope:
        await writer.flush()
    assert scope.cancelled_caught


async def test_a_reader_that_has_gone_is_an_error(pipe: Pipe) -> None:
    os.close(pipe[0])
    writer = PipeWriter(pipe[1])
    await writer.write("hello")
    with pytest.raises(BrokenPipeError):
        await writer.flush()


async def test_files_are_left_to_threads(pipe: Pipe, tmp_path: Path) -> None:
    with (tmp_path / "file").open("w") as file:
        assert not can_be_waited_for(file.fileno())
    assert can_be_waited_for(pipe[0])
