"""Every command and every piece of code in the documentation does what its page says.

A page is read from the top, in one working directory. Blocks that something else runs are in `elsewhere.py`.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from docs import data, snippets
from docs.blocks import GENERATED, PAGES, ROOT, Block, blocks
from docs.elsewhere import ELSEWHERE, Elsewhere
from docs.shell import Shell
from interop.serving import free_port
from needs import needs

TREES = Path(__file__).with_name("trees")
RUN_ELSEWHERE = {entry.block for entry in ELSEWHERE}


@pytest.mark.parametrize("page", [page for page in PAGES if page not in GENERATED])
def test_all_of_the_page_holds(page: str, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    shell = Shell(folder, free_port())
    try:
        for block in blocks(page):
            if (page, block.first_line) not in RUN_ELSEWHERE:
                read(block, shell)
    finally:
        shell.close()


def read(block: Block, shell: Shell) -> None:
    """Do with one block what its reader would do."""
    folder = shell.folder
    if block.notes.needs:
        needs(block.notes.needs)
    if block.notes.tree:
        source = ROOT / block.notes.tree
        shutil.copytree(
            source if source.is_dir() else TREES / block.notes.tree,
            folder,
            dirs_exist_ok=True,
            ignore=shutil.ignore_patterns("__pycache__"),
        )
    if block.notes.serve:
        shell.serve(block.notes.serve)
    if block.notes.behind:
        shell.start_behind(block.notes.behind, free_port())
    text = shell.here(block.text)
    if block.notes.file:
        (folder / block.notes.file).write_text(text)
    elif block.notes.shows:
        assert text in (folder / block.notes.shows).read_text(), block.place
    elif block.language == "python":
        snippets.run(block, text, folder)
    elif block.language in ("console", "sh", ""):
        shell.run(block)
    elif block.language == "toml":
        data.check_toml(text, folder)
    elif block.language == "json":
        data.check_json(text, folder)
    elif block.language == "yaml":
        for command in data.commands_in_yaml(block):
            if command.startswith("mrtr "):
                shell.end(command, block, int(block.notes.exit))
    else:
        pytest.fail(f"{block.place}: nothing is known about {block.language!r} blocks")


@pytest.mark.parametrize("page", GENERATED)
def test_code_of_the_generated_pages_is_python(page: str) -> None:
    for block in blocks(page):
        if block.language == "python":
            snippets.compiles(block)


@pytest.mark.parametrize("entry", ELSEWHERE, ids=lambda entry: entry.block[1])
def test_what_is_run_elsewhere_exists_and_is_run_there(entry: Elsewhere) -> None:
    page, line = entry.block
    assert line in {block.first_line for block in blocks(page)}, "there is no such block any more"
    assert entry.why
    file, _, name = entry.by.partition("::")
    if name:
        assert f"def {name}(" in (ROOT / file).read_text()
    else:
        assert entry.by in (ROOT / ".ci" / "run").read_text()


def test_links_between_the_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", (ROOT / page).read_text()):
            assert ((ROOT / page).parent / target).exists(), f"{page} links to {target}"
