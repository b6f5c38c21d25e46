"""What makes a finding the same one after an edit, for SARIF's `partialFingerprints`."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING

from mrtr_codemod.baseline import text_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mrtr_codemod.model import Finding
    from mrtr_codemod.report.outcome import Outcome


def fingerprints(findings: Iterable[Finding], outcome: Outcome) -> list[str]:
    """Return a digest for each finding: of its rule, file, handler and line's text, numbered where equal.

    It does not change when lines move.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    digests = []
    for finding in findings:
        identity = (finding.rule, finding.span.path, finding.handler or "", text_of(finding, outcome.sources))
        parts = "\0".join([*identity, str(seen[identity])])
        digests.append(hashlib.sha256(parts.encode("utf-8", "backslashreplace")).hexdigest()[:32])
        seen[identity] += 1
    return digests
