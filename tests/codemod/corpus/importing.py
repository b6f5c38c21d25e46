"""Imports files, each in a process of its own that has the SDK loaded already, and prints what failed, as JSON.

python importing.py < FILES
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import signal
import sys
import warnings
from pathlib import Path

SECONDS = 120


def load(path: Path) -> None:
    """Import a file as the module of a package that it is, or as a script."""
    directory, names = path.parent, [path.stem] if path.stem != "__init__" else []
    while (directory / "__init__.py").exists():
        names.insert(0, directory.name)
        directory = directory.parent
    sys.path.insert(0, str(directory))
    if directory != path.parent:
        importlib.import_module(".".join(names))
        return
    spec = importlib.util.spec_from_file_location(f"imported_{path.stem.replace('-', '_')}", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)


def failure(path: Path) -> str:
    """What importing the file raises; empty if nothing."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        silent = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(silent, descriptor)
        signal.alarm(SECONDS)
        told = ""
        try:
            load(path)
        except BaseException as error:
            told = f"{type(error).__name__}: {error}"
        os.write(writer, told.encode()[:2000])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        told = pipe.read().decode(errors="replace")
    _, status = os.waitpid(child, 0)
    return told or ("" if status == 0 else f"ended with status {status}")


def main() -> None:
    warnings.simplefilter("ignore")
    for name in ("mcp", "mcp.server.mcpserver", "fastmcp"):
        importlib.import_module(name)
    print(json.dumps({name: failure(Path(name)) for name in json.load(sys.stdin)}))


if __name__ == "__main__":
    main()
