"""The published servers of servers.toml, and where their commands are once they are installed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import StdioServerParameters

from gateway.published.survey import Request
from needs import needs

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).parent
INSTALL_SECONDS = 600.0


@dataclass(frozen=True)
class Published:
    """Args:
    package: with its version, as its registry's client takes it.
    registry: `npm` or `pypi`.
    command: `{folder}` is an empty folder.
    asks: whether its requests lead to questions.
    ci: whether it is one of the ten that every commit is tested with.
    """

    package: str
    registry: str
    command: list[str]
    tools: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    prompts: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    resources: tuple[str, ...] = ()
    asks: bool = False
    ci: bool = False

    def requests(self, folder: Path) -> list[Request]:
        tools: list[Request] = [("tool", name, arguments) for name, arguments in self.tools.items()]
        prompts: list[Request] = [("prompt", name, arguments) for name, arguments in self.prompts.items()]
        resources: list[Request] = [("resource", uri, {}) for uri in self.resources]
        return [
            (kind, target, _in(folder, arguments)) for kind, target, arguments in tools + prompts + resources
        ]

    def installed_for_ci(self) -> Path:
        """The folder with its command, in the environments of this folder's lock files."""
        return Path(needs("published_npm" if self.registry == "npm" else "published_pypi"))

    def install(self, place: Path) -> Path:
        """The folder with its command, after its package was put into `place`. None of its code runs for that."""
        if self.registry == "npm":
            needs("node")
            quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
            _run("npm", "install", "--prefix", str(place), *quiet, self.package)
            return place / "node_modules" / ".bin"
        _run(sys.executable, "-m", "venv", "--without-pip", str(place))
        pip = [sys.executable, "-m", "pip", "--python", str(place / "bin" / "python"), "install", "--quiet"]
        _run(*pip, "--only-binary", ":all:", self.package, "mcp<2")
        return place / "bin"

    def reached(self, commands: Path, folder: Path, *front: str) -> StdioServerParameters:
        """How to start it, behind `front`, with a home and a folder of its own and nothing of this environment."""
        arguments = [*front, str(commands / self.command[0]), *_in(folder, self.command[1:])]
        home = folder.with_name("home")
        home.mkdir(exist_ok=True)
        environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
        return StdioServerParameters(
            command=arguments[0], args=arguments[1:], env=environment, cwd=str(folder)
        )


def published() -> list[Published]:
    entries = tomllib.loads((HERE / "servers.toml").read_text())["servers"]
    return [_published(**entry) for entry in entries]


def _published(npm: str | None = None, pypi: str | None = None, **entry: Any) -> Published:
    resources = tuple(entry.pop("resources", ()))
    return Published(str(npm or pypi), registry="npm" if npm else "pypi", resources=resources, **entry)


def _in(folder: Path, value: Any) -> Any:
    """The value with this folder in it."""
    if isinstance(value, str):
        return value.replace("{folder}", str(folder))
    if isinstance(value, list):
        return [_in(folder, one) for one in value]
    if isinstance(value, dict):
        return {name: _in(folder, one) for name, one in value.items()}
    return value


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False)
    assert done.returncode == 0, done.stderr
