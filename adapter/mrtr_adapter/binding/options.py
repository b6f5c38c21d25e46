"""The options of `adapt()`, checked before a server runs under them."""

from __future__ import annotations

from collections.abc import Mapping

from mrtr_adapter.engine.chosen import Chosen
from mrtr_adapter.engine.terms import Terms

_CHOICES = {
    "on_missing_capability": ("refuse", "raise"),
    "on_invalid_state": ("error", "restart"),
    "on_changed_handler": ("continue", "restart"),
}
_EFFECTS = ("warn", "refuse", "ignore")
_LEAST = {"max_rounds": 1, "max_state_bytes": 1024, "max_entries": 1}


def checked(terms: Terms) -> Terms:
    """The same terms.

    Raises:
        ValueError: one of them makes no sense.
    """
    if not 0 < terms.lifetime < float("inf"):
        raise ValueError(f"lifetime is a positive number of seconds, not {terms.lifetime!r}")
    for name, least in _LEAST.items():
        if getattr(terms, name) < least:
            raise ValueError(f"{name} is at least {least}, not {getattr(terms, name)!r}")
    for name, choices in _CHOICES.items():
        _one_of(name, getattr(terms, name), choices)
    return terms


def chosen_effects(option: str | Mapping[str, str]) -> Chosen[str]:
    """What `on_effect` says, for all tools or by name.

    Raises:
        ValueError: it is none of `warn`, `refuse` and `ignore`.
    """
    named = {"*": option} if isinstance(option, str) else dict(option)
    for policy in named.values():
        _one_of("on_effect", policy, _EFFECTS)
    return Chosen(named.pop("*", "warn"), named)


def _one_of(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"{name} is {' or '.join(map(repr, choices))}, not {value!r}")
