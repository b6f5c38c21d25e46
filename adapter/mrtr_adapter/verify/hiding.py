"""Takes out of everything compared what differs from run to run for reasons that are not the handler's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mrtr_adapter.verify.answers import FOLDER
from mrtr_adapter.verify.refusal import CannotVerify
from mrtr_adapter.verify.scratch import Place
from mrtr_adapter.verify.wire import Effect

VOLATILE = "~"
"""Stands for text that the user has named as volatile."""
_TEMPORARY = re.compile(r"\btmp[a-z0-9_]{8}(?![a-z0-9_])")
"""What `tempfile` makes of a name."""
_RANDOM_UUID = re.compile(
    r"(?<![0-9a-f])[0-9a-f]{8}(-?)[0-9a-f]{4}(?:\1)4[0-9a-f]{3}(?:\1)[89ab][0-9a-f]{3}(?:\1)[0-9a-f]{12}(?![0-9a-f])"
)
"""RFC 9562, version 4, with hyphens and without."""


def patterns(volatile: Sequence[str]) -> list[re.Pattern[str]]:
    """The user's regular expressions.

    Raises:
        CannotVerify: one of them is none.
    """
    try:
        return [re.compile(pattern) for pattern in volatile]
    except re.error as error:
        raise CannotVerify(f"--volatile {error.pattern!r} is no regular expression: {error}") from None


class Hiding:
    """For one run: its paths go, as do random names of temporary files and what the user has named.

    Random UUIDs are numbered in the order in which they come, so that one and the same stays one and the same.
    """

    def __init__(self, place: Place, volatile: Sequence[re.Pattern[str]]) -> None:
        self._paths = [
            (spelling, name)
            for path, name in ((place.folder, FOLDER), (place.temporary, "{temporary}"))
            for spelling in dict.fromkeys((str(path.resolve()), str(path)))
        ]
        self._volatile = volatile
        self._uuids: dict[str, str] = {}

    def text(self, text: str) -> str:
        for path, name in self._paths:
            text = text.replace(path, name)
        text = _RANDOM_UUID.sub(self._numbered, _TEMPORARY.sub("tmp*", text))
        for pattern in self._volatile:
            text = pattern.sub(VOLATILE, text)
        return text

    def value(self, value: Any) -> Any:
        """The same for JSON."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {name: self.value(item) for name, item in value.items()}
        return [self.value(item) for item in value] if isinstance(value, list) else value

    def effect(self, effect: Effect) -> Effect:
        """The same for an effect, whose paths are then those in the folder."""
        what = self.text(effect.what).removeprefix(f"{FOLDER}/")
        file = self.text(effect.file).removeprefix(f"{FOLDER}/")
        shown = Path(file).name if Path(file).is_absolute() else file
        return effect.model_copy(update={"what": what, "file": shown})

    def _numbered(self, match: re.Match[str]) -> str:
        uuid = match[0].replace("-", "")
        return self._uuids.setdefault(uuid, f"{{uuid {len(self._uuids) + 1}}}")
