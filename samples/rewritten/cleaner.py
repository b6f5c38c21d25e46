"""Finds files that exist twice below the folders that the client has opened, and removes the copies.

The folders come from the client (roots/list); nothing outside of them is touched.
"""

import hashlib
from collections import defaultdict
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlparse

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import InputRequiredResult
from mrtr_steps import Step, Steps, form, numbered, roots
from pydantic import BaseModel, Field

mcp = MCPServer("cleaner")


class Choice(BaseModel):
    remove: bool = Field(description="Remove the copies, keep the first file?")
    stop: bool = Field(default=False, description="Leave the rest alone")


class Confirm(BaseModel):
    confirm: bool


def local_path(uri: str) -> Path:
    return Path(unquote(urlparse(uri).path))


def files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def find_copies(folders: list[Path]) -> list[list[Path]]:
    """Groups of files with the same content, in the order of their paths."""
    by_digest: dict[str, list[Path]] = defaultdict(list)
    for folder in folders:
        for path in files_in(folder):
            if path.stat().st_size > 0:
                by_digest[digest(path)].append(path)
    return sorted(group for group in by_digest.values() if len(group) > 1)


def shown(paths: list[Path], folders: list[Path]) -> str:
    """The paths as a person would call them: from the opened folder on."""
    names = []
    for path in paths:
        folder = next((folder for folder in folders if path.is_relative_to(folder)), path.parent)
        names.append(path.relative_to(folder.parent).as_posix())
    return ", ".join(names)


def remove(path: Path) -> bool:
    """Whether it could be removed."""
    try:
        path.unlink()
    except OSError:
        return False
    return True


async def open_folders(ctx: Context, *, steps: Steps) -> list[Path] | InputRequiredResult:
    """The client's roots, as far as they are here."""
    listed = steps.roots("listed")
    if listed is None:
        return steps.ask(listed=roots())
    folders = [local_path(str(root.uri)) for root in listed.roots]
    return [folder for folder in folders if folder.is_dir()]


class RemoveCopiesFolders(Step):
    step: Literal["folders"] = "folders"


class RemoveCopiesChoice(Step):
    step: Literal["choice"] = "choice"
    folders: list[Path]
    removed: list[Path]
    failed: list[Path]
    items: list[list[Path]]
    at: int
    question: str


@mcp.tool()
async def remove_copies(ctx: Context) -> str | InputRequiredResult:
    """Remove files that exist twice, after asking for each."""
    steps = Steps(ctx)
    state = steps.resume(RemoveCopiesFolders, RemoveCopiesChoice)
    if not isinstance(state, RemoveCopiesChoice):
        folders = await open_folders(ctx, steps=steps.inner(RemoveCopiesFolders))
        if isinstance(folders, InputRequiredResult):
            return steps.pass_on(RemoveCopiesFolders(), folders)
        if not folders:
            return "No folder is open."
        removed: list[Path] = []
        failed: list[Path] = []
        items = list(find_copies(folders))
        at = 0
    else:
        folders = state.folders
        removed = state.removed
        failed = state.failed
        items = state.items
        at = state.at
        question = state.question
    for at, (first, *copies) in numbered(items, at):
        if not isinstance(state, RemoveCopiesChoice):
            question = f"{shown([first], folders)} is also there as {shown(copies, folders)}. Remove?"
        choice = steps.form("choice", Choice)
        if choice is None:
            return steps.ask(
                RemoveCopiesChoice(
                    folders=folders,
                    removed=removed,
                    failed=failed,
                    items=items,
                    at=at,
                    question=question,
                ),
                choice=form(question, Choice),
            )
        state = None
        if choice.action == "cancel":
            break
        if choice.action == "decline":
            continue
        if choice.data.remove:
            for copy in copies:
                (removed if remove(copy) else failed).append(copy)
        if choice.data.stop:
            break
    report = f"Removed {shown(removed, folders)}." if removed else "Nothing removed."
    return f"{report} Could not remove {shown(failed, folders)}." if failed else report


class EmptyFolderFolders(Step):
    step: Literal["folders"] = "folders"


class EmptyFolderAnswer(Step):
    step: Literal["answer"] = "answer"
    files: list[Path]


@mcp.tool()
async def empty_folder(name: str, ctx: Context) -> str | InputRequiredResult:
    """Remove everything in one of the opened folders."""
    steps = Steps(ctx)
    state = steps.resume(EmptyFolderFolders, EmptyFolderAnswer)
    if not isinstance(state, EmptyFolderAnswer):
        folders = await open_folders(ctx, steps=steps.inner(EmptyFolderFolders))
        if isinstance(folders, InputRequiredResult):
            return steps.pass_on(EmptyFolderFolders(), folders)
        matching = [folder for folder in folders if folder.name == name]
        if not matching:
            return f"No folder {name} is open."
        files = files_in(matching[0])
    else:
        files = state.files
    answer = steps.form("answer", Confirm)
    if answer is None:
        return steps.ask(
            EmptyFolderAnswer(files=files),
            answer=form(f"Remove all {len(files)} files in {name}?", Confirm),
        )
    if answer.action != "accept" or not answer.data.confirm:
        return "Nothing removed."
    return f"Removed {sum(remove(file) for file in files)} of {len(files)} files."


if __name__ == "__main__":
    mcp.run()
