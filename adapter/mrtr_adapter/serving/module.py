"""The module that a file makes when it is imported."""

from __future__ import annotations

import logging
import sys
from contextlib import redirect_stdout
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from mrtr_adapter.fastmcp.unchanged import allow_old_names
from mrtr_adapter.serving.import_failure import explain
from mrtr_adapter.serving.refusal import CannotServe, told
from mrtr_adapter.serving.started import StartsItself, starting_forbidden
from mrtr_codemod.packages import folders_with_init, packages_around

logger = logging.getLogger("mrtr")


def import_file(path: Path) -> ModuleType:
    """Import a file by its path, as `python FILE.py` would see it, but under its own name and not `__main__`.

    Its folder is on `sys.path`; a file in a package gets its place there, so that relative imports work. What it
    prints goes to stderr, since stdout may be the wire. Where the file starts its server itself, the import ends.

    Raises:
        CannotServe: it could not be imported; says why and what to do.
    """
    name, folders = _place(path.resolve())
    sys.path[:0] = [str(folder) for folder in folders if str(folder) not in sys.path]
    sys.argv = [str(path)]
    allow_old_names()
    with redirect_stdout(sys.stderr), starting_forbidden():
        try:
            return _executed(name, path)
        except Exception as error:
            raise CannotServe(explain(error, path)) from None
        except SystemExit as error:
            raise CannotServe(
                f"{path} ends the process while it is imported ({told(error)}): "
                'put what is not for import under `if __name__ == "__main__":`'
            ) from None


def _executed(name: str, path: Path) -> ModuleType:
    package = name.rpartition(".")[0]
    if package:
        import_module(package)
        if name in sys.modules:  # its package has imported it
            return sys.modules[name]
    spec = spec_from_file_location(name, path.resolve())
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except StartsItself:
        logger.warning("%s starts its server when it is imported; nothing below that line was run", path)
    return module


def _place(file: Path) -> tuple[str, list[Path]]:
    """The module's name, and the folders that it expects on the path."""
    packages = _packages(file)
    if packages:
        name = ".".join([*(folder.name for folder in packages), file.stem])
        return name, [file.parent, packages[0].parent]
    taken = file.stem in sys.modules or file.stem in sys.stdlib_module_names
    return (f"mrtr_{file.stem}" if taken else file.stem), [file.parent]


def _packages(file: Path) -> list[Path]:
    """The packages that a file is in, the top one first. One of the name of an installed library is not the top."""
    every, found = folders_with_init(file.parent), packages_around(file.parent)
    library = find_spec(found[0].name) if found != every else None
    return every if library and str(found[0]) not in (library.submodule_search_locations or ()) else found
