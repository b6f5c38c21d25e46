"""What the rewrite would make of handlers, for the lint's verdicts: all of it, or what can be told at little cost."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from mrtr_codemod.rewrite.sdk.names import GONE

if TYPE_CHECKING:
    from mrtr_codemod.analysis.analysis import Analysis
    from mrtr_codemod.rewrite.verdicts import HandlerVerdict
    from mrtr_codemod.source import SourceFile

_HINTS = [("experimental", ""), *(tuple(name.rsplit(".", 1)) for name in GONE)]
"""Words without which a file can't use what is gone, whatever it calls it."""

Foreseen = Mapping[tuple[str, str, int], "HandlerVerdict"]
"""By path, qualified name, and which of the functions of that name in the file it is."""


def foreseen_handlers(analysis: Analysis) -> Foreseen:
    """What would become of each handler that asks; nothing of files that the rewrite does not read.

    It takes as long as a rewrite without its checks, about a tenth of a second for each file.
    """
    paths = {entry.scope.path for entry in analysis.entry_points}
    texts = {p: analysis.project.sources[p].text for p in paths if p.endswith((".py", ".pyw"))}
    if not texts:
        return {}
    from mrtr_codemod.rewrite.file import foreseen
    from mrtr_codemod.rewrite.followed import Followed

    followed = Followed(analysis)
    partners = {p for path in texts for p in followed.partners(path)}
    texts |= {p: analysis.project.sources[p].text for p in partners}
    data = {Path(path): text.encode("utf-8", "surrogatepass") for path, text in sorted(texts.items())}
    found: dict[tuple[str, str, int], HandlerVerdict] = {}
    for path, verdicts in foreseen(data, followed).items():
        for verdict in verdicts:
            name, _, number = verdict.name.partition("#")
            found[path.as_posix(), name, int(number or 1)] = verdict
    return found


def lost_in(source: SourceFile) -> str | None:
    """What of the old SDKs a file can't do without, though the new ones have it no more."""
    if not any(all(word in source.text for word in words) for words in _HINTS):
        return None
    from mrtr_codemod.rewrite.sdk.lost import lost

    try:
        found = lost(source.text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    return found.message if found is not None else None
