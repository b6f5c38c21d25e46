"""The definition that pre-commit reads."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from mrtr_adapter.cli import mrtr

ROOT = Path(__file__).parents[3]


def test_the_hook_runs_a_command_that_exists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    program, *arguments = shlex.split(hook["entry"])
    monkeypatch.chdir(tmp_path)
    assert (hook["id"], hook["language"], program) == ("mrtr-lint", "python", "mrtr")
    assert CliRunner().invoke(mrtr, arguments).exit_code == 0
