"""What can't be run says why, in one line and with status 2, and nothing of it is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from adapter.cli.commands import MRTR, environment, written
from adapter.verify.servers import NO, SECONDS, SHOP, WHY, YES, case, mrtr, report, verify

CASES = json.dumps({"cases": [case("declined", NO)]})


def refused(*arguments: str) -> str:
    """The one line that the command says."""
    ended = mrtr("verify", *arguments)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.count("\n") == 1, ended.err
    return ended.err.removeprefix("mrtr verify: ").rstrip("\n")


def test_a_file_that_can_not_be_imported(tmp_path: Path) -> None:
    cases = str(written(tmp_path, CASES, "cases.json"))
    old = written(tmp_path, "from mcp.server.fastmcp import FastMCP\n", "old.py")
    assert refused(str(old), "--cases", cases).startswith(f"{old} is written for mcp 1.x")
    broken = written(tmp_path, "\n1 / 0\n", "broken.py")
    assert refused(str(broken), "--cases", cases).startswith(f"{broken} line 2 fails with ZeroDivisionError")
    none = written(tmp_path, "", "none.py")
    assert refused(str(none), "--cases", cases).startswith(f"there is no server in {none}")
    shop = str(written(tmp_path, SHOP, "shop.py"))
    assert refused(shop, "--cases", cases, "--rewritten", str(broken)).startswith(f"{broken} line 2 fails")


def test_arguments_that_do_not_go_together(tmp_path: Path) -> None:
    shop, cases = str(written(tmp_path, SHOP)), str(written(tmp_path, CASES, "cases.json"))
    assert refused(shop).startswith("say what to verify")
    assert refused(shop, "--cases", cases, "--tool", "refund").startswith("--cases has cases already")
    assert refused(shop, "--explore", "--args", '{"a": 1}').startswith("--explore finds the arguments itself")
    assert refused(shop, "--answers", cases, "--explore").startswith("--answers is for one call")
    assert refused(shop, "--tool", "refund", "--volatile", "(").startswith(
        "--volatile '(' is no regular expression"
    )
    assert (
        refused(shop, "--tool", "none", "--explore")
        == f"there is no tool none in {shop}: its tools are refund"
    )


def test_one_case_that_can_not_run_does_not_keep_the_others(tmp_path: Path) -> None:
    cases = [
        case("no such tool", tool="sell"),
        case("another kind", {"text": "yes"}),
        case("too few", YES),
        case("fine", NO),
    ]
    told = report(tmp_path, SHOP, cases)
    assert told["status"] == 2
    assert [each["verdict"] for each in told["cases"]] == ["could not run"] * 3 + ["equal"]
    reasons = [each["reason"] for each in told["cases"][:3]]
    assert reasons[0].endswith("its tools are refund")
    assert reasons[1] == (
        "case 'another kind': answer 1 is an answer to sampling, but the question is form: Refund 7?"
    )
    assert reasons[2].startswith("natively 'form: Why?' is asked, and the case has no answer to that")


HANGING = SHOP.replace("    answer =", "    import time; time.sleep(600)\n    answer =")
STARTING = SHOP.replace(
    "    answer =",
    "    import subprocess, sys\n"
    '    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])\n'
    '    Path("FILE").open("a").write(f"{child.pid}\\n")\n'
    "    answer =",
)


def test_a_handler_that_hangs_is_ended_in_time(tmp_path: Path) -> None:
    told = report(tmp_path, HANGING, [case("declined", NO)], "--timeout", "10")
    assert told["status"] == 2
    assert told["cases"][0]["reason"] == "natively: no end within 10 s"


@pytest.mark.skipif(os.name != "posix", reason="process groups are of POSIX")
def test_what_a_handler_has_started_is_ended_with_it(tmp_path: Path) -> None:
    pids = tmp_path / "elsewhere" / "pids"
    pids.parent.mkdir()
    verify(tmp_path, STARTING.replace("FILE", str(pids)), [case("both", YES, WHY)])
    started = [int(line) for line in pids.read_text().split()]
    assert len(started) == 4  # one natively, and one in each of three rounds
    for pid in started:
        wait_until_gone(pid)


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_command_that_is_killed_leaves_no_process(tmp_path: Path) -> None:
    pids = tmp_path / "elsewhere" / "pids"
    pids.parent.mkdir()
    recording = SHOP.replace(
        "    answer =",
        f'    import os, time\n    Path("{pids}").write_text(str(os.getpid()))\n    time.sleep(600)\n    answer =',
    )
    file, cases = written(tmp_path, recording), written(tmp_path, CASES, "cases.json")
    command = subprocess.Popen([*MRTR, "verify", str(file), "--cases", str(cases)], env=environment())
    try:
        deadline = time.monotonic() + SECONDS
        while not (pids.exists() and pids.read_text()):
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        command.send_signal(signal.SIGKILL)
        command.wait()
    wait_until_gone(int(pids.read_text()))


def wait_until_gone(pid: int) -> None:
    deadline = time.monotonic() + SECONDS
    while _runs(pid):
        assert time.monotonic() < deadline, f"{pid} is still there"
        time.sleep(0.05)


def _runs(pid: int) -> bool:
    """Whether the process is there, and not just waiting to be reaped."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        return not Path("/proc").is_dir()
    return state != "Z"


CRASHING = SHOP.replace(
    "    answer =", '    import os\n    print("last words", flush=True)\n    os._exit(3)\n    answer ='
)


def test_a_process_that_dies_is_told_with_its_last_words(tmp_path: Path) -> None:
    told = report(tmp_path, CRASHING, [case("declined", NO)])
    assert told["cases"][0]["reason"] == (
        "natively: the process ended by itself (exit status 3); the last it printed: last words"
    )


LATE_CRASH = SHOP.replace(
    "import BaseModel\n", "import BaseModel\nimport os\nfrom mrtr_adapter.engine.flows import current\n"
).replace("    why =", "    if current.get() is not None:\n        os._exit(4)\n    why =")


def test_a_crash_that_only_the_adapted_run_has_is_a_difference(tmp_path: Path) -> None:
    told = report(tmp_path, LATE_CRASH, [case("both", YES, WHY)])
    assert told["status"] == 1
    result = told["cases"][0]["differences"]["adapted"][0]
    assert (result["native"], result["other"][:37]) == (
        "Refunded 7.",
        "broken: the process ended by itself (",
    )


def test_a_folder_that_is_too_large_to_copy_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mrtr_adapter.serving.target import Target
    from mrtr_adapter.verify import scratch
    from mrtr_adapter.verify.refusal import CannotVerify

    monkeypatch.setattr(scratch, "MAX_FILES", 3)
    source = scratch.Source.of(Target.parse(str(written(tmp_path, SHOP))))
    for name in ("a", "b"):
        (tmp_path / name).touch()
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "c").touch()
    source.copy(tmp_path / ".." / "fits")
    (tmp_path / "d").touch()
    with pytest.raises(CannotVerify, match="has more than 3 files"):
        source.copy(tmp_path / ".." / "too large")
