"""How long work tells that it goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[int, int], None]
"""Called with how many files are done, and how many there are as far as is known."""
