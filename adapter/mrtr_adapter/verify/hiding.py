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


class Hiding:
    """For the runs of one session.

    Args:
        volatile: regular expressions.

    Raises:
        CannotVerify: one of them is none.
    """

    def __init__(self, volatile: Sequence[str] = ()) -> None:
        try:
            self._volatile = [re.compile(pattern) for pattern in volatile]
        except re.error as error:
            raise CannotVerify(f"--volatile {error.pattern!r} is no regular expression: {error}") from None

    def text(self, text: str, place: Place) -> str:
        """The text without the paths of the run, random names of temporary files, and what is volatile."""
        for path, name in ((place.folder, FOLDER), (place.temporary, "{temporary}")):
            for spelling in {str(path), str(path.resolve())}:
                text = text.replace(spelling, name)
        text = _TEMPORARY.sub("tmp*", text)
        for pattern in self._volatile:
            text = pattern.sub(VOLATILE, text)
        return text

    def value(self, value: Any, place: Place) -> Any:
        """The same for JSON."""
        if isinstance(value, str):
            return self.text(value, place)
        if isinstance(value, dict):
            return {name: self.value(item, place) for name, item in value.items()}
        return [self.value(item, place) for item in value] if isinstance(value, list) else value

    def effect(self, effect: Effect, place: Place) -> Effect:
        """The same for an effect, whose paths are then those in the folder."""
        what = self.text(effect.what, place).removeprefix(f"{FOLDER}/")
        file = self.text(effect.file, place).removeprefix(f"{FOLDER}/")
        return effect.model_copy(
            update={"what": what, "file": Path(file).name if Path(file).is_absolute() else file}
        )
