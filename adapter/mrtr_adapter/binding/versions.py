"""Which versions of the SDK and of FastMCP this works with; all of them are tested."""

from __future__ import annotations

import re

SUPPORTED = {"mcp": ("2.1", "3"), "fastmcp": ("4.0.6", "5")}
"""The oldest that is supported, and the first that is not."""


class UnsupportedVersion(RuntimeError):
    """What is installed is none of the versions that this works with; says which are."""


def require(distribution: str) -> None:
    """Go on only with a supported version of this distribution.

    Raises:
        UnsupportedVersion: it is too old, too new or not there.
    """
    oldest, beyond = SUPPORTED[distribution]
    installed = version(distribution)
    if not _parts(oldest) <= _parts(installed) < _parts(beyond):
        raise UnsupportedVersion(
            f"mrtr works with {distribution} >= {oldest} and < {beyond}, and {installed} is installed: "
            f"pip install '{distribution}>={oldest},<{beyond}'"
        )


def version(distribution: str) -> str:
    """What is installed of it, or `none`."""
    from importlib import metadata  # slow, and the command asks for no version before it must

    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "none"


def _parts(text: str) -> tuple[int, ...]:
    """The release of a version, without what comes before or after it: `4.0.0b2` counts as 4.0.0."""
    found = re.match(r"\d+(\.\d+)*", text)
    return tuple(map(int, found.group().split("."))) if found else ()
