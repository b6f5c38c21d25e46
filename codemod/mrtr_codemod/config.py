"""`[tool.mrtr.lint]` in pyproject.toml."""

from __future__ import annotations

import difflib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mrtr_codemod.selection import PerFileIgnore

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FAIL_ON = ("info", "warning", "error", "never")


class ConfigError(Exception):
    """The configuration cannot be used; the message names the file, the key and what to write instead."""


@dataclass(frozen=True)
class LintConfig:
    """What a project says about its checks. None means: not said. `base` is the directory of the file."""

    base: str
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    per_file_ignores: tuple[PerFileIgnore, ...] | None = None
    exclude: tuple[str, ...] | None = None
    fail_on: str | None = None
    baseline: str | None = None
    """An absolute path."""


def find_config(start: str) -> LintConfig:
    """Read the nearest pyproject.toml with a `[tool.mrtr.lint]` table, in `start` or above it.

    Without one, an empty configuration based on `start`. Raises `ConfigError`.
    """
    for directory in [Path(start), *Path(start).parents]:
        file = directory / "pyproject.toml"
        table = _lint_table(file) if file.is_file() else None
        if table is not None:
            return _parse(table, file)
    return LintConfig(start)


def _lint_table(file: Path) -> dict[str, Any] | None:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror or error}") from None
    try:
        document = tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{file}: is not valid TOML: line {line} is no text in UTF-8") from None
    except (ValueError, RecursionError) as error:  # of numbers that are too long, and of deep nesting
        raise ConfigError(f"{file}: is not valid TOML: {error}") from None
    mrtr = _table(_table(document.get("tool", {}), file, "tool").get("mrtr", {}), file, "tool.mrtr")
    _refuse_unknown(mrtr, {"lint"}, file, "tool.mrtr")
    return _table(mrtr["lint"], file, "tool.mrtr.lint") if "lint" in mrtr else None


def _table(value: object, file: Path, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ConfigError(f"{file}: {name} must be a table, not {value!r}")
    return value


def _refuse_unknown(table: dict[str, Any], known: set[str], file: Path, name: str) -> None:
    for key in table.keys() - known:
        close = difflib.get_close_matches(key, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"known keys: {', '.join(sorted(known))}"
        raise ConfigError(f"{file}: unknown key {key!r} in [{name}]; {hint}")


def _parse(table: dict[str, Any], file: Path) -> LintConfig:
    known = {"select", "ignore", "per-file-ignores", "exclude", "fail-on", "baseline"}
    _refuse_unknown(table, known, file, "tool.mrtr.lint")
    read = _Reader(table, file)
    baseline = read.string("baseline")
    return LintConfig(
        base=str(file.parent),
        select=read.strings("select"),
        ignore=read.strings("ignore"),
        per_file_ignores=read.per_file_ignores(),
        exclude=read.strings("exclude"),
        fail_on=read.choice("fail-on", FAIL_ON),
        baseline=None if baseline is None else str(file.parent / baseline),
    )


@dataclass(frozen=True)
class _Reader:
    table: dict[str, Any]
    file: Path

    def string(self, key: str) -> str | None:
        value = self.table.get(key)
        if value is None or isinstance(value, str):
            return value
        raise self._wrong(key, "a string", value)

    def choice(self, key: str, choices: tuple[str, ...]) -> str | None:
        value = self.string(key)
        if value is None or value in choices:
            return value
        raise self._wrong(key, f"one of {', '.join(choices)}", value)

    def strings(self, key: str) -> tuple[str, ...] | None:
        value = self.table.get(key)
        return None if value is None else self._list(key, value)

    def per_file_ignores(self) -> tuple[PerFileIgnore, ...] | None:
        key = "per-file-ignores"
        value = self.table.get(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self._wrong(key, 'a table like {"tests/**" = ["MRTR301"]}', value)
        return tuple(PerFileIgnore(pattern, self._list(key, codes)) for pattern, codes in value.items())

    def _list(self, key: str, value: object) -> tuple[str, ...]:
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        raise self._wrong(key, "a list of strings", value)

    def _wrong(self, key: str, expected: str, value: object) -> ConfigError:
        return ConfigError(f"{self.file}: {key} in [tool.mrtr.lint] must be {expected}, not {value!r}")
