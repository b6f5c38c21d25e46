"""Every rule that a finding can carry, as documentation."""

from __future__ import annotations

from functools import cache

from mrtr_codemod.report.rulebook import RuleDoc
from mrtr_codemod.rules import all_rules
from mrtr_codemod.suppress_rules import SUPPRESSION_RULES


@cache
def rulebook() -> dict[str, RuleDoc]:
    """Return all rules by their code, in the order of the codes."""
    checked = [
        RuleDoc(
            rule.code,
            rule.name,
            rule.level,
            rule.summary,
            rule.what,
            rule.why,
            rule.example,
            rule.remedy,
            rule.reference,
        )
        for rule in all_rules()
    ]
    return {rule.code: rule for rule in sorted([*SUPPRESSION_RULES, *checked], key=lambda rule: rule.code)}
