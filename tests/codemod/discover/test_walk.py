from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from mrtr_codemod.discover import find_files
from mrtr_codemod.discover.patterns import PathPatterns

if TYPE_CHECKING:
    from pathlib import Path


def write(root: Path, *names: str, text: str = "") -> None:
    for name in names:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def found(root: Path, *arguments: str, exclude: tuple[str, ...] = ()) -> list[str]:
    discovery = find_files(arguments or (".",), PathPatterns(str(root), exclude), str(root))
    assert not discovery.failures
    return [file.path for file in discovery.files]


@pytest.fixture(autouse=True)
def configuration(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of a user's configuration, in which git finds nothing yet."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "configuration"))
    for name in ("GIT_CONFIG_GLOBAL", "GIT_DIR", "GIT_WORK_TREE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return home / "configuration"


def test_what_the_user_ignores_everywhere_is_ignored_and_a_work_tree_outranks_it(
    tmp_path: Path, configuration: Path
) -> None:
    (tmp_path / ".git").mkdir()
    write(configuration, "git/ignore", text="scratch*.py\n")
    write(tmp_path, ".gitignore", text="!scratch_kept.py\n")
    write(tmp_path, "scratch.py", "pkg/scratch.py", "scratch_kept.py", "pkg/x.py")
    assert found(tmp_path) == ["pkg/x.py", "scratch_kept.py"]


def test_outside_of_a_work_tree_the_user_ignores_nothing(tmp_path: Path, configuration: Path) -> None:
    write(configuration, "git/ignore", text="scratch.py\n")
    write(tmp_path, "scratch.py")
    assert found(tmp_path) == ["scratch.py"]


def test_the_file_that_git_is_configured_with_is_taken_instead(tmp_path: Path, configuration: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    (tmp_path / ".git").mkdir()
    write(configuration, "git/ignore", text="default.py\n")
    write(configuration.parent, "mine", text="own.py\n")
    write(configuration.parent, ".gitconfig", text="[core]\n\texcludesFile = ~/mine\n")
    write(tmp_path, "default.py", "own.py")
    assert found(tmp_path) == ["default.py"]


def test_without_git_its_default_file_is_taken(
    tmp_path: Path, configuration: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    (tmp_path / ".git").mkdir()
    write(configuration, "git/ignore", text="gone.py\n")
    write(tmp_path, "gone.py", "here.py")
    assert found(tmp_path) == ["here.py"]


def test_finds_python_files_and_notebooks_in_the_order_of_their_paths(tmp_path: Path) -> None:
    write(tmp_path, "b.py", "a/z.py", "a/a.ipynb", "a.py", "gui.pyw", "notes.md", "stub.pyi", "a/py")
    assert found(tmp_path) == ["a.py", "a/a.ipynb", "a/z.py", "b.py", "gui.pyw"]


def test_stays_out_of_what_nobody_wrote(tmp_path: Path) -> None:
    write(
        tmp_path, "node_modules/x.py", ".hidden/x.py", "__pycache__/x.py", "lib/site-packages/x.py", "ok.py"
    )
    write(tmp_path, "env/pyvenv.cfg", "env/x.py", "conda/conda-meta/history", "conda/x.py", ".#ok.py")
    assert found(tmp_path) == ["ok.py"]


def test_takes_what_is_named_whatever_ignores_it(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path, ".gitignore", text="build/\nsecret.py\n")
    write(tmp_path, "build/x.py", "secret.py", "script", "site-packages/y.py")
    assert found(tmp_path) == []
    named = found(tmp_path, "build", "secret.py", "script", "site-packages")
    assert named == ["build/x.py", "script", "secret.py", "site-packages/y.py"]


def test_nested_gitignore_outranks_the_one_above(tmp_path: Path) -> None:
    (tmp_path / ".git" / "info").mkdir(parents=True)
    write(tmp_path, ".git/info/exclude", text="local.py\n")
    write(tmp_path, ".gitignore", text="*_gen.py\n/top.py\n!kept_gen.py\n")
    write(tmp_path, "pkg/.gitignore", text="!api_gen.py\nown.py\n")
    write(tmp_path, "a_gen.py", "kept_gen.py", "top.py", "local.py")
    write(tmp_path, "pkg/api_gen.py", "pkg/b_gen.py", "pkg/own.py", "pkg/top.py")
    assert found(tmp_path) == ["kept_gen.py", "pkg/api_gen.py", "pkg/top.py"]


def test_a_file_in_an_ignored_directory_cannot_come_back(tmp_path: Path) -> None:
    write(tmp_path, ".gitignore", text="out/\n!out/keep.py\n")
    write(tmp_path, "out/keep.py", "in.py")
    assert found(tmp_path) == ["in.py"]


def test_a_subdirectory_inherits_the_patterns_of_its_work_tree(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path, ".gitignore", text="pkg/skipped.py\n")
    write(tmp_path, "pkg/skipped.py", "pkg/taken.py")
    assert found(tmp_path, "pkg") == ["pkg/taken.py"]


def test_patterns_that_git_does_not_understand_are_passed_over(tmp_path: Path) -> None:
    write(tmp_path, ".gitignore", text="!\na\\\ngone.py\n")
    write(tmp_path, "gone.py", "here.py")
    assert found(tmp_path) == ["here.py"]


def test_exclude_matches_at_any_depth_and_by_directory(tmp_path: Path) -> None:
    write(tmp_path, "tests/a.py", "pkg/tests/b.py", "pkg/c.py", "pkg/d_pb2.py", "e/tests.py")
    assert found(tmp_path, exclude=("tests/", "*_pb2.py")) == ["e/tests.py", "pkg/c.py"]
    assert found(tmp_path, exclude=("/tests/",)) == [
        "e/tests.py",
        "pkg/c.py",
        "pkg/d_pb2.py",
        "pkg/tests/b.py",
    ]


def test_each_file_once_however_often_it_is_named(tmp_path: Path) -> None:
    write(tmp_path, "a/b.py")
    assert found(tmp_path, "a", "a/b.py", ".", "a/../a") == ["a/b.py"]


def test_a_path_outside_the_start_is_named_in_full(tmp_path: Path) -> None:
    write(tmp_path, "inside/x.py", "outside/y.py")
    assert found(tmp_path / "inside", "../outside") == [f"{tmp_path.as_posix()}/outside/y.py"]


def test_a_missing_argument_is_a_failure(tmp_path: Path) -> None:
    discovery = find_files(["nowhere"], PathPatterns(str(tmp_path)), str(tmp_path))
    assert [(failure.path, failure.reason) for failure in discovery.failures] == [
        ("nowhere", "does not exist")
    ]


def test_a_directory_that_cannot_be_listed_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "shut/x.py", "open/y.py")
    scandir = os.scandir

    def deny(path: str) -> object:
        if path.endswith("shut"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", deny)
    discovery = find_files(["."], PathPatterns(str(tmp_path)), str(tmp_path))
    assert [file.path for file in discovery.files] == ["open/y.py"]
    assert [(f.path, f.reason) for f in discovery.failures] == [
        ("shut", "cannot be listed: Permission denied")
    ]


def test_links_to_directories_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path, "a/x.py")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "b").symlink_to("a")
    (tmp_path / "dir.py").symlink_to("a")
    assert found(tmp_path) == ["a/x.py"]


def test_names_that_are_no_text_stay_printable(tmp_path: Path) -> None:
    try:
        (tmp_path / os.fsdecode(b"caf\xe9.py")).write_text("")
    except OSError:
        pytest.skip("this file system takes text names only")
    assert found(tmp_path) == ["caf\\xe9.py"]


@pytest.fixture
def deep_path(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    # pytest removes directories by recursion.
    subprocess.run(["rm", "-rf", str(tmp_path / "a")], check=True)


@pytest.mark.skipif(os.name != "posix", reason="needs paths relative to an open directory")
def test_a_tree_deeper_than_the_stack_is_walked(deep_path: Path) -> None:
    tmp_path, depth = deep_path, 1200
    (tmp_path / "a").mkdir()
    # One level at a time: the whole path is longer than some calls take.
    here = os.open(tmp_path / "a", os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("a", dir_fd=here)
        below = os.open("a", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("x.py", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
    assert [path.count("/") for path in found(tmp_path)] == [depth + 1]
