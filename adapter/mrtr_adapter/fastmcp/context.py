"""Gives FastMCP's `Context` back what handlers for FastMCP 2 and 3 call.

The methods are put on the class, as handlers get their context in many ways (a parameter, `CurrentContext()`,
`get_context()`, a middleware's). On servers that are not adapted nothing that worked before changes.
"""

from __future__ import annotations

from fastmcp import Context

from mrtr_adapter.fastmcp.elicitation import asking_elicit
from mrtr_adapter.fastmcp.roots import list_roots
from mrtr_adapter.fastmcp.sampling.loop import sample
from mrtr_adapter.fastmcp.sampling.step import sample_step
from mrtr_adapter.fastmcp.state import session_id_of_flow, state_key_of_round

_installed = False


def install() -> None:
    """Does nothing the second time."""
    global _installed
    if _installed:
        return
    _installed = True
    kind: type[Context] = Context
    replacements = {
        "elicit": asking_elicit(kind.elicit),
        "sample": sample,
        "sample_step": sample_step,
        "list_roots": list_roots,
        "session_id": session_id_of_flow(kind.session_id.fget),  # type: ignore[attr-defined]  # a property
        "_make_state_key": state_key_of_round(kind._make_state_key),
    }
    for name, replacement in replacements.items():
        setattr(kind, name, replacement)
