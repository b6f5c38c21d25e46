"""Effects of two runs, held against each other by kind and target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from mrtr_adapter.verify.runs import Difference, Run


@dataclass(frozen=True)
class Act:
    """One thing that was done, and where in the code, if that is known. A line in a log is one as well."""

    what: str
    place: str


@dataclass(frozen=True)
class Repeated:
    """An effect that happens more often than natively."""

    what: str
    place: str
    natively: int
    times: int


def acts(run: Run) -> list[list[Act]]:
    """What a run has done: what was observed, and then each log, in order."""
    observed = [
        Act(f"{done.effect.event} {done.effect.what}".strip(), f"{done.effect.file}:{done.effect.line}")
        for done in run.effects
    ]
    logs = [[Act(f"{name}: {line}", "") for line, _ in lines] for name, lines in run.logs.items()]
    return [observed, *logs]


def repeated(native: Run, other: Run) -> list[Repeated]:
    """Which effects happen more often than natively, in the order in which they happen."""
    found = []
    for before, after in zip(acts(native), acts(other), strict=True):
        natively, times = _count(before), _count(after)
        for what, count in times.items():
            if 0 < natively[what] < count:
                place = next(act.place for act in after if act.what == what)
                found.append(Repeated(what, place, natively[what], count))
    return found


def effect_differences(native: Run, other: Run, *, allow_repeat: bool) -> list[Difference]:
    """Repeated, missing and new effects; if there is none of these, those in another order."""
    found = []
    for before, after in zip(acts(native), acts(other), strict=True):
        found += list(_in_counts(before, after, allow_repeat)) or list(_in_order(before, after))
    return found


def _in_counts(before: Sequence[Act], after: Sequence[Act], allow_repeat: bool) -> Iterator[Difference]:
    natively, now = _count(before), _count(after)
    for what in {**natively, **now}:
        was, times = natively[what], now[what]
        if was == times or (allow_repeat and 0 < was < times):
            continue
        yield Difference(_kind(was, times), f"effect {what}", _times(was), _times(times))


def _kind(was: int, times: int) -> Literal["effect new", "effect repeated", "effect missing"]:
    if was == 0:
        return "effect new"
    return "effect repeated" if times > was else "effect missing"


def _in_order(before: Sequence[Act], after: Sequence[Act]) -> Iterator[Difference]:
    """What was done natively must come in its order, whatever is repeated in between."""
    left = iter(act.what for act in after)
    for place, act in enumerate(before, 1):
        if act.what not in left:
            yield Difference("effect order", "order of effects", f"{place}. {act.what}", "earlier than that")
            return


def _count(done: Sequence[Act]) -> Counter[str]:
    return Counter(act.what for act in done)


def _times(count: int) -> str:
    return "never" if count == 0 else "once" if count == 1 else f"{count} times"
