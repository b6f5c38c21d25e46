"""`--record` writes down what a person answers in the terminal, and verifies it at once."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from adapter.cli.commands import MRTR, environment, written
from adapter.verify.servers import SECONDS, SHOP

PATIENCE = 10
FORM = """
from typing import Literal

from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel, Field

mcp = MCPServer("forms")


class Order(BaseModel):
    size: Literal["small", "large"]
    count: int = Field(ge=1, le=9)
    gift: bool = False
    tags: list[Literal["red", "blue"]] = []
    note: str = ""


@mcp.tool()
async def order(name: str, ctx: Context) -> str:
    asked = await ctx.elicit(f"What, {name}?", Order)
    return str(asked.data.model_dump()) if asked.action == "accept" else asked.action
"""


class Terminal:
    """How a session in the terminal went."""

    def __init__(self, server: str, folder: Path, typed: list[str], *arguments: str) -> None:
        file = written(folder, server)
        self.cases = folder / "cases.json"
        done = subprocess.run(
            [*MRTR, "verify", str(file), "--record", str(self.cases), *arguments],
            input="".join(f"{line}\n" for line in typed),
            env=environment(),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr

    @property
    def written(self) -> list[dict[str, Any]]:
        cases: list[dict[str, Any]] = json.loads(self.cases.read_text())["cases"]
        return cases


def test_answers_become_a_case_that_is_verified(tmp_path: Path) -> None:
    typed = ["accept", "true", "accept", "broken", "refund agreed", "n"]
    terminal = Terminal(SHOP, tmp_path, typed, "--tool", "refund", "--args", '{"invoice": 7}')
    assert terminal.written == [
        {
            "name": "refund agreed",
            "tool": "refund",
            "arguments": {"invoice": 7},
            "answers": [
                {"action": "accept", "content": {"sure": True}},
                {"action": "accept", "content": {"reason": "broken"}},
            ],
        }
    ]
    assert (terminal.status, terminal.out.splitlines()[-1]) == (0, "1 case: 1 equal.")
    assert "The server asks for form: Refund 7?" in terminal.err
    assert "It ends with: Refunded 7." in terminal.err


def test_a_form_is_filled_in_by_its_schema_and_what_does_not_fit_is_asked_again(tmp_path: Path) -> None:
    typed = [
        *("order", "Ada"),  # the tool, and its argument
        *("accept", "medium", "large", "many", "3", "yes", "red,blue", ""),
        *("", "y"),  # the suggested name, and another call
        *("order", "Bo", "decline", "", "n"),
    ]
    terminal = Terminal(FORM, tmp_path, typed)
    assert terminal.status == 0, terminal.err
    first, second = terminal.written
    assert first["answers"][0]["content"] == {
        "size": "large",
        "count": 3,
        "gift": True,
        "tags": ["red", "blue"],
    }
    assert (first["name"], second["name"]) == ("order 1", "order 2")
    assert second["arguments"] == {"name": "Bo"}
    assert "size: small, large: " in terminal.err
    assert "it is one of small, large" in terminal.err
    assert "'many' is no integer" in terminal.err


def test_content_that_breaks_the_schema_is_asked_for_once_more(tmp_path: Path) -> None:
    typed = ["order", "Ada", "accept", "small", "99", "", "", "", "small", "9", "", "", "", "", "n"]
    terminal = Terminal(FORM, tmp_path, typed)
    assert terminal.status == 0, terminal.err
    assert terminal.written[0]["answers"][0]["content"]["count"] == 9
    assert "is not what the form asks for; once more" in terminal.err


def test_what_was_recorded_before_stays_and_an_early_end_is_no_traceback(tmp_path: Path) -> None:
    kept = {"name": "kept", "tool": "refund", "arguments": {"invoice": 1}}
    (tmp_path / "cases.json").write_text(json.dumps({"cases": [kept]}))
    typed = ["decline", "kept", "declined", "y", "refund", "2"]  # and then the end of the input
    terminal = Terminal(SHOP, tmp_path, typed, "--tool", "refund", "--args", '{"invoice": 7}')
    assert [case["name"] for case in terminal.written] == ["kept", "declined"]
    assert terminal.status == 2
    assert "There is a case 'kept' already." in terminal.err
    assert terminal.err.splitlines()[-1].startswith("mrtr verify: interrupted")
    assert "Traceback" not in terminal.err


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_in_a_terminal_the_time_of_the_person_does_not_count(tmp_path: Path) -> None:
    import pty

    file = written(tmp_path, SHOP)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [
            *(*MRTR, "verify", str(file), "--tool", "refund", "--args", '{"invoice": 7}'),
            *("--record", str(tmp_path / "cases.json"), "--timeout", str(PATIENCE)),
        ],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=environment(),
        text=True,
    )
    os.close(theirs)
    try:
        shown = _until(ours, b"Answer")
        time.sleep(PATIENCE + 1)
        os.write(ours, b"decline\n")
        shown += _until(ours, b"Name of this case")
        os.write(ours, b"declined\n")
        _until(ours, b"Another call")
        os.write(ours, b"n\n")
        _drain(ours)
        assert process.wait(SECONDS) == 0
    finally:
        process.kill()
        process.wait()
    assert b"The server asks for form: Refund 7?" in shown
    assert json.loads((tmp_path / "cases.json").read_text())["cases"][0]["answers"] == [{"action": "decline"}]


def _until(terminal: int, text: bytes) -> bytes:
    """What is shown up to this text; the command waits for it with a bound of its own."""
    shown = b""
    while text not in shown:
        part = os.read(terminal, 4096)
        assert part, shown
        shown += part
    return shown


def _drain(terminal: int) -> None:
    try:
        while os.read(terminal, 4096):
            pass
    except OSError:  # the other side is closed
        pass
