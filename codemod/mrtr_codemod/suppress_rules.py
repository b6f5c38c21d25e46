"""The rules about suppression comments themselves. They have no check of their own: triage finds them."""

from __future__ import annotations

from mrtr_codemod.model import Level
from mrtr_codemod.report.rulebook import RuleDoc
from mrtr_codemod.triage import MALFORMED, UNUSED

_REFERENCE = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html"

MALFORMED_SUPPRESSION = RuleDoc(
    code=MALFORMED,
    name="malformed-suppression",
    level=Level.WARNING,
    summary="A suppression comment that suppresses nothing, because it names no rule or gives no reason.",
    what="Finds `# mrtr: ignore` comments without a rule, with a rule that does not exist, or without a reason.",
    why=(
        "Whoever wrote the comment believes that the finding is dealt with, but it does not count. Nobody can "
        "tell later whether a suppression without a reason still holds."
    ),
    example=(
        "```python\n"
        "await ctx.elicit(question, Confirm)  # mrtr: ignore[MRTR301]\n"
        "```\n\n"
        "Use instead:\n\n"
        "```python\n"
        "await ctx.elicit(question, Confirm)  # mrtr: ignore[MRTR301] -- the insert is an upsert\n"
        "```"
    ),
    remedy="Write `# mrtr: ignore[CODE] -- reason`; several codes are separated by commas.",
    reference=_REFERENCE,
)

UNUSED_SUPPRESSION = RuleDoc(
    code=UNUSED,
    name="unused-suppression",
    level=Level.WARNING,
    summary="A suppression comment for a finding that is not there.",
    what="Finds `# mrtr: ignore` comments whose rule finds nothing in the statement that they stand at.",
    why="The comment warns readers of something that is gone, and would hide it if it came back.",
    example=(
        "```python\n"
        "total = 0  # mrtr: ignore[MRTR301] -- moved below the ask\n"
        "```\n\n"
        "Use instead:\n\n"
        "```python\n"
        "total = 0\n"
        "```"
    ),
    remedy=(
        "Remove the code from the comment, or the comment. It speaks for findings that begin in the statement "
        "it stands in or, on a line of its own, in the next one."
    ),
    reference=_REFERENCE,
)

SUPPRESSION_RULES = (MALFORMED_SUPPRESSION, UNUSED_SUPPRESSION)
