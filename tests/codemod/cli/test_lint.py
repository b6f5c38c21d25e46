"""`mrtr lint` as its users call it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mrtr_adapter.cli import mrtr

ASKING = """\
from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("files")


@server.tool()
async def purge(ctx: Context) -> str:
    answer = await ctx.elicit("Delete all?", Confirm)
    if answer.action != "accept":
        return "Kept."
    return "Deleted."
"""
QUIET = ASKING.replace('await ctx.elicit("Delete all?", Confirm)', "None")


@pytest.fixture(autouse=True)
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty repo to stand in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, text: str = ASKING) -> Path:
    file = Path(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return file


def lint(*arguments: str, stdin: str | bytes | None = None) -> Result:
    result = CliRunner().invoke(mrtr, ["lint", *arguments], input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def found(*arguments: str, stdin: str | bytes | None = None) -> list[tuple[str, str]]:
    """The rule and path of each finding."""
    report = json.loads(lint("--format", "json", *arguments, stdin=stdin).stdout)
    return [(finding["rule"], finding["place"]["path"]) for finding in report["findings"]]


class TestExitCode:
    def test_0_when_clean(self) -> None:
        write("a.py", QUIET)
        result = lint()
        assert (result.exit_code, result.stdout) == (0, "1 file checked, no findings.\n")

    def test_0_for_an_empty_repo(self) -> None:
        assert (lint().exit_code, lint().stdout) == (0, "0 files checked, no findings.\n")

    def test_1_for_findings_at_or_above_the_level(self) -> None:
        write("a.py")
        assert lint("--select", "MRTR101").exit_code == 1
        assert lint("--select", "MRTR101", "--fail-on", "info").exit_code == 1
        assert lint("--select", "MRTR101", "--fail-on", "error").exit_code == 0
        assert lint("--select", "MRTR101", "--fail-on", "never").exit_code == 0

    def test_2_when_something_could_not_be_checked_and_it_is_named(self) -> None:
        write("a.py")
        Path("binary.py").write_bytes(b"\0\1")
        result = lint("--fail-on", "never")
        assert result.exit_code == 2
        assert "binary.py: not checked: holds NUL bytes" in result.stdout
        assert "MRTR101" in result.stdout

    @pytest.mark.parametrize(
        "arguments",
        [
            ("nowhere.py",),
            ("--select", "MRTR9"),
            ("--baseline", "nowhere.json"),
            ("--format", "yaml"),
            ("--per-file-ignores", "tests"),
            ("--per-file-ignores", ":MRTR1"),
            ("--statistics", "--format", "json"),
            ("--output", "no/where.txt"),
            ("--write-baseline", "no/where.json"),
        ],
    )
    def test_2_for_what_cannot_be_done(self, arguments: tuple[str, ...]) -> None:
        write("a.py")
        result = lint(*arguments)
        assert result.exit_code == 2
        assert "Traceback" not in result.output
        assert result.output.strip()


class TestFilesThatDoNotParse:
    @pytest.mark.parametrize(
        "text",
        [
            "print 'Python 2'\n",
            "def f(:\n",
            "x = " + "(" * 5000,
            "x = " + "-" * 20_000 + "1\n",
            "await ctx.elicit(" * 500,
        ],
        ids=["Python 2", "syntax error", "parentheses", "signs", "calls"],
    )
    def test_they_are_failures_and_the_rest_is_checked(self, text: str) -> None:
        write("bad.py", ASKING + text)
        write("good.py")
        result = lint("--format", "json")
        assert result.exit_code == 2
        report = json.loads(result.stdout)
        assert [failure["path"] for failure in report["failures"]] == ["bad.py"]
        assert ("MRTR101", "good.py") in [(f["rule"], f["place"]["path"]) for f in report["findings"]]


class TestSources:
    def test_a_directory_a_file_and_standard_input(self) -> None:
        write("src/a.py")
        write("b.py")
        assert {path for _, path in found()} == {"b.py", "src/a.py"}
        assert {path for _, path in found("src")} == {"src/a.py"}
        assert {path for _, path in found("-", stdin=ASKING)} == {"stdin.py"}
        assert {path for _, path in found("-", "--stdin-filename", "x/y.py", stdin=ASKING)} == {"x/y.py"}

    def test_standard_input_may_be_a_notebook(self) -> None:
        cells = [{"cell_type": "code", "source": ASKING}]
        notebook = json.dumps({"nbformat": 4, "metadata": {}, "cells": cells})
        result = lint("-", "--stdin-filename", "n.ipynb", "--select", "MRTR101", stdin=notebook)
        assert result.stdout.startswith("n.ipynb:cell 1:8:20: MRTR101")

    def test_a_notebook_finding_names_cell_and_line(self) -> None:
        cells = [
            {"cell_type": "markdown", "source": "# Server"},
            {"cell_type": "code", "source": ["%pip install mcp\n", "import mcp\n"]},
            {"cell_type": "code", "source": ASKING.splitlines(keepends=True)},
        ]
        write("demo.ipynb", json.dumps({"nbformat": 4, "metadata": {}, "cells": cells}))
        result = lint("--select", "MRTR101")
        assert result.stdout.startswith("demo.ipynb:cell 3:8:20: MRTR101")
        assert '8 |     answer = await ctx.elicit("Delete all?", Confirm)' in result.stdout

    def test_lines_that_a_message_names_are_told_by_cell(self) -> None:
        asks = ASKING.replace("    answer = ", "    open('log', 'a').write('asked')\n    answer = ")
        cells = [{"cell_type": "code", "source": text} for text in ("import mcp\n\n\n", asks)]
        write("demo.ipynb", json.dumps({"nbformat": 4, "metadata": {}, "cells": cells}))
        report = json.loads(lint("--format", "json", "--select", "MRTR301").stdout)
        assert "the ask on cell 2 line 9" in report["findings"][0]["message"]
        assert "line 8" in report["handlers"][0]["reason"]
        assert "cell 2 line 8" in report["handlers"][0]["reason"]

    @pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
    def test_places_are_right_in_every_encoding_and_newline(self, encoding: str, newline: str) -> None:
        text = "# coding: latin-1\n" if encoding == "latin-1" else ""
        text += ASKING.replace("    answer = await", "\té = 1; answer = await").replace("    ", "\t")
        Path("a.py").write_bytes(text.replace("\n", newline).encode(encoding))
        line = 9 if encoding == "latin-1" else 8
        result = lint("--select", "MRTR101")
        assert result.stdout.startswith(f"a.py:{line}:24: MRTR101"), result.stdout

    def test_hostile_names_are_checked_and_shown_harmlessly(self) -> None:
        names = [
            "a\nb.py",
            "\x1b[31mred.py",
            "q'uo\"te.py",
            "-rf.py",
            "ü日本.py",
            "a b.py",
            "%0A::error::.py",
        ]
        for name in names:
            write(f"./{name}")
        result = lint("--select", "MRTR101")
        assert result.stdout.count(": MRTR101 ") == len(names)
        assert "\x1b" not in result.stdout
        for style in ("json", "sarif", "github", "markdown", "html"):
            assert lint("--select", "MRTR101", "--format", style).exit_code == 1

    def test_the_order_does_not_depend_on_the_arguments(self) -> None:
        for name in ("b.py", "a/c.py", "a.py"):
            write(name)
        assert lint("b.py", "a", "a.py").stdout == lint("a.py", "a", "b.py").stdout == lint().stdout

    def test_the_code_is_never_run(self) -> None:
        write("a.py", "import mcp, os\nos.mkdir('ran')\n" + ASKING)
        write("mcp/__init__.py", "import os\nos.mkdir('ran')\n")
        lint()
        assert not Path("ran").exists()


class TestSelection:
    def test_select_and_ignore(self) -> None:
        write("a.py")
        assert {rule for rule, _ in found("--select", "MRTR101")} == {"MRTR101"}
        assert "MRTR101" not in {rule for rule, _ in found("--ignore", "MRTR101,MRTR102")}

    def test_per_file_ignores(self) -> None:
        write("tests/a.py")
        write("b.py")
        arguments = ("--select", "MRTR101", "--per-file-ignores", "tests/**:MRTR1")
        assert found(*arguments) == [("MRTR101", "b.py")]

    def test_exclude(self) -> None:
        write("vendor/a.py")
        write("b.py")
        assert {path for _, path in found("--exclude", "vendor/")} == {"b.py"}

    def test_the_verdict_does_not_depend_on_the_selection(self) -> None:
        write("a.py")
        every = json.loads(lint("--format", "json").stdout)
        some = json.loads(lint("--format", "json", "--select", "MRTR101").stdout)
        assert some["handlers"] == every["handlers"]

    def test_pyproject_is_read_and_the_command_line_outranks_it(self) -> None:
        write("src/a.py")
        write(
            "pyproject.toml",
            '[tool.mrtr.lint]\nselect = ["MRTR102"]\nfail-on = "error"\nexclude = ["gen/"]\n',
        )
        write("src/gen/b.py")
        assert found("src") == []
        assert found("src", "--select", "MRTR101") == [("MRTR101", "src/a.py")]
        assert lint("src", "--select", "MRTR101").exit_code == 0
        assert lint("src", "--select", "MRTR101", "--fail-on", "warning").exit_code == 1

    def test_the_pyproject_next_to_the_checked_files_counts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        write("project/pyproject.toml", '[tool.mrtr.lint]\nselect = ["MRTR102"]\n')
        write("project/a.py")
        assert found("project") == []
        monkeypatch.chdir("project")
        assert found("a.py") == []

    def test_a_broken_pyproject_is_named(self) -> None:
        write("a.py")
        write("pyproject.toml", "[tool.mrtr.lint]\nselekt = []\n")
        result = lint()
        assert result.exit_code == 2
        assert (
            "pyproject.toml: unknown key 'selekt' in [tool.mrtr.lint]; did you mean 'select'?"
            in result.stderr
        )


class TestSuppression:
    def test_a_reasoned_comment_suppresses(self) -> None:
        comment = "Confirm)  # mrtr: ignore[MRTR101] -- the adapter serves it"
        write("a.py", ASKING.replace("Confirm)", comment))
        result = lint("--select", "MRTR101,MRTR0")
        assert result.exit_code == 0
        assert "1 suppressed" in result.stdout

    def test_one_without_a_reason_does_not(self) -> None:
        write("a.py", ASKING.replace("Confirm)", "Confirm)  # mrtr: ignore[MRTR101]"))
        assert [rule for rule, _ in found("--select", "MRTR101,MRTR0")] == ["MRTR101", "MRTR001"]

    def test_an_unused_one_is_found_even_where_nothing_else_is(self) -> None:
        write("a.py", "x = 1  # mrtr: ignore[MRTR102] -- long gone\n")
        assert found() == [("MRTR002", "a.py")]

    def test_a_file_that_was_not_checked_has_no_unused_ones(self) -> None:
        write("a.py", ASKING + "x = 1  # mrtr: ignore[MRTR102] -- why\ndef f(:\n")
        assert found() == []


class TestBaseline:
    def test_only_new_findings_fail(self) -> None:
        write("a.py")
        result = lint("--write-baseline", "base.json")
        assert result.exit_code == 0
        assert "accepted in base.json" in result.stderr
        write("a.py", "# moved\n\n" + ASKING)
        assert lint("--baseline", "base.json").exit_code == 0
        write("b.py")
        assert {path for _, path in found("--baseline", "base.json")} == {"b.py"}

    def test_what_is_gone_is_said(self) -> None:
        write("a.py")
        lint("--write-baseline", "base.json")
        write("a.py", QUIET)
        assert "findings of the baseline are gone" in lint("--baseline", "base.json").stderr

    def test_a_file_that_can_no_longer_be_checked_is_not_called_clean(self) -> None:
        write("a.py")
        lint("--write-baseline", "base.json")
        write("a.py", ASKING + "def f(:\n")
        result = lint("--baseline", "base.json")
        assert (result.exit_code, result.stderr) == (2, "")

    def test_a_run_over_one_file_does_not_call_the_others_gone(self) -> None:
        write("a.py")
        write("b.py")
        lint("--write-baseline", "base.json")
        assert lint("a.py", "--baseline", "base.json").stderr == ""
        assert lint("--select", "MRTR102", "--baseline", "base.json").stderr == ""

    def test_pyproject_may_name_it(self) -> None:
        write("pyproject.toml", '[tool.mrtr.lint]\nbaseline = "base.json"\n')
        write("a.py")
        assert lint().exit_code == 2
        assert lint("--write-baseline", "base.json").exit_code == 0
        assert lint().exit_code == 0


class TestOutput:
    def test_to_a_file(self) -> None:
        write("a.py")
        for style in ("text", "json", "sarif", "github", "markdown", "html"):
            shown = lint("--format", style).stdout_bytes
            result = lint("--format", style, "--output", "report")
            assert (result.exit_code, result.stdout) == (1, "")
            assert Path("report").read_bytes() == shown

    def test_each_run_writes_the_same(self) -> None:
        write("a.py")
        for style in ("text", "json", "sarif", "github", "markdown", "html"):
            assert lint("--format", style).stdout == lint("--format", style).stdout

    def test_statistics(self) -> None:
        write("a.py")
        write("b.py")
        lines = lint("--select", "MRTR101", "--statistics").stdout.splitlines()
        assert lines[0].startswith("2  MRTR101  ")
        assert lines[-1] == "2 files checked, 2 warnings."

    def test_a_thousand_findings(self) -> None:
        body = '    answer = await ctx.elicit("Delete all?", Confirm)\n'
        for number in range(100):
            write(f"src/{number}.py", ASKING.replace(body, body * 10))
        report = json.loads(lint("--select", "MRTR101", "--format", "json").stdout)
        assert len(report["findings"]) == 1000


class TestVerdicts:
    @pytest.mark.parametrize(
        ("arguments", "verdict"), [((), "rewrite (review)"), (("--exact",), "adapter with memo/once")]
    )
    def test_they_are_estimates_unless_they_are_to_be_exact(
        self, arguments: tuple[str, ...], verdict: str
    ) -> None:
        case = Path(__file__).parents[2] / "cases" / "c21_door_codes.py"
        report = json.loads(lint("--format", "json", *arguments, str(case)).stdout)
        assert {handler["name"]: handler["verdict"] for handler in report["handlers"]}["reset_all"] == verdict


class TestProcess:
    """What only shows in a process of its own."""

    @pytest.mark.parametrize("command", ["lint", "explain MRTR101", "rules"])
    def test_it_imports_neither_mcp_nor_libcst(self, command: str) -> None:
        write("a.py")
        code = (
            "import sys\n"
            "from mrtr_adapter.cli import mrtr\n"
            f"try: mrtr({command.split()!r})\n"
            "except SystemExit: pass\n"
            "print(sorted(m for m in ('mcp', 'libcst', 'pydantic', 'anyio', 'fastmcp') if m in sys.modules))\n"
        )
        command_line = [sys.executable, "-c", code]
        done = subprocess.run(command_line, capture_output=True, text=True, check=False, timeout=60)
        assert done.stdout.splitlines()[-1] == "[]", done.stderr

    @pytest.mark.parametrize(
        ("shell", "words"),
        [
            (">&-", "standard output is closed; write to a file with --output FILE"),
            ("> /dev/full", "the system refused"),
            ("--output /dev/full", "/dev/full: cannot be written"),
            ("- <&-", "standard input is closed"),
        ],
    )
    def test_closed_and_full_streams_get_a_message(self, shell: str, words: str) -> None:
        if "/dev/full" in shell and not Path("/dev/full").exists():
            pytest.skip("this system has no /dev/full")
        write("a.py")
        command = f'"{sys.executable}" -c "from mrtr_adapter.cli import mrtr; mrtr()" lint {shell}'
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 2
        assert words in done.stderr + done.stdout
        assert "Traceback" not in done.stderr

    def test_a_working_directory_that_is_gone_gets_a_message(self) -> None:
        code = "import os; os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')\n"
        code += "from mrtr_adapter.cli import mrtr; mrtr(['lint'])"
        command_line = [sys.executable, "-c", code]
        done = subprocess.run(command_line, capture_output=True, text=True, check=False, timeout=60)
        assert (done.returncode, done.stdout) == (2, "")
        assert "Traceback" not in done.stderr

    def test_a_reader_that_leaves_causes_no_traceback(self) -> None:
        body = '    answer = await ctx.elicit("Delete all?", Confirm)\n'
        for number in range(40):
            write(f"{number:03}.py", ASKING.replace(body, body * 10))
        code = "from mrtr_adapter.cli import mrtr; mrtr()"
        piped = f'"{sys.executable}" -c "{code}" lint | head -1'
        done = subprocess.run(["sh", "-c", piped], capture_output=True, text=True, check=False, timeout=60)
        assert "Traceback" not in done.stderr
        assert done.stdout.startswith("000.py:")

    @pytest.mark.parametrize(("variables", "colored"), [({}, True), ({"NO_COLOR": "1"}, False)])
    def test_colour_is_for_terminals_that_want_it(self, variables: dict[str, str], colored: bool) -> None:
        write("a.py")
        main, side = pytest.importorskip("pty").openpty()
        environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"} | variables
        code = "from mrtr_adapter.cli import mrtr; mrtr()"
        done = subprocess.Popen(
            [sys.executable, "-c", code, "lint"], stdout=side, stderr=side, env=environment
        )
        os.close(side)
        shown = b""
        try:
            while chunk := os.read(main, 65536):
                shown += chunk
        except OSError:
            pass  # Linux says so when the other side is closed.
        os.close(main)
        assert done.wait(60) == 1
        assert (b"\x1b[" in shown) is colored
