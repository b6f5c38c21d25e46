"""What runs the pages notices when a page is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs import blocks as pages
from docs.blocks import Block, Notes
from docs.contexts import handler_body
from docs.shell import Shell, commands
from docs.snippets import run
from interop.serving import free_port


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    folder = tmp_path / "work"
    folder.mkdir()
    return Shell(folder, free_port())


def console(text: str, exit: str = "0") -> Block:
    return Block("page.md", 1, "console", text, Notes(exit=exit))


def test_output_that_is_not_what_the_page_shows(shell: Shell) -> None:
    shell.run(console("$ printf 'one\\ntwo\\n'\none\ntwo\n"))
    shell.run(console("$ printf 'one\\ntwo\\nthree\\n'\none\n…\nthree\n"))
    with pytest.raises(AssertionError, match="prints"):
        shell.run(console("$ printf 'one\\ntwo\\n'\none\n"))


def test_an_exit_code_that_is_not_what_the_page_says(shell: Shell) -> None:
    shell.run(console("$ false\n$ true\n", exit="1,0"))
    with pytest.raises(AssertionError, match="ended with 1"):
        shell.run(console("$ false\n"))


def test_what_is_exported_holds_for_the_next_commands(shell: Shell) -> None:
    shell.run(console('$ export A="$(echo x)"\n$ echo "$A"\nx\n'))


def test_a_server_that_does_not_start(shell: Shell) -> None:
    with pytest.raises(AssertionError, match="there is no file"):
        shell.run(console("$ mrtr run nowhere.py --http 127.0.0.1:8000\n"))
    shell.close()


def test_every_line_of_a_block_without_prompts_is_a_command() -> None:
    assert [command.text for command in commands(console("mrtr rules\n# a comment\nmrtr lint\n"))] == [
        "mrtr rules",
        "mrtr lint",
    ]


def test_python_that_fails(tmp_path: Path) -> None:
    block = Block("page.md", 1, "python", "import nowhere\n")
    with pytest.raises(AssertionError, match="No module named 'nowhere'"):
        run(block, block.text, tmp_path)


def test_a_comment_that_promises_too_little_repetition() -> None:
    with pytest.raises(AssertionError, match="was done 2 times in 2 rounds"):
        handler_body.run("await take_snapshot(paths)  # once\n")


def test_a_misspelt_note(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("<!-- run: tre=desk -->\n\n```console\n$ true\n```\n")
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    with pytest.raises(AssertionError, match="tre"):
        list(pages.blocks("page.md"))
