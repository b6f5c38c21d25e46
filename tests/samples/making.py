"""Makes what stands beside the samples' servers: what the rewrite makes of each, and what the lint says.

    python tests/samples/making.py

writes all of it anew.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

SAMPLES = Path(__file__).parents[2] / "samples"
NAMES = sorted(file.parent.name for file in SAMPLES.glob("*/server.py"))


def made(name: str) -> Mapping[str, str]:
    """The files that belong beside a server, by name, as they come out now."""
    source = SAMPLES / name / "server.py"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch).resolve()
        server = folder / "server.py"
        shutil.copy(source, server)
        files = {"lint.md": _output("lint", "--format", "markdown", "--fail-on", "never", cwd=folder)}
        _output("rewrite", "--sdk-only", "--write", "server.py", cwd=folder)
        if server.read_text() != source.read_text():
            files["upgraded.py"] = server.read_text()
            shutil.copy(source, server)
        _output("rewrite", "--unsafe", "--write", "server.py", cwd=folder)
        files["rewritten.py"] = server.read_text()
        return files | {file.name: file.read_text() for file in sorted(folder.glob("mrtr_steps*.py"))}


def kept(name: str) -> Mapping[str, str]:
    """The same files as they are in the repo."""
    patterns = ("lint.md", "upgraded.py", "rewritten.py", "mrtr_steps*.py")
    found = [file for pattern in patterns for file in sorted((SAMPLES / name).glob(pattern))]
    return {file.name: file.read_text() for file in found}


def _output(*arguments: str, cwd: Path) -> str:
    command = [sys.executable, "-m", "mrtr_adapter.cli", *arguments]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def main() -> None:
    for name in NAMES:
        files = made(name)
        for gone in kept(name).keys() - files.keys():
            (SAMPLES / name / gone).unlink()
        for file, text in files.items():
            (SAMPLES / name / file).write_text(text)
        print(name, *files)


if __name__ == "__main__":
    main()
