"""Which calls of a scope are asks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from mrtr_codemod.analysis.aliases import Aliases
from mrtr_codemod.analysis.calls import COMPUTED, Key, RawCall
from mrtr_codemod.model import AskKind
from mrtr_codemod.names.evaluate import Evaluator
from mrtr_codemod.names.module import ScopeId
from mrtr_codemod.names.reference import Ref
from mrtr_codemod.names.roles import (
    ASK_METHODS,
    REQUEST_KINDS,
    SEND_REQUEST,
    URL_REQUIRED,
    ask_kind,
    local_part,
    unbound_ask_kind,
)
from mrtr_codemod.names.values import External

_RESULT_KINDS = {
    "ElicitResult": AskKind.FORM,
    "CreateMessageResult": AskKind.SAMPLING,
    "CreateMessageResultWithTools": AskKind.SAMPLING,
    "ListRootsResult": AskKind.ROOTS,
}
_COMPUTED_NAMES = frozenset({f"Context(){COMPUTED}", f"ServerSession(){COMPUTED}"})
_RUNNERS = frozenset({"run", "start_soon", "start", "to_thread", "run_sync", "run_in_executor", "partial"})


class Spelling(Enum):
    """How an ask is written."""

    CALL = "call"
    RUNNER = "runner"
    """The ask is handed to something that calls it at once: `anyio.from_thread.run(ctx.elicit, …)`."""
    VALUE = "value"
    """The ask is handed on as a value; who calls it cannot be told."""
    DYNAMIC = "dynamic"
    """`getattr(ctx, name)(…)`, or a request that was built elsewhere."""
    RAISE = "raise"
    """`raise UrlElicitationRequiredError(…)`."""


@dataclass(frozen=True)
class AskFact:
    """An ask in a scope. `kind` is None when the code does not tell; `receiver` is what it is asked on."""

    key: Key
    kind: AskKind | None
    spelling: Spelling
    receiver: Ref
    name: str
    """The public name of the SDK that is called, without its module: `Context().elicit`."""


@dataclass(frozen=True)
class RawAsk:
    """A call that is spelled like an ask, on a receiver that is not known."""

    key: Key
    receiver: Ref
    name: str


def may_ask(call: RawCall) -> bool:
    """Whether a call is worth evaluating: one of its names is the name of an ask."""
    return not ASK_METHODS.isdisjoint(call.names) or "elicit_with_validation" in call.names


def asks_in(
    calls: Iterable[RawCall], scope: ScopeId, evaluator: Evaluator, aliases: Aliases
) -> tuple[list[AskFact], list[RawAsk]]:
    """The asks among the calls of a scope, and the calls spelled like one whose receiver is not known."""
    asks: dict[Key, AskFact] = {}
    waiting: list[RawAsk] = []
    constructs = tuple(ref for call in calls for ref in call.constructs)
    for call in calls:
        called = call.dynamic or aliases.mean_ask(call.function)
        fact = _ask(call, constructs, scope, evaluator) if called else _handed_on(call, scope, evaluator)
        if fact is not None:
            asks.setdefault(fact.key, fact)
        elif not call.raised:
            waiting.extend(_waiting(call, scope, evaluator))
    return list(asks.values()), waiting


def _ask(call: RawCall, constructs: tuple[Ref, ...], scope: ScopeId, evaluator: Evaluator) -> AskFact | None:
    if call.function is None:
        return None
    if call.raised:
        return _raised(call, scope, evaluator)
    for value in evaluator.values(call.function, scope):
        if not isinstance(value, External):
            continue
        kind = ask_kind(value.name)
        name = local_part(value.name)
        spelling = Spelling.DYNAMIC if call.dynamic else Spelling.CALL
        if kind is not None:
            return AskFact(call.key, kind, spelling, call.function[:-1], name)
        kind = unbound_ask_kind(value.name)
        if kind is not None:
            return AskFact(call.key, kind, Spelling.DYNAMIC, (), name)
        if name in _COMPUTED_NAMES:
            return AskFact(call.key, None, Spelling.DYNAMIC, call.function[:-1], name)
        if name == SEND_REQUEST:
            return _request(call, constructs, scope, evaluator)
    return _handed_on(call, scope, evaluator)


def _raised(call: RawCall, scope: ScopeId, evaluator: Evaluator) -> AskFact | None:
    for value in evaluator.values(call.function, scope):
        if isinstance(value, External) and local_part(value.name.removesuffix("()")) == URL_REQUIRED:
            return AskFact(call.key, AskKind.URL, Spelling.RAISE, (), URL_REQUIRED)
    return None


def _request(
    call: RawCall, constructs: tuple[Ref, ...], scope: ScopeId, evaluator: Evaluator
) -> AskFact | None:
    """An ask by `session.send_request`; other requests, such as a ping, are none."""
    names = {ref[-1].lstrip(".") for ref in call.constructs}
    if any(name.endswith("Request") and name not in {"ServerRequest", *REQUEST_KINDS} for name in names):
        return None
    if not names & REQUEST_KINDS.keys():
        names = {
            value.name.removesuffix("()").rpartition(":")[2]
            for ref in call.arguments[:1]
            for value in evaluator.values(ref, scope)
            if isinstance(value, External)
        }
    if not names & REQUEST_KINDS.keys():
        types = [*call.arguments[1:2], *(ref for name, ref in call.keywords if name == "result_type")]
        results = {
            value.name.rpartition(":")[2]
            for ref in types
            for value in evaluator.values(ref, scope)
            if isinstance(value, External)
        }
        kinds = {_RESULT_KINDS[name] for name in results if name in _RESULT_KINDS}
        if kinds:
            return AskFact(call.key, kinds.pop(), Spelling.CALL, (call.function or ())[:-1], SEND_REQUEST)
        if results or names - {"ServerRequest"}:
            return None
        names = {ref[-1].lstrip(".") for ref in constructs}
    kinds = {REQUEST_KINDS[name] for name in names if name in REQUEST_KINDS}
    if not kinds:
        return AskFact(call.key, None, Spelling.DYNAMIC, (call.function or ())[:-1], SEND_REQUEST)
    kind = AskKind.URL if AskKind.URL in kinds else sorted(kinds, key=lambda k: k.value)[0]
    return AskFact(call.key, kind, Spelling.CALL, (call.function or ())[:-1], SEND_REQUEST)


def _handed_on(call: RawCall, scope: ScopeId, evaluator: Evaluator) -> AskFact | None:
    if call.raised or call.function is None or not may_ask(call):
        return None
    runner = (call.function or ("",))[-1].lstrip(".") in _RUNNERS
    for ref in (*call.arguments, *(ref for _, ref in call.keywords)):
        if ref is None or ref[-1] == "()":
            continue
        for value in evaluator.values(ref, scope):
            kind = ask_kind(value.name) if isinstance(value, External) else None
            if kind is not None and isinstance(value, External):
                spelling = Spelling.RUNNER if runner else Spelling.VALUE
                return AskFact(call.key, kind, spelling, ref[:-1], local_part(value.name))
    return None


def _waiting(call: RawCall, scope: ScopeId, evaluator: Evaluator) -> Iterable[RawAsk]:
    """Refs of the call that end in the name of an ask and whose receiver has no known value."""
    for ref in (call.function, *call.arguments):
        if not ref or len(ref) < 2 or ref[-1][0] != ".":
            continue
        name = ref[-1][1:]
        if name in ASK_METHODS and not evaluator.values(ref[:-1], scope):
            yield RawAsk(call.key, ref[:-1], name)
