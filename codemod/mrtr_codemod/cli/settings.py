"""What one run is asked to do: the command line over `[tool.mrtr.lint]` over the defaults."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mrtr_codemod.config import find_config
from mrtr_codemod.model import Level
from mrtr_codemod.selection import ALL, PerFileIgnore

if TYPE_CHECKING:
    from collections.abc import Sequence

NEVER = "never"
DEFAULT_FAIL_ON = Level.WARNING.value


@dataclass(frozen=True)
class Settings:
    """The settings of a run. `base` is the absolute directory that path patterns start from."""

    base: str
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    per_file_ignores: tuple[PerFileIgnore, ...]
    exclude: tuple[str, ...]
    fail_on: Level | None
    baseline: str | None


@dataclass(frozen=True)
class Overrides:
    """What the command line says; None or empty: nothing."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[PerFileIgnore, ...] = ()
    exclude: tuple[str, ...] = ()
    fail_on: str | None = None
    baseline: str | None = None


def settle(overrides: Overrides, paths: Sequence[str]) -> Settings:
    """Combine the command line with the configuration nearest to `paths`; what is said first wins.

    Excluded patterns add up instead. Raises `ConfigError`.
    """
    config = find_config(_common_directory(paths))
    fail_on = overrides.fail_on or config.fail_on or DEFAULT_FAIL_ON
    return Settings(
        base=config.base,
        select=overrides.select or config.select or (ALL,),
        ignore=overrides.ignore or config.ignore or (),
        per_file_ignores=overrides.per_file_ignores or config.per_file_ignores or (),
        exclude=(*(config.exclude or ()), *overrides.exclude),
        fail_on=None if fail_on == NEVER else Level(fail_on),
        baseline=overrides.baseline or config.baseline,
    )


def _common_directory(paths: Sequence[str]) -> str:
    """The directory that holds everything named; the working directory if that is not on one drive."""
    located = [os.path.abspath(path) for path in paths]
    try:
        common = os.path.commonpath(located) if located else os.getcwd()
    except ValueError:
        return os.getcwd()
    return common if os.path.isdir(common) else os.path.dirname(common)
