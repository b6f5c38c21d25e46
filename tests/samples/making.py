"""Makes what belongs to the samples' servers: what the rewrite makes of each, and what the lint says.

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
    """The files that belong to a server, by their path in the samples, as they come out now."""
    source = SAMPLES / name / "server.py"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch).resolve()
        server = folder / "server.py"
        shutil.copy(source, server)
        lint = _output("lint", "--format", "markdown", "--fail-on", "never", cwd=folder)
        files = {f"{name}/lint.md": lint}
        _output("rewrite", "--sdk-only", "--write", "server.py", cwd=folder)
        if server.read_text() != source.read_text():
            files[f"{name}/upgraded.py"] = server.read_text()
            shutil.copy(source, server)
        _output("rewrite", "--unsafe", "--write", "server.py", cwd=folder)
        files[f"rewritten/{name}.py"] = server.read_text()
        return files | {f"rewritten/{file.name}": file.read_text() for file in folder.glob("mrtr_steps*.py")}


def kept(path: str) -> str:
    """The same file as it is in the repo; empty if it is not."""
    file = SAMPLES / path
    return file.read_text() if file.exists() else ""


def _output(*arguments: str, cwd: Path) -> str:
    command = [sys.executable, "-m", "mrtr_adapter.cli", *arguments]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def main() -> None:
    for name in NAMES:
        files = made(name)
        for path, text in files.items():
            (SAMPLES / path).write_text(text)
        print(name, *files)


if __name__ == "__main__":
    main()
