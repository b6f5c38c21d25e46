"""The rules, one a file: `RULE` in each module of this package whose name begins with a rule's code.

`1xx` asks, `2xx` removed or deprecated, `3xx` hazards of running a handler again, `4xx` policy.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Sequence
from functools import cache
from importlib import import_module

from mrtr_codemod.rules.base import Rule

__all__ = ["Rule", "all_rules", "rule"]


@cache
def all_rules() -> Sequence[Rule]:
    """Every rule, by code."""
    names = sorted(m.name for m in pkgutil.iter_modules(__path__) if m.name.startswith("mrtr"))
    rules = [import_module(f"{__name__}.{name}").RULE for name in names]
    return tuple(sorted(rules, key=lambda rule: rule.code))


def rule(code: str) -> Rule:
    """The rule with a code such as `MRTR303`; raises `KeyError` if there is none."""
    for candidate in all_rules():
        if candidate.code == code:
            return candidate
    raise KeyError(code)
