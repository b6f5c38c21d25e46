"""What is added to the log files that the user has named, run by run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mrtr_adapter.verify.scratch import Place, Source


class Logs:
    """The named logs in the folder of one run. One that lies elsewhere is read from where it ends now."""

    def __init__(self, names: Sequence[Path], source: Source, place: Place) -> None:
        self._files = {str(name): _found(name, source, place) for name in names}
        self._read = {name: _size(file) for name, file in self._files.items()}

    def added(self) -> dict[str, list[str]]:
        """The lines that are new since the last time, by the name of the log."""
        return {name: self._new_lines(name, file) for name, file in self._files.items()}

    def is_log(self, path: str) -> bool:
        """Whether this is one of them: what is written there counts by its lines."""
        return any(file == Path(path) for file in self._files.values())

    def _new_lines(self, name: str, file: Path) -> list[str]:
        size = _size(file)
        start = self._read[name] if self._read[name] <= size else 0
        self._read[name] = size
        if size == start:
            return []
        with file.open("rb") as log:
            log.seek(start)
            return log.read(size - start).decode(errors="replace").splitlines()


def _found(name: Path, source: Source, place: Place) -> Path:
    """Where the log is in the run."""
    for layer in source.layers:
        if name.is_absolute() and name.resolve().is_relative_to(layer):
            return place.folder / name.resolve().relative_to(layer)
    return place.folder / name


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
