"""What `--single-use` and `--store` say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from mrtr_adapter.serving.refusal import CannotServe

SingleUse = bool | Literal["destructive"] | list[str]
_WORDS: dict[str, bool | Literal["destructive"]] = {"all": True, "none": False, "destructive": "destructive"}


def parse_single_use(given: Sequence[str]) -> SingleUse | None:
    """The option of `adapt()`; None if nothing was given. Names are separated by commas, or given one by one.

    Raises:
        CannotServe: one of the words that speak for all tools is mixed with names.
    """
    names = [name.strip() for text in given for name in text.split(",") if name.strip()]
    if not names:
        return None
    if len(names) == 1 and names[0] in _WORDS:
        return _WORDS[names[0]]
    mixed = sorted(_WORDS.keys() & set(names))
    if mixed:
        raise CannotServe(
            f"--single-use {mixed[0]} speaks for all tools: give it alone, or names of tools only"
        )
    return names


def check_store(store: str | None, workers: int) -> None:
    """Refuse a store that the workers would not share.

    Raises:
        CannotServe: it is the memory of one process.
    """
    if workers > 1 and store is not None and store.startswith("memory:"):
        raise CannotServe(
            f"--store memory: is of one process, and there are {workers} workers: give sqlite:///FILE or redis://HOST:PORT/DB"
        )
