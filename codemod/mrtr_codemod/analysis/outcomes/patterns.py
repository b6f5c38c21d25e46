"""`match` on an answer or on its action."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mrtr_codemod.analysis.outcomes.values import Const, Known, is_instance, same
from mrtr_codemod.analysis.walk import last_name


def matches(pattern: ast.pattern, value: Known) -> bool | None:
    """Whether a value matches a pattern, None if that is not known."""
    if isinstance(pattern, ast.MatchAs):
        return True if pattern.pattern is None else matches(pattern.pattern, value)
    if isinstance(pattern, ast.MatchOr):
        results = [matches(option, value) for option in pattern.patterns]
        return True if True in results else (None if None in results else False)
    if isinstance(pattern, (ast.MatchValue, ast.MatchSingleton)):
        wanted = pattern.value.value if isinstance(pattern.value, ast.Constant) else pattern.value
        return same(value, Const(wanted)) if not isinstance(wanted, ast.expr) else None
    if isinstance(pattern, ast.MatchClass):
        verdict = is_instance(value, (last_name(pattern.cls),))
        plain = not pattern.patterns and not pattern.kwd_patterns
        return verdict if verdict is False or plain else None
    return None


def names_bound(pattern: ast.pattern) -> Iterator[str]:
    """The names that a pattern binds."""
    for node in ast.walk(pattern):
        name = getattr(node, "name", None) or getattr(node, "rest", None)
        if isinstance(name, str):
            yield name
