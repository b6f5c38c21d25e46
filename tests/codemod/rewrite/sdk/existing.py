"""Prints which of the dotted names it is given lead somewhere, through modules and then attributes.

In a process of its own: the adapter gives old names back to those who run old files as they are.
"""

from __future__ import annotations

import importlib
import json
import sys


def exists(origin: str) -> bool:
    parts = origin.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:count]))
            for name in parts[count:]:
                found = getattr(found, name)
        except (ImportError, AttributeError):
            continue
        return True
    return False


if __name__ == "__main__":
    print(json.dumps([name for name in sys.argv[1:] if exists(name)]))
