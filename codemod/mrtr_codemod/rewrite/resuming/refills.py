"""What an earlier round left in the memory of its process, and a later one looks for."""

from __future__ import annotations

import ast

import libcst as cst

from ..flow.memory import Memory
from ..flow.reaching import Reaching, without_blocks
from ..prepare import Prepared
from ..refusal import Refusal
from ..sites import Site
from .steady import Steady


def find_refills(prepared: Prepared, steady: Steady, reaching: Reaching) -> frozenset[cst.CSTNode]:
    """Statements `TABLE[key] = value` that each round makes again, since it may run in another process.

    Raises:
        Refusal: if a later round relies on what an earlier one left in memory in any other way.
    """
    _refuse_session_state(prepared, reaching)
    memory = Memory(prepared.view.facts, prepared.function.owner)
    refills: set[cst.CSTNode] = set()
    for site in prepared.sites:
        at = prepared.pairs[site.stmt][0]
        before = [s for s in reaching.statements if reaching.may_precede(s, at)]
        after = [s for s in reaching.statements if s is not at and reaching.may_precede(at, s)]
        written = memory.writes(without_blocks(before), prepared.locals)
        shared = written & memory.reads(without_blocks(after), prepared.locals) if written else set()
        for name in sorted(shared):
            refill = _refill_of(name, site, prepared, steady)
            if refill is None:
                raise Refusal(
                    "process-memory",
                    f"`{name}` is changed before the ask and read after it, maybe in another process: use a store",
                )
            refills.add(refill)
    return frozenset(refills)


def _refuse_session_state(prepared: Prepared, reaching: Reaching) -> None:
    """FastMCP's `ctx.set_state` is kept for a session, or a request; a later round may have neither."""
    for site in prepared.sites:
        at = prepared.pairs[site.stmt][0]
        before = without_blocks([s for s in reaching.statements if reaching.may_precede(s, at)])
        after = without_blocks(
            [s for s in reaching.statements if s is not at and reaching.may_precede(at, s)]
        )
        if _calls(before, "set_state", prepared) and _calls(after, "get_state", prepared):
            raise Refusal(
                "session-state",
                "what `set_state` keeps before the ask may not be there after it, in another request: use a local",
            )


def _calls(stmts: list[ast.stmt], method: str, prepared: Prepared) -> bool:
    channel = prepared.function.channel
    nodes = (n for s in stmts for n in ast.walk(s) if isinstance(n, ast.Attribute) and n.attr == method)
    return channel is not None and any(
        isinstance(n.value, ast.Name) and n.value.id == channel.context for n in nodes
    )


def _refill_of(name: str, site: Site, prepared: Prepared, steady: Steady) -> cst.CSTNode | None:
    """The only statement of the module that writes to `name`, if making it again changes nothing."""
    memory = Memory(prepared.view.facts)
    writers = [
        q for q, f in prepared.view.facts.functions.items() if name in memory.writes(f.body, frozenset())
    ]
    if writers != [prepared.function.qualname] or site.loops:
        return None
    stores = [n for n in ast.walk(prepared.parsed) if name in memory.written(n)]
    entries = [s for s in prepared.node.body.body if _is_entry(prepared.pairs[s], name, steady)]
    return entries[0] if len(entries) == len(stores) == 1 else None


def _is_entry(parsed: list[ast.stmt], name: str, steady: Steady) -> bool:
    match parsed:
        case [ast.Assign(targets=[ast.Subscript(value=ast.Name(id=table), slice=ast.Name())], value=value)]:
            return table == name and steady.value(value)
    return False
