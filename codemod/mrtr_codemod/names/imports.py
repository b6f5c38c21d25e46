"""Which file of the repo an import means: module names are paths, seen from the importing file."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable

from mrtr_codemod.names.roles import in_family


class ModuleIndex:
    """Finds modules by dotted name. Several trees in one repo may hold modules of the same name: the nearest
    wins."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._by_last: dict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
        self._packages: set[tuple[str, ...]] = set()
        for path in paths:
            parts = _module_parts(path)
            if parts:
                self._by_last[parts[-1]].append((parts, path))
            if path.endswith("/__init__.py"):
                self._packages.add(parts)

    def find(self, dotted: str, importer: str) -> str | None:
        """The path of module `dotted` as imported absolutely by the file `importer`."""
        wanted = tuple(dotted.split("."))
        home = tuple(importer.split("/")[:-1])
        best: tuple[bool, int, int, str] | None = None
        for parts, path in self._by_last.get(wanted[-1], ()):
            if parts[-len(wanted) :] != wanted or path == importer:
                continue
            root = parts[: len(parts) - len(wanted)]
            inside = root in self._packages and root != home
            if inside and not _leads_past(root, wanted, home):
                continue  # inside a package its full name would be needed
            if len(wanted) == 1 and not self._importable(root, parts, home):
                continue
            rank = (not inside, _common(root, home), -len(parts), path)
            if best is None or rank > best:
                best = rank
        return best[-1] if best else None

    def _importable(self, root: tuple[str, ...], parts: tuple[str, ...], home: tuple[str, ...]) -> bool:
        """Whether a short name, which many trees may have, is on the import path of a file in `home`."""
        return home[: len(root)] == root or root[-1:] == ("src",) or parts in self._packages

    def dotted_name(self, path: str) -> str:
        """The name that the module at `path` has, counted from the top of its packages."""
        parts = _module_parts(path)
        start = max(len(parts) - 1, 0)
        while start > 0 and parts[:start] in self._packages:
            start -= 1
        return ".".join(parts[start:])


def absolute_name(path: str, dotted_name: str, level: int, module: str | None) -> str:
    """The absolute name behind `from ..module import …` in the file at `path`."""
    if level == 0:
        return module or ""
    package = dotted_name.split(".")
    if not path.endswith("/__init__.py") and path != "__init__.py":
        package = package[:-1]
    package = package[: len(package) - (level - 1)]
    return ".".join([*package, module] if module else package)


def _leads_past(root: tuple[str, ...], wanted: tuple[str, ...], home: tuple[str, ...]) -> bool:
    """Whether an import may count from a folder although an `__init__.py` lies in it: many repos have a stray one
    in `src`, or start a script inside the package.

    A single name is more likely a library's, and so is that of an SDK.
    """
    if home[: len(root)] != root or wanted[0] in sys.stdlib_module_names or in_family(wanted[0]):
        return False
    return len(wanted) > 1 or root[-1] == "src"


def _module_parts(path: str) -> tuple[str, ...]:
    stem = path.rpartition(".")[0] or path
    parts = tuple(stem.split("/"))
    return parts[:-1] if parts[-1] == "__init__" else parts


def _common(left: tuple[str, ...], right: tuple[str, ...]) -> int:
    count = 0
    for a, b in zip(left, right):  # noqa: B905  (strict= would need equal lengths)
        if a != b:
            break
        count += 1
    return count
