"""`mrtr --help` is cheap: it imports neither of the heavy libraries, and no subcommand."""

from __future__ import annotations

import json
import subprocess
import sys

from adapter.cli.commands import mrtr

SHOW_HELP = """
import json, sys
from click.testing import CliRunner
from mrtr_adapter.cli import mrtr
shown = CliRunner().invoke(mrtr, ARGUMENTS)
print(json.dumps({"status": shown.exit_code, "text": shown.output, "modules": sorted(sys.modules)}))
"""


def loaded_by(*arguments: str) -> tuple[str, set[str]]:
    """What a command prints in a fresh process, and the top-level packages that it imported."""
    script = SHOW_HELP.replace("ARGUMENTS", repr(list(arguments)))
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    shown = json.loads(run.stdout)
    assert shown["status"] == 0
    return shown["text"], {module.partition(".")[0] for module in shown["modules"]}


def test_help_imports_neither_mcp_nor_libcst() -> None:
    text, packages = loaded_by("--help")
    assert {"run", "keygen", "demo"} <= set(text.split())
    assert not packages & {"mcp", "mcp_types", "libcst", "pydantic", "anyio", "cryptography", "uvicorn"}


def test_keygen_does_not_import_mcp() -> None:
    text, packages = loaded_by("keygen")
    assert text.startswith("mrtr_")
    assert not packages & {"mcp", "mcp_types", "libcst"}


def test_run_does_not_import_libcst() -> None:
    _, packages = loaded_by("run", "--help")
    assert "mcp" in packages
    assert "libcst" not in packages


def test_help_of_run_says_what_workers_mean_for_old_sessions() -> None:
    shown = " ".join(mrtr("run", "--help").out.split())
    assert "Their sessions live in the process that they began in" in shown
