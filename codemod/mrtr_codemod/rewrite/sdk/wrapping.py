"""New lines that are too long are broken as a formatter would break them."""

from __future__ import annotations

import re

WIDTH = 100


def fitted(line: str) -> list[str]:
    """The line itself, or what is between its first bracket and the last on lines of its own."""
    if len(line) <= WIDTH:
        return [line]
    found = re.fullmatch(r"(\s*)(.*?\()(.*)(\).*)", line)
    if found is None or not found[3]:
        return [line]
    indent, head, inside, tail = found.groups()
    if not head.lstrip().startswith(("async def", "return", "found = ")):
        return [line]
    return [f"{indent}{head}", f"{indent}    {inside}", f"{indent}{tail}"]
