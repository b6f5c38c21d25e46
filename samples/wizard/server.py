"""A wizard that sets up a project, written for FastMCP 2 and 3.

Asks for kind, options and name, shows what it will make, and can go back to the beginning. Projects are made in
WIZARD_TARGET (projects).
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError

mcp = FastMCP("wizard")

TARGET = Path(os.environ.get("WIZARD_TARGET", "projects"))
FILES = {
    "library": ["pyproject.toml", "src/{name}/__init__.py"],
    "service": ["pyproject.toml", "app.py", "Dockerfile"],
    "notebook": ["analysis.ipynb"],
}
ROUNDS = 2


@dataclass
class Options:
    licence: Literal["MIT", "Apache-2.0", "none"] = "MIT"
    tests: bool = True
    python: str = "3.12"


def slug(text: str) -> str:
    return re.sub(r"\W+", "_", text.strip().lower()).strip("_")


def planned(kind: str, name: str, licence: str, tests: bool) -> list[str]:
    files = [pattern.format(name=name) for pattern in FILES[kind]]
    if licence != "none":
        files.append("LICENSE")
    if tests:
        files.append("tests/test_smoke.py")
    return files


def reserve(name: str) -> None:
    """Take the name, so that nobody else does."""
    TARGET.mkdir(exist_ok=True)
    with (TARGET / "names.txt").open("a") as names:
        names.write(f"{name}\n")


def make(name: str, files: list[str], python: str) -> None:
    for file in files:
        path = TARGET / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}, Python {python}\n")


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@mcp.tool
async def new_project(ctx: Context, name: str | None = None) -> str:
    """Set up a project; asks for what it needs."""
    for attempt in range(ROUNDS):
        kind = await ctx.elicit("What do you want to make?", response_type=["library", "service", "notebook"])
        if kind.action != "accept":
            return "Nothing was made."
        if name is None:
            named = await ctx.elicit(f"What is the {kind.data} called?", response_type=str)
            if named.action != "accept":
                return "Nothing was made."
            name = slug(named.data)
        if not name:
            raise ToolError("A project needs a name.")

        licence, tests, python = "none", False, "3.12"
        if kind.data != "notebook":
            options = await ctx.elicit(f"Options for {name}", response_type=Options)
            if options.action == "accept":
                licence, tests, python = options.data.licence, options.data.tests, options.data.python

        files = planned(kind.data, name, licence, tests)
        fine = await ctx.elicit(
            f"{name} will have {', '.join(files)}.", response_type=["make it", "back", "stop"]
        )
        if fine.action != "accept" or fine.data == "stop":
            return "Nothing was made."
        if fine.data == "make it":
            reserve(name)
            make(name, files, python)
            return f"{name}: {len(files)} files (attempt {attempt + 1})."
        name = None
    return "Went back too often; nothing was made."


@mcp.tool
async def delete_project(name: str, ctx: Context) -> str:
    """Delete a project that the wizard has made."""
    folder = TARGET / slug(name)
    if not folder.is_dir():
        raise ToolError(f"There is no project {name}.")
    files = files_in(folder)
    typed = await ctx.elicit(f"Type {folder.name} to delete its {len(files)} files.", response_type=str)
    if typed.action != "accept" or typed.data != folder.name:
        return "Nothing was deleted."
    for file in files:
        (folder / file).unlink()
    return f"Deleted {len(files)} files of {folder.name}."


if __name__ == "__main__":
    mcp.run()
