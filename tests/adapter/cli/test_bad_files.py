"""Whatever file a command is given, and however broken it is: lines that name it and say what is wrong; status 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapter.cli.commands import SHOP, mrtr, written

TOKENS = ("--issuer", "https://login.example.com", "--audience", "desk", "--http", "127.0.0.1:0")
OPTIONS: dict[str, tuple[str, ...]] = {
    "run --keys-file": ("run", "server.py", "--keys-file", "FILE"),
    "wrap --keys-file": ("wrap", "--keys-file", "FILE", "--", "python", "server.py"),
    "wrap --config": ("wrap", "--http", "127.0.0.1:0", "--config", "FILE"),
    "wrap --jwks": ("wrap", *TOKENS, "--jwks", "FILE", "--", "python", "server.py"),
    "verify --cases": ("verify", "server.py", "--cases", "FILE"),
    "verify --answers": ("verify", "server.py", "--tool", "sell", "--answers", "FILE"),
    "verify --record": ("verify", "server.py", "--tool", "sell", "--record", "FILE"),
}
NO_SYNTAX = {"--keys-file"}
"""Whatever text they hold are keys, of which one is too short."""
KINDS = ("missing", "folder", "no text", "no syntax")
CASES = [
    (option, kind)
    for option in OPTIONS
    for kind in KINDS
    if (option, kind) != ("verify --record", "missing")  # it is made
]


@pytest.mark.parametrize(("option", "kind"), CASES)
def test_a_file_that_can_not_be_used_is_told_by_name(option: str, kind: str, tmp_path: Path) -> None:
    written(tmp_path, SHOP)
    file = tmp_path / "given.txt"
    if kind == "folder":
        file.mkdir()
    elif kind == "no text":
        file.write_bytes(b"# first\n\xff\xfe")
    elif kind == "no syntax":
        file.write_text('\n\n{"a" 7}')
    ended = mrtr(*(word.replace("FILE", "given.txt") for word in OPTIONS[option]), cwd=tmp_path)
    command, _, name = option.partition(" ")
    line = ended.line
    assert (ended.status, ended.out) == (2, "")
    assert line.startswith(f"mrtr {command}: ")
    assert "given.txt" in line
    assert "Errno" not in line
    assert kind == "no syntax" or f"{name} given.txt" in line
    if kind == "no text":
        assert "line 2: this is no text in UTF-8" in line
    elif kind == "no syntax" and name not in NO_SYNTAX:
        assert "line 3" in line
