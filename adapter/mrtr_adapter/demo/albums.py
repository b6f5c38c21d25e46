"""What can be lost: two albums of photos, as files in a folder that is removed afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

PHOTOS = 3


class Albums:
    """Folders of three files each."""

    def __init__(self, folder: Path, *names: str) -> None:
        self.folder = folder
        for name in names:
            (folder / name).mkdir(parents=True)
            for number in range(1, PHOTOS + 1):
                (folder / name / f"{number}.jpg").write_bytes(b"a photo")

    def left(self, album: str) -> int:
        """How many photos there still are in an album."""
        return len(list((self.folder / album).iterdir()))


@contextmanager
def scratch_folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="mrtr-demo-") as folder:
        yield Path(folder)
