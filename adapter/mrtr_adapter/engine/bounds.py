"""The bounds of a flow: how many rounds, how many entries, how much state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mrtr_adapter.engine.suspension import bound_exceeded

if TYPE_CHECKING:
    from mrtr_adapter.engine.journal import Journal
    from mrtr_adapter.engine.terms import Terms


def sealable(journal: Journal, terms: Terms, name: str, asked: Mapping[str, str]) -> str:
    """The plaintext state of a journal that keeps within the bounds.

    Args:
        name: what is being called.
        asked: the text of its questions, by their digest.

    Raises:
        MCPError: the flow is past one of its bounds; says which, and in `data` what takes the most room.
    """
    if journal.round > terms.max_rounds:
        raise bound_exceeded(
            f"{name} needs more rounds of questions than the {terms.max_rounds} that one call may take (max_rounds)"
        )
    if journal.entries > terms.max_entries:
        raise bound_exceeded(
            f"{name} records {journal.entries} entries and may record {terms.max_entries} (max_entries); `data` names "
            "the largest",
            largest=journal.largest_entry(asked),
        )
    text = journal.seal_text()
    if len(text) > terms.max_state_bytes:
        raise bound_exceeded(
            f"{name} needs {len(text)} bytes of state and may have {terms.max_state_bytes} (max_state_bytes); `data` "
            "names what takes the most room",
            largest=journal.largest_entry(asked),
        )
    return text
