"""Lets files for FastMCP 2 and 3 be imported where FastMCP 4 is installed.

They may name what 4 has moved or removed before `adapt` ever sees their server. So it is put back as soon as FastMCP
itself is imported, whoever does that; a file that never does pays nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType


def allow_old_names() -> None:
    """Let files import the names that FastMCP 4 has moved or removed, from now on, in this process.

    Raises:
        UnsupportedVersion: the installed FastMCP is none that this works with. If it is not imported yet, whoever
            imports it is told so.
    """
    if "fastmcp" in sys.modules:
        _put_back()
    elif not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def _put_back() -> None:
    from mrtr_adapter.binding import versions
    from mrtr_adapter.fastmcp import old_names

    versions.require("fastmcp")
    old_names.install()


class _Finder(MetaPathFinder):
    """Finds FastMCP where it is, and sees it being loaded."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "fastmcp":
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(Loader):
    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        if module.__spec__ is not None:
            module.__spec__.loader = module.__loader__ = self._loader
        _put_back()
