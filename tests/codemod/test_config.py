from __future__ import annotations

from pathlib import Path

import pytest

from mrtr_codemod.config import ConfigError, LintConfig, find_config
from mrtr_codemod.selection import PerFileIgnore, Selection, UnknownSelectorError

CODES = frozenset({"MRTR101", "MRTR102", "MRTR301", "MRTR303"})


def config(directory: Path, text: str) -> LintConfig:
    (directory / "pyproject.toml").write_text(text, "utf-8")
    return find_config(str(directory))


def test_every_key_is_read(tmp_path: Path) -> None:
    text = """
    [tool.mrtr.lint]
    select = ["MRTR1"]
    ignore = ["MRTR102"]
    exclude = ["vendor/"]
    fail-on = "error"
    baseline = "base.json"
    per-file-ignores = { "tests/**" = ["MRTR3"] }
    """
    assert config(tmp_path, text) == LintConfig(
        base=str(tmp_path),
        select=("MRTR1",),
        ignore=("MRTR102",),
        per_file_ignores=(PerFileIgnore("tests/**", ("MRTR3",)),),
        exclude=("vendor/",),
        fail_on="error",
        baseline=str(tmp_path / "base.json"),
    )


def test_the_nearest_table_counts(tmp_path: Path) -> None:
    config(tmp_path, '[tool.mrtr.lint]\nselect = ["MRTR1"]')
    below = tmp_path / "pkg" / "src"
    below.mkdir(parents=True)
    (tmp_path / "pkg" / "pyproject.toml").write_text('[project]\nname = "x"', "utf-8")
    assert find_config(str(below)).select == ("MRTR1",)
    (tmp_path / "pkg" / "pyproject.toml").write_text("[tool.mrtr.lint]", "utf-8")
    assert find_config(str(below)) == LintConfig(str(tmp_path / "pkg"))


def test_no_file_means_nothing_is_said(tmp_path: Path) -> None:
    assert find_config(str(tmp_path)).select is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[tool.mrtr.lint]\nselekt = []", "unknown key 'selekt' in [tool.mrtr.lint]; did you mean 'select'?"),
        (
            "[tool.mrtr.lint]\nzzz = []",
            "known keys: baseline, exclude, fail-on, ignore, per-file-ignores, select",
        ),
        ("[tool.mrtr]\nlin = {}", "unknown key 'lin' in [tool.mrtr]; did you mean 'lint'?"),
        (
            "[tool.mrtr.lint]\nselect = 'MRTR1'",
            "select in [tool.mrtr.lint] must be a list of strings, not 'MRTR1'",
        ),
        ("[tool.mrtr.lint]\nignore = [1]", "ignore in [tool.mrtr.lint] must be a list of strings"),
        ("[tool.mrtr.lint]\nfail-on = 'fatal'", "must be one of info, warning, error, never, not 'fatal'"),
        ("[tool.mrtr.lint]\nbaseline = 1", "baseline in [tool.mrtr.lint] must be a string"),
        ("[tool.mrtr.lint]\nper-file-ignores = ['a']", 'must be a table like {"tests/**" = ["MRTR301"]}'),
        ("[tool.mrtr.lint]\nper-file-ignores = {a = 'b'}", "must be a list of strings"),
        ("[tool]\nmrtr = 1", "tool.mrtr must be a table"),
        ("tool = 1", "tool must be a table"),
        ("[tool.mrtr", "is not valid TOML"),
        ("x = " + "[" * 100_000, "is not valid TOML"),
        ("x = " + "9" * 5_000, "is not valid TOML"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        config(tmp_path, text)
    assert words in str(caught.value)
    assert str(tmp_path / "pyproject.toml") in str(caught.value)


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_bytes(b"# first\n\xff\xfe")
    with pytest.raises(ConfigError, match="is not valid TOML: line 2 is no text in UTF-8"):
        find_config(str(tmp_path))


@pytest.mark.parametrize(
    ("select", "ignore", "enabled"),
    [
        (("ALL",), (), {"MRTR101", "MRTR102", "MRTR301", "MRTR303"}),
        (("MRTR1",), (), {"MRTR101", "MRTR102"}),
        (("ALL",), ("MRTR3",), {"MRTR101", "MRTR102"}),
        (("MRTR303",), ("MRTR3",), {"MRTR303"}),
        (("MRTR3",), ("MRTR303",), {"MRTR301"}),
        (("MRTR3",), ("MRTR3",), set()),
        (("ALL", "MRTR303"), ("MRTR",), {"MRTR303"}),
    ],
)
def test_the_longest_selector_decides(
    select: tuple[str, ...], ignore: tuple[str, ...], enabled: set[str]
) -> None:
    assert Selection(CODES, "/", select, ignore).enabled == enabled


@pytest.mark.parametrize("selector", ["MRTR9", "E501", "mrtr1", "", "M"])
def test_a_selector_without_a_rule_is_refused(selector: str) -> None:
    with pytest.raises(UnknownSelectorError, match="names no rule; `mrtr rules` lists them all"):
        Selection(CODES, "/", (selector,))
    with pytest.raises(UnknownSelectorError):
        Selection(CODES, "/", per_file_ignores=(PerFileIgnore("x", (selector,)),))


def test_a_pattern_takes_rules_out_of_its_files_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    selection = Selection(CODES, str(tmp_path), per_file_ignores=(PerFileIgnore("tests/**", ("MRTR3",)),))
    assert not selection.applies("MRTR301", "tests/a/x.py")
    assert selection.applies("MRTR101", "tests/a/x.py")
    assert selection.applies("MRTR301", "src/x.py")
    assert not selection.applies("MRTR301", str(tmp_path / "tests" / "x.py"))
