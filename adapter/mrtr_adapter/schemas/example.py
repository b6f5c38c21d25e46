"""The plainest value that a JSON schema takes: for arguments that nobody has named, and for answers."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from mrtr_adapter.schemas.values import Values


class NoExample(Exception):
    """No value could be found; the message says for what."""


def example(schema: Mapping[str, Any]) -> Any:
    """A value that fits `schema`: required properties only, and defaults and examples where it has them.

    Raises:
        NoExample: none that fits was found. There may be one all the same.
    """
    found = list(islice(Values(schema, sparse=True).all(schema), 1))
    if not found:
        raise NoExample("nothing was found that fits its schema")
    return found[0]
