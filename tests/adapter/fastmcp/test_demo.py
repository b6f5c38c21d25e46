"""`mrtr demo --fastmcp`: the same promise, held by a server that was written for FastMCP."""

from __future__ import annotations

import subprocess
import sys

import pytest
from click.testing import CliRunner

from mrtr_adapter.cli import demo as command
from mrtr_adapter.cli import mrtr


def test_it_is_held() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "mrtr_adapter.cli", "demo", "--fastmcp"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "@" not in run.stdout
    assert "response_type=Sure" in run.stdout
    assert "SIGKILL" in run.stdout
    assert run.stdout.count("refused: -32602") == 3
    assert "All of it held" in run.stdout


def test_where_fastmcp_is_missing_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "find_spec", lambda _: None)
    run = CliRunner().invoke(mrtr, ["demo", "--fastmcp"])
    assert run.exit_code == 2
    assert "pip install 'mrtr[fastmcp]'" in run.output
