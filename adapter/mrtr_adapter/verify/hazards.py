"""Which of the hazards that the lint warns of became real in a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mrtr_adapter.verify.compare import is_refusal, lacks_capability, outcome_text
from mrtr_adapter.verify.effects import Repeated, repeated
from mrtr_adapter.verify.runs import Run, Way

Kind = Literal[
    "effect repeated", "question changed", "suspension swallowed", "still awaits the client", "failed open"
]


@dataclass(frozen=True)
class Hazard:
    """Something that replay brings about, or would have, in words."""

    kind: Kind
    way: Way
    what: str
    how: str = ""
    """What the case adds to that, as how often."""


def hazards(target: str, native: Run, other: Run) -> list[Hazard]:
    """What became real when `target` was called."""
    found = [_repetition(other.way, each) for each in repeated(native, other)]
    found += [
        Hazard("question changed", other.way, target, f"{was!r} was answered, and the replay asked {now!r}")
        for was, now in other.changed
    ]
    if lacks_capability(other.outcome) and not is_refusal(native.outcome):
        how = f"the handler went on: {outcome_text(native.outcome)!r}"
        found.append(Hazard("failed open", "native", f"{target}, where the client can't be asked", how))
    if other.swallowed:
        found.append(
            Hazard(
                "suspension swallowed",
                other.way,
                target,
                "caught its own suspension and went on; the adapter kept it from acting on that",
            )
        )
    if other.way == "rewritten" and other.awaited:
        found.append(
            Hazard("still awaits the client", other.way, target, "is not in steps, so it needs the adapter")
        )
    return found


def failed_open(target: str, native: Run, unchecked: Run) -> list[Hazard]:
    """Whether content that breaks the schema went through, natively; on 2026-07-28 the question is asked again."""
    outcome = unchecked.outcome
    if outcome == native.outcome or is_refusal(outcome):
        return []
    how = f"the handler went on: {outcome_text(outcome)!r}; on 2026-07-28 the question is asked again"
    return [Hazard("failed open", "native", f"{target}, answered against the form's schema", how)]


def _repetition(way: Way, each: Repeated) -> Hazard:
    place = f" ({each.place})" if each.place else ""
    natively = "once" if each.natively == 1 else f"{each.natively} times"
    return Hazard("effect repeated", way, each.what + place, f"{each.times} times, natively {natively}")
