"""The command: a dry run that `git apply` takes, atomic writes, nothing written that does not stand up."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mrtr_codemod.cli.rewrite import rewrite
from mrtr_codemod.rewrite.file import Options, rewrite_file
from mrtr_codemod.rewrite.writing import write_atomically

from .rewriting import HEADER

SAFE = (
    '@mcp.tool()\nasync def safe(name: str, ctx: Context) -> str:\n    answer = await ctx.elicit(f"{name}?", Ok)\n'
    "    return answer.action\n"
)
REVIEW = (
    "\n\n@mcp.tool()\nasync def review(name: str, ctx: Context) -> str:\n    n = effect(name)\n"
    '    answer = await ctx.elicit(f"{name}?", Ok)\n    return f"{n} {answer.action}"\n'
)
MANUAL = (
    "\n\n@mcp.tool()\nasync def manual(name: str, ctx: Context) -> str:\n    with open(name):\n"
    '        answer = await ctx.elicit(f"{name}?", Ok)\n    return answer.action\n'
)
SERVER = HEADER + SAFE + REVIEW + MANUAL


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "server.py").write_text(SERVER)
    (tmp_path / "plain.py").write_text("x = 1\n")
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", *identity, *command], cwd=tmp_path, check=True)
    return tmp_path


def run(*arguments: str, given: str | None = None) -> Result:
    return CliRunner().invoke(rewrite, arguments, input=given, catch_exceptions=False)


def test_a_dry_run_changes_nothing_and_prints_what_git_applies(repo: Path) -> None:
    result = run(".", "--unsafe")
    assert result.exit_code == 0
    assert (repo / "server.py").read_text() == SERVER
    subprocess.run(["git", "apply", "-"], input=result.stdout, text=True, cwd=repo, check=True)
    assert "steps.ask(" in (repo / "server.py").read_text()
    assert (repo / "mrtr_steps.py").exists()
    assert "2 of 3 handlers that ask rewritten (1 safe, 1 need review, 1 stay)" in result.stderr


def test_without_unsafe_only_what_is_safe_is_rewritten(repo: Path) -> None:
    assert run(".", "--write").exit_code == 0
    text = (repo / "server.py").read_text()
    assert "async def safe(name: str, ctx: Context) -> str | InputRequiredResult:" in text
    assert "async def review(name: str, ctx: Context) -> str:" in text
    assert "# mrtr: manual[resource-held]" in text


def test_what_was_written_imports(repo: Path) -> None:
    run(".", "--write", "--unsafe")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "server.py"], cwd=repo, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_second_run_has_nothing_to_do(repo: Path) -> None:
    run(".", "--write", "--unsafe", "--force")
    assert run(".", "--check", "--unsafe").exit_code == 0


def test_check_fails_when_something_would_change(repo: Path) -> None:
    assert run(".", "--check").exit_code == 1
    assert (repo / "server.py").read_text() == SERVER


def test_only_one_handler(repo: Path) -> None:
    run(".", "--write", "--unsafe", "--only", "review")
    text = (repo / "server.py").read_text()
    assert "async def safe(name: str, ctx: Context) -> str:" in text
    assert "async def review(name: str, ctx: Context) -> str | InputRequiredResult:" in text
    assert "mrtr: manual" not in text


def test_a_handler_that_does_not_exist_is_told(repo: Path) -> None:
    result = run(".", "--only", "nobody")
    assert result.exit_code == 1
    assert "no handler that asks is called 'nobody'; there are: manual, review, safe" in result.stderr


def test_interactive_asks_for_each_handler(repo: Path) -> None:
    result = run(".", "--interactive", given="n\ny\n")
    assert "Rewrite safe?" in result.stdout
    text = (repo / "server.py").read_text()
    assert "async def safe(name: str, ctx: Context) -> str:" in text
    assert "async def review(name: str, ctx: Context) -> str | InputRequiredResult:" in text


def test_a_dirty_file_is_not_written_unless_forced(repo: Path) -> None:
    (repo / "server.py").write_text(SERVER + "\n# mine\n")
    result = run(".", "--write")
    assert result.exit_code == 1
    assert "server.py has changes that are not committed: commit them, or say --force" in result.stderr
    assert not (repo / "mrtr_steps.py").exists()
    assert run(".", "--write", "--force").exit_code == 0


def test_the_report_has_a_verdict_for_each_handler(repo: Path) -> None:
    found = json.loads(run(".", "--report", "json").stdout)
    handlers = {h["name"]: (h["verdict"], h["rule"]) for file in found["files"] for h in file["handlers"]}
    assert handlers == {
        "safe": ("safe", None),
        "review": ("review", None),
        "manual": ("manual", "resource-held"),
    }
    assert found["summary"] == {"safe": 1, "review": 1, "manual": 1}
    assert "| `manual` (server.py:38) |" in run(".", "--report", "markdown").stdout


OLD = (
    "from mcp.server.fastmcp import FastMCP\n\nmcp = FastMCP('old')\n\n\n"
    "def helper():\n    return mcp.get_context()\n"
)
GONE = "from mcp.shared.progress import progress\n\nprint(progress)\n"


@pytest.mark.parametrize(
    ("source", "line", "what"), [(OLD, 7, "`mcp.get_context()`"), (GONE, 1, "`mcp.shared.")]
)
def test_the_report_tells_what_is_left_to_move_by_hand(repo: Path, source: str, line: int, what: str) -> None:
    (repo / "server.py").write_text(source)
    (file,) = json.loads(run(".", "--sdk-only", "--report", "json").stdout)["files"]
    (note,) = file["notes"]
    assert note["line"] == line
    assert note["message"].startswith(what)
    markdown = run(".", "--sdk-only", "--report", "markdown").stdout
    assert f"\n- server.py:{line}: {what}" in markdown


@pytest.mark.parametrize("folder", ["app", "elsewhere"])
@pytest.mark.parametrize("report", ["json", "markdown"])
def test_the_report_names_files_from_the_current_folder(
    repo: Path, monkeypatch: pytest.MonkeyPatch, folder: str, report: str
) -> None:
    for name in ("app", "elsewhere"):
        (repo / name).mkdir()
    (repo / "app" / "server.py").write_text(HEADER + SAFE)
    (repo / "app" / "mrtr_steps.py").write_text("taken = 1\n")
    monkeypatch.chdir(repo / folder)
    told = run(str(repo / "app"), "--report", report).stdout
    home = "" if folder == "app" else f"{repo.as_posix()}/app/"
    assert f"{home}server.py" in told
    assert f"{home}mrtr_steps.py is there already" in told
    assert (str(repo) in told) == (folder == "elsewhere")


@pytest.mark.parametrize("options", [(), ("--sdk-only",)], ids=["steps", "sdk-only"])
@pytest.mark.parametrize(
    "last",
    ["def elicit(:", 'print "elicit"', "async def elicit(): await = 1", "x: int = 5 = 3"],
    ids=["signature", "Python 2", "keyword", "late"],
)
def test_a_file_that_does_not_parse_is_told_by_its_line_and_left(
    repo: Path, last: str, options: tuple[str, ...]
) -> None:
    text = f"from mcp.server.fastmcp import Context\nelicit = 1\n{last}\n"
    (repo / "broken.py").write_text(text)
    result = run(".", *options)
    assert result.exit_code == 2
    assert "broken.py: stays as it is: syntax error on line 3: " in result.stderr
    assert "<unknown>" not in result.stderr
    assert (repo / "broken.py").read_text() == text


def test_a_support_module_of_somebody_else_is_not_overwritten(repo: Path) -> None:
    (repo / "mrtr_steps.py").write_text("x = 1\n")
    result = run(".", "--write")
    assert result.exit_code == 2
    assert "mrtr_steps.py is there already and is something else: rename it" in result.stderr
    assert (repo / "server.py").read_text() == SERVER
    assert (repo / "mrtr_steps.py").read_text() == "x = 1\n"


def test_resolve_where_a_question_needs_only_the_arguments(repo: Path) -> None:
    run(".", "--write", "--style", "resolve")
    text = (repo / "server.py").read_text()
    assert 'def safe_answer(name: str) -> Elicit[Ok]:\n    return Elicit(f"{name}?", Ok)' in text
    assert "answer: Annotated[ElicitationResult[Ok], Resolve(safe_answer)]" in text
    assert not (repo / "mrtr_steps.py").exists()


def test_sdk_only_renames_and_leaves_the_asks(repo: Path) -> None:
    old = SERVER.replace("mcp.server.mcpserver", "mcp.server.fastmcp").replace("MCPServer", "FastMCP")
    (repo / "server.py").write_text(old)
    said = run(".", "--write", "--sdk-only", "--force").stderr
    assert (repo / "server.py").read_text() == SERVER
    assert "files changed" in said
    assert "handlers that ask" not in said


def test_what_needs_review_names_the_flag_that_includes_it(repo: Path) -> None:
    assert "rewritten with --unsafe" in run(".").stderr
    assert "--unsafe" not in run(".", "--unsafe").stderr


def test_a_file_of_mcp_1_moves_as_a_whole_once_something_of_it_is_rewritten(repo: Path) -> None:
    old = SERVER.replace("mcp.server.mcpserver", "mcp.server.fastmcp").replace("MCPServer", "FastMCP")
    (repo / "server.py").write_text(old)
    run(".", "--write", "--force")
    text = (repo / "server.py").read_text()
    assert "fastmcp" not in text
    assert "steps.ask(" in text


@pytest.mark.parametrize(
    ("encode", "bom"),
    [
        (lambda s: s.replace("\n", "\r\n").encode(), b""),
        (lambda s: s.encode(), b"\xef\xbb\xbf"),
        (lambda s: f"# -*- coding: latin-1 -*-\n{s}".replace("Sure", "Sür").encode("latin-1"), b""),
        (lambda s: s.rstrip("\n").encode(), b""),
        (lambda s: s.replace("    ", "\t").encode(), b""),
    ],
    ids=["crlf", "bom", "latin-1", "no newline at the end", "tabs"],
)
def test_newlines_encoding_and_indentation_survive(tmp_path: Path, encode, bom: bytes) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "server.py"
    path.write_bytes(bom + encode(HEADER + SAFE))
    result = rewrite_file(path, Options(lambda v: True))
    assert result.problem is None
    after = result.outputs[0].after
    assert after.startswith(bom)
    assert (b"\r\n" in after) == (b"\r\n" in path.read_bytes())
    assert after.count(b"\n") == after.count(b"\r\n") or b"\r" not in after
    compile(after, "server.py", "exec")


def test_a_module_of_a_package_imports_the_support_module_from_its_top(tmp_path: Path) -> None:
    inner = tmp_path / "app" / "tools"
    inner.mkdir(parents=True)
    for directory in (tmp_path / "app", inner):
        (directory / "__init__.py").write_text("")
    header = HEADER.replace('mcp = MCPServer("test")', "from ..main import mcp")
    (inner / "server.py").write_text(header + SAFE)
    result = rewrite_file(inner / "server.py", Options(lambda v: True))
    assert b"from ..mrtr_steps import Steps, form" in result.outputs[0].after
    assert result.outputs[1].path == tmp_path / "app" / "mrtr_steps.py"


def test_a_module_of_a_package_is_rewritten_in_two_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__init__.py").write_text("")
    path = tmp_path / "app" / "server.py"
    path.write_text(HEADER + SAFE + REVIEW)
    assert "1 of 2 handlers" in run(".", "--write").stderr
    assert "1 of 1 handlers" in run(".", "--write", "--unsafe").stderr
    assert path.read_text().count("from .mrtr_steps import Step, Steps, form\n") == 1
    assert path.read_text().count("from mrtr_steps import Step, Steps, form\n") == 1


WRITER = """
import sys
from pathlib import Path
from mrtr_codemod.rewrite.writing import write_atomically
while True:
    for letter in b"ab":
        write_atomically(Path(sys.argv[1]), bytes([letter]) * 300_000)
"""


def test_killed_at_any_moment_no_file_is_half_written(tmp_path: Path) -> None:
    path = tmp_path / "server.py"
    write_atomically(path, b"a" * 300_000)
    for wait in (0.3, 0.35, 0.41, 0.46, 0.5):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)])
        time.sleep(wait)
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait()
        data = path.read_bytes()
        assert len(data) == 300_000
        assert len(set(data)) == 1


def test_the_mode_of_a_file_survives(tmp_path: Path) -> None:
    path = tmp_path / "server.py"
    path.write_text("x\n")
    path.chmod(0o750)
    write_atomically(path, b"y\n")
    assert path.stat().st_mode & 0o777 == 0o750
