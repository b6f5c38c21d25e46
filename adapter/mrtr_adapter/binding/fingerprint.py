"""Which version of a handler's code a state was sealed for, so that a rolling upgrade can be seen."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from types import CodeType
from typing import Any


def fingerprint(handler: Callable[..., Any] | None) -> str:
    """Eight characters for the code of a handler, or nothing if it has none to look at."""
    while isinstance(handler, functools.partial):
        handler = handler.func
    code = getattr(handler, "__wrapped__", handler)
    code = getattr(code, "__code__", None)
    return _of_code(code) if isinstance(code, CodeType) else ""


@lru_cache(maxsize=1024)
def _of_code(code: CodeType) -> str:
    seen = hashlib.sha256()
    for part in _parts(code):
        seen.update(part)
        seen.update(b"\0")
    return seen.hexdigest()[:8]


def _parts(code: CodeType) -> Iterator[bytes]:
    yield code.co_code
    yield repr(code.co_names).encode()
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _parts(constant)
        else:
            yield _spelled(constant).encode()


def _spelled(constant: object) -> str:
    """`repr`, the same in every process: the order of a set is not."""
    if isinstance(constant, frozenset):
        return f"{{{', '.join(sorted(map(_spelled, constant)))}}}"
    if isinstance(constant, tuple):
        return f"({', '.join(map(_spelled, constant))})"
    return repr(constant)
