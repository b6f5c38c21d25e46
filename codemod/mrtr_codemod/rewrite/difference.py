"""The change to one file as a diff that `git apply` takes."""

from __future__ import annotations

import difflib
import re

_LINES = re.compile(r"[^\n]*\n|[^\n]+")


def unified(before: str, after: str, path: str) -> str:
    """Unified diff from `before` to `after`; `path` is relative to where it will be applied. Empty without a change.

    A `before` of "" with no file behind it is written as a new file.
    """
    if before == after:
        return ""
    old, new = _LINES.findall(before), _LINES.findall(after)
    source = "/dev/null" if not before else f"a/{path}"
    out = [f"diff --git a/{path} b/{path}\n"]
    if not before:
        out.append("new file mode 100644\n")
    lines = difflib.unified_diff(old, new, source, f"b/{path}")
    out += [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines]
    return "".join(out)
