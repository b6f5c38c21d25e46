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
from mcp.types import InputRequiredResult
from mrtr_steps_fastmcp import Answer, Step, Steps, form, numbered

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


class NewProjectKind(Step):
    step: Literal["kind"] = "kind"
    at: int
    name: str | None


class NewProjectNamed(Step):
    step: Literal["named"] = "named"
    at: int
    kind: Answer[str]


class NewProjectOptions(Step):
    step: Literal["options"] = "options"
    at: int
    kind: Answer[str]
    name: str | None
    licence: str | Literal[('MIT', 'Apache-2.0', 'none')]
    python: str
    tests: bool


class NewProjectFine(Step):
    step: Literal["fine"] = "fine"
    at: int
    name: str | None
    python: str
    files: list[str]


@mcp.tool
async def new_project(ctx: Context, name: str | None = None) -> str | InputRequiredResult:
    """Set up a project; asks for what it needs."""
    steps = Steps(ctx)
    state = steps.resume(NewProjectKind, NewProjectNamed, NewProjectOptions, NewProjectFine)
    if state is None:
        at = 0
    else:
        at = state.at
    for at, attempt in numbered(range(ROUNDS), at):
        if not isinstance(state, (NewProjectNamed, NewProjectOptions, NewProjectFine)):
            if isinstance(state, NewProjectKind):
                name = state.name
            kind = steps.form("kind", ["library", "service", "notebook"])
            if kind is None:
                return steps.ask(
                    NewProjectKind(at=at, name=name),
                    kind=form("What do you want to make?", ["library", "service", "notebook"]),
                )
            state = None
            if kind.action != "accept":
                return "Nothing was made."
        if not isinstance(state, (NewProjectOptions, NewProjectFine)):
            if isinstance(state, NewProjectNamed) or name is None:
                if isinstance(state, NewProjectNamed):
                    kind = state.kind
                named = steps.form("named", str)
                if named is None:
                    return steps.ask(
                        NewProjectNamed(at=at, kind=kind),
                        named=form(f"What is the {kind.data} called?", str),
                    )
                state = None
                if named.action != "accept":
                    return "Nothing was made."
                name = slug(named.data)
            if not name:
                raise ToolError("A project needs a name.")

            licence, tests, python = "none", False, "3.12"
        else:
            name = state.name
            python = state.python
        if not isinstance(state, NewProjectFine):
            if isinstance(state, NewProjectOptions) or kind.data != "notebook":
                if isinstance(state, NewProjectOptions):
                    kind = state.kind
                    licence = state.licence
                    tests = state.tests
                options = steps.form("options", Options)
                if options is None:
                    return steps.ask(
                        NewProjectOptions(
                            at=at,
                            kind=kind,
                            name=name,
                            licence=licence,
                            python=python,
                            tests=tests,
                        ),
                        options=form(f"Options for {name}", Options),
                    )
                state = None
                if options.action == "accept":
                    licence, tests, python = options.data.licence, options.data.tests, options.data.python

            files = planned(kind.data, name, licence, tests)
        else:
            files = state.files
        fine = steps.form("fine", ["make it", "back", "stop"])
        if fine is None:
            return steps.ask(
                NewProjectFine(at=at, name=name, python=python, files=files),
                fine=form(f"{name} will have {', '.join(files)}.", ["make it", "back", "stop"]),
            )
        state = None
        if fine.action != "accept" or fine.data == "stop":
            return "Nothing was made."
        if fine.data == "make it":
            reserve(name)
            make(name, files, python)
            return f"{name}: {len(files)} files (attempt {attempt + 1})."
        name = None
    return "Went back too often; nothing was made."


class DeleteProjectTyped(Step):
    step: Literal["typed"] = "typed"
    folder: Path
    files: list[str]


@mcp.tool
async def delete_project(name: str, ctx: Context) -> str | InputRequiredResult:
    """Delete a project that the wizard has made."""
    steps = Steps(ctx)
    state = steps.resume(DeleteProjectTyped)
    if state is None:
        folder = TARGET / slug(name)
        if not folder.is_dir():
            raise ToolError(f"There is no project {name}.")
        files = files_in(folder)
    else:
        folder = state.folder
        files = state.files
    typed = steps.form("typed", str)
    if typed is None:
        return steps.ask(
            DeleteProjectTyped(folder=folder, files=files),
            typed=form(f"Type {folder.name} to delete its {len(files)} files.", str),
        )
    if typed.action != "accept" or typed.data != folder.name:
        return "Nothing was deleted."
    for file in files:
        (folder / file).unlink()
    return f"Deleted {len(files)} files of {folder.name}."


if __name__ == "__main__":
    mcp.run()
