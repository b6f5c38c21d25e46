"""A file of findings that are known and accepted, so that a run fails on new ones only.

An entry is the rule, the file, the handler and the text of the line, not its number: it survives lines that
move. Equal entries are counted.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mrtr_codemod.triage import By, Suppressed, Triage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mrtr_codemod.model import Finding
    from mrtr_codemod.source import SourceFile

VERSION = 1
REASON = "accepted in the baseline"


class BaselineError(Exception):
    """The baseline cannot be used; the message says why and what to do."""


class Entry(NamedTuple):
    """What identifies a finding across edits. `path` is relative to the directory of the baseline."""

    path: str
    rule: str
    handler: str
    text: str


@dataclass(frozen=True)
class Baseline:
    """The accepted findings of one file."""

    file: Path
    entries: Counter[Entry]

    def apply(self, triage: Triage, sources: Mapping[str, SourceFile]) -> Triage:
        """Move accepted findings to the suppressed ones, each as often as it was accepted."""
        left = Counter(self.entries)
        active: list[Finding] = []
        suppressed = list(triage.suppressed)
        for finding in triage.active:
            entry = entry_of(finding, sources, self.file.parent)
            if left[entry] > 0:
                left[entry] -= 1
                suppressed.append(Suppressed(finding, By.BASELINE, REASON))
            else:
                active.append(finding)
        return Triage(tuple(active), tuple(suppressed))

    def stale(self, triage: Triage, sources: Mapping[str, SourceFile], seen: Callable[[Entry], bool]) -> int:
        """Count the entries that no finding matches any more, among those that `seen` says were looked at."""
        matched = Counter(
            entry_of(item.finding, sources, self.file.parent)
            for item in triage.suppressed
            if item.by is By.BASELINE
        )
        return sum((Counter({e: n for e, n in self.entries.items() if seen(e)}) - matched).values())


def entry_of(finding: Finding, sources: Mapping[str, SourceFile], directory: Path) -> Entry:
    """Return the identity of a finding for a baseline that lies in `directory`."""
    path = relative_to(finding.span.path, directory)
    return Entry(path, finding.rule, finding.handler or "", text_of(finding, sources))


def relative_to(path: str, directory: Path) -> str:
    """Name `path`, absolute or relative to the working directory, from `directory`."""
    return os.path.relpath(path, directory).replace(os.sep, "/")


def text_of(finding: Finding, sources: Mapping[str, SourceFile]) -> str:
    """The text that a finding begins at, with its blanks made single, so that indentation may change."""
    source = sources.get(finding.span.path)
    line = " ".join(source.line(finding.span.line).split()) if source else ""
    # A codec like utf-7 can yield surrogates, which no UTF-8 file holds.
    return line.encode("utf-8", "backslashreplace").decode()


def read_baseline(path: str) -> Baseline:
    """Read a baseline. Raises `BaselineError`."""
    file = Path(path).absolute()
    try:
        document = json.loads(file.read_text("utf-8"))
        if document["version"] != VERSION:
            raise ValueError(document["version"])
        accepted = {_entry(item): int(item.get("count", 1)) for item in document["findings"]}
    except OSError as error:
        raise BaselineError(
            f"{path}: {error.strerror or error}; make it with --write-baseline {path}"
        ) from None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise BaselineError(f"{path}: is not a baseline; make it anew with --write-baseline {path}") from None
    return Baseline(file, Counter(accepted))


def write_baseline(path: str, findings: Iterable[Finding], sources: Mapping[str, SourceFile]) -> int:
    """Accept `findings` in the file `path` and return how many they are. Raises `BaselineError`."""
    file = Path(path).absolute()
    entries = Counter(entry_of(finding, sources, file.parent) for finding in findings)
    items = [_item(entry, count) for entry, count in sorted(entries.items())]
    text = json.dumps({"version": VERSION, "findings": items}, indent=2, ensure_ascii=False)
    try:
        file.write_text(text + "\n", "utf-8", newline="\n")
    except OSError as error:
        raise BaselineError(f"{path}: cannot be written: {error.strerror or error}") from None
    return entries.total()


def _entry(item: Any) -> Entry:
    return Entry(str(item["path"]), str(item["rule"]), str(item.get("handler", "")), str(item["text"]))


def _item(entry: Entry, count: int) -> dict[str, str | int]:
    item: dict[str, str | int] = {name: value for name, value in entry._asdict().items() if value}
    item["text"] = entry.text
    return item if count == 1 else {**item, "count": count}
