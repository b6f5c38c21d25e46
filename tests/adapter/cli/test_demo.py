"""`mrtr demo` holds what it shows: it fails if anything of it does not hold, and leaves nothing behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from adapter.cli.commands import MRTR, SECONDS, Ended, environment, mrtr, written
from mrtr_adapter.cli.demo import SAMPLE
from mrtr_adapter.demo.albums import Albums
from mrtr_adapter.demo.instance import running
from mrtr_adapter.demo.promise import NotHeld
from mrtr_adapter.demo.story import ALBUM, OTHER_ALBUM, Story

LAST_LINE = "Your own server: "


@pytest.fixture(scope="module")
def shown() -> str:
    ended = mrtr("demo")
    assert ended.status == 0, ended.err
    assert ended.err == ""
    assert LAST_LINE in ended.out.splitlines()[-1]
    return ended.out


def test_rounds_are_served_by_two_processes(shown: str) -> None:
    first, second = re.findall(r"[AB] \(process (\d+)\)", shown.partition("\nRound 1")[0])
    calls = re.findall(r"Alice's client -> ([AB]) \(process (\d+)\)", shown)
    assert calls == [("A", first), ("B", second), ("B", second)]
    assert f"SIGKILL -> A (process {first})" in shown


def test_state_travels_as_it_came_and_is_sealed(shown: str) -> None:
    states = re.findall(r"requestState (mr1\.\S+ \(\d+ characters\))(, as it came)?", shown)
    assert [bool(echoed) for _, echoed in states] == [False, True, False, True]
    assert states[0][0] == states[1][0] != states[2][0] == states[3][0]


def test_nothing_is_deleted_before_both_answers_are_in(shown: str) -> None:
    assert re.findall(r"photos left +(\d+)", shown) == ["3", "3", "3", "0"]
    assert shown.count("refused: -32602 Invalid or expired requestState") == 3


def test_no_colour_codes_outside_a_terminal(shown: str) -> None:
    assert "\x1b" not in shown
    assert max(map(len, shown.splitlines())) <= 100


def test_leaves_no_files_and_no_processes(tmp_path: Path) -> None:
    for number in (None, signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
        ended = demo_under(number, {**environment(), "TMPDIR": str(tmp_path)})
        if number is None:
            assert ended.status == 0
        elif LAST_LINE not in ended.out:  # where this machine is busy, the signal may come too late
            assert ended.status != 0
        if number is not signal.SIGKILL:  # nobody can tidy up after that
            assert list(tmp_path.iterdir()) == []
        await_no_process_with(f"TMPDIR={tmp_path}")


def demo_under(number: signal.Signals | None, environment: dict[str, str]) -> Ended:
    """A demo that gets this signal when it has killed its first server."""
    shown = ""
    with subprocess.Popen([*MRTR, "demo"], env=environment, stdout=-1, stderr=-1, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            shown += line
            if number is not None and "SIGKILL" in line:
                process.send_signal(number)
        return Ended(process.wait(SECONDS), shown, "")


def await_no_process_with(variable: str) -> None:
    """Return when no process has this in its environment any more (on Linux, where one can look)."""
    deadline = time.monotonic() + 20
    while any(variable in started_with(folder) for folder in Path("/proc").glob("[0-9]*")):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def started_with(process: Path) -> list[str]:
    try:
        return (process / "environ").read_text(errors="replace").split("\0")
    except OSError:
        return []


BROKEN = {
    "asks once only": (
        "    typed = await ctx.elicit",
        "    typed = sure if True else await ctx.elicit",
        "was to ask 'typed'",
    ),
    "deletes before it asks": (
        "    sure = await",
        "    photos[0].unlink()\n    sure = await",
        "photos were deleted before both answers were in",
    ),
    "takes anybody's state": (
        'MCPServer(\n    "albums",',
        'MCPServer(\n    "albums", request_state_security=shared_by_all,',
        "Alice's state, sent by Bob",
    ),
    "deletes too little": ("photo.unlink()", "...", "photos are left"),
    "does not start": ("server = ", "server = None.", "did not start"),
}

SHARED_BY_ALL = """
from mcp.server.request_state import RequestStateSecurity
shared_by_all = RequestStateSecurity(keys=[os.environ["MRTR_KEYS"]], bind_principal=None)
"""


@pytest.mark.parametrize("fault", BROKEN)
async def test_story_does_not_hold_with_a_server_that(fault: str, tmp_path: Path) -> None:
    old, new, says = BROKEN[fault]
    text = SAMPLE.read_text().replace("import os\n", f"import os\n{SHARED_BY_ALL}", 1)
    assert old in text
    server = written(tmp_path, text.replace(old, new, 1))
    story = Story(Albums(tmp_path / "albums", ALBUM, OTHER_ALBUM))
    with (
        pytest.raises(NotHeld, match=re.escape(says)),
        running(server, "A", "B", environment=story.environment) as (first, second),
    ):
        await story.unfold(first, second)


pytestmark = pytest.mark.skipif(os.name != "posix", reason="looks for POSIX signals and /proc")
