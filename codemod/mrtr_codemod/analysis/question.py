"""What a question is made of, and whether that would be different if it were made again."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from mrtr_codemod.analysis.analysis import Analysis
from mrtr_codemod.analysis.asks import AskFact, Spelling
from mrtr_codemod.analysis.calls import Key, key_of, own_nodes
from mrtr_codemod.analysis.view import ScopeView
from mrtr_codemod.analysis.views import view_of
from mrtr_codemod.analysis.walk import COMPREHENSIONS, Loop
from mrtr_codemod.names.module import FunctionInfo, ScopeId
from mrtr_codemod.names.outline import ScopeNode
from mrtr_codemod.names.reference import lower
from mrtr_codemod.names.values import External, FunctionValue

_VOLATILE = re.compile(
    r"^(?:time\.(?:time|time_ns|monotonic|monotonic_ns|perf_counter|perf_counter_ns|strftime|localtime|gmtime|ctime)"
    r"|datetime\.datetime\.(?:now|utcnow|today)|datetime\.date\.today|uuid\.uuid[14]|random\.(?!seed|Random$)\w+"
    r"|random\.(?:Random|SystemRandom)\(\)\.\w+|secrets\.(?!compare_digest)\w+|os\.(?:urandom|getpid|times)|id"
    r"|tempfile\.(?:mkdtemp|mkstemp|mktemp|gettempprefix|NamedTemporaryFile|TemporaryDirectory)"
    r"|threading\.(?:get_ident|get_native_id)|numpy\.random\..*|shortuuid\.\w+|nanoid\.generate|ulid\.\w+"
    r"|pendulum\.(?:now|today)|arrow\.(?:now|utcnow))$"
)
_VOLATILE_ATTRIBUTES = frozenset(
    {"Context().request_id", "RequestContext().request_id", "ServerRequestContext().request_id"}
)
_ROUTING = frozenset(
    {"elicitation_id", "related_request_id", "elicitationId", "ctx", "context", "session", "progress_token"}
)
_ID_POSITION = {"Context().elicit_url": 2, "ServerSession().elicit_url": 2, "elicit_url": 3}
RECORDED = "uuid.uuid4"
"""The one source of volatility that the adapter pins by itself."""


@dataclass(frozen=True)
class Volatile:
    """A part of a question that is different each time: where, and what it comes from (`time.time`, `counter n`)."""

    key: Key
    source: str


class Questions:
    """Follows the parts of questions back to where their values come from."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self._returns: dict[ScopeId, Volatile | None] = {}
        self._parameters: dict[ScopeId, frozenset[str]] = {}
        self._traces: dict[ScopeId, _Trace] = {}

    def volatile(self, view: ScopeView, call: ast.Call) -> Volatile | None:
        """The first part of what a call asks, or makes a helper ask, that is different each time."""
        parts = list(self._parts(view, call))
        return self._trace(view.scope, view._node).first(parts, call)

    def _trace(self, scope: ScopeId, node: ScopeNode) -> _Trace:
        if scope not in self._traces:
            self._traces[scope] = _Trace(self, scope, node)
        return self._traces[scope]

    def returned(self, scope: ScopeId) -> Volatile | None:
        """What makes the result of a function different each time."""
        if scope not in self._returns:
            self._returns[scope] = None
            node = self.analysis.project.node(scope)
            if node is not None:
                values = [
                    n.value for n in own_nodes(node) if isinstance(n, ast.Return) and n.value is not None
                ]
                self._returns[scope] = self._trace(scope, node).first(values, None)
        return self._returns[scope]

    def asked_parameters(self, scope: ScopeId) -> frozenset[str]:
        """The parameters of a function that its questions are made of."""
        if scope not in self._parameters:
            self._parameters[scope] = frozenset()
            view = view_of(self.analysis, scope)
            found: set[str] = set()
            for node in view.nodes() if view is not None else ():
                if view is not None and isinstance(node, ast.Call) and view.asks_at(node):
                    found |= self._trace(scope, view.node).names(list(self._parts(view, node)), node)
            known = {p.name for p in view.info.parameters} if view is not None else set()
            self._parameters[scope] = frozenset(found & known)
        return self._parameters[scope]

    def text(self, view: ScopeView, call: ast.Call) -> ast.expr | None:
        """The message of an ask."""
        fact = view.ask_at(call)
        if fact is None:
            return None
        for keyword in call.keywords:
            if keyword.arg in ("message", "messages"):
                return keyword.value
        skipped = (
            1
            if fact.spelling is Spelling.RUNNER or fact.name in ("elicit_url", "elicit_with_validation")
            else 0
        )
        return call.args[skipped] if len(call.args) > skipped else None

    def _parts(self, view: ScopeView, call: ast.Call) -> Iterator[ast.expr]:
        fact = view.ask_at(call)
        if fact is not None:
            yield from _asked(call, fact)
            return
        for edge in view.edges.get(key_of(call), ()):
            info = self.analysis.project.function(edge.callee)
            if info is not None:
                yield from self._passed(call, info)

    def _passed(self, call: ast.Call, info: FunctionInfo) -> Iterator[ast.expr]:
        asked = self.asked_parameters(info.id)
        positional = [p.name for p in info.parameters if p.positional]
        if info.bound_first is not None and isinstance(call.func, ast.Attribute):
            positional = positional[1:]
        for name, argument in zip(positional, call.args):  # noqa: B905
            if name in asked:
                yield argument
        yield from (keyword.value for keyword in call.keywords if keyword.arg in asked)


def _asked(call: ast.Call, fact: AskFact) -> Iterator[ast.expr]:
    position = _ID_POSITION.get(fact.name)
    for index, argument in enumerate(call.args):
        if index != position:
            yield argument
    yield from (keyword.value for keyword in call.keywords if keyword.arg not in _ROUTING)


class _Trace:
    """Follows expressions of one function back through its assignments."""

    def __init__(self, questions: Questions, scope: ScopeId, node: ScopeNode) -> None:
        self.questions = questions
        self.evaluator = questions.analysis.evaluator
        self.graph = questions.analysis.graph
        self.scope = scope
        self.assigned: dict[str, list[tuple[ast.expr, int]]] = defaultdict(list)
        self.counted: set[str] = set()
        self.loops: list[tuple[int, int]] = []
        self._leading = {edge.key for edge in self.graph.edges.get(scope, ())}
        for inner in own_nodes(node):
            self._note(inner)

    def first(self, parts: list[ast.expr], before: ast.Call | None) -> Volatile | None:
        """The first volatile part; one that the adapter records only if there is no other."""
        recorded: Volatile | None = None
        for node in self._sources(parts, before):
            source = self._volatile(node)
            if source is not None and RECORDED not in source:
                return Volatile(key_of(node), source)
            if source is not None and recorded is None:
                recorded = Volatile(key_of(node), source)
        return recorded

    def names(self, parts: list[ast.expr], before: ast.Call) -> set[str]:
        return {node.id for node in self._sources(parts, before) if isinstance(node, ast.Name)}

    def _sources(self, parts: list[ast.expr], before: ast.Call | None) -> Iterator[ast.expr]:
        stack: list[ast.AST] = list(reversed(parts))
        seen: set[str] = set()
        asks = self.graph.asks.get(self.scope, {})
        while stack:
            node = stack.pop()
            if isinstance(node, (ast.Lambda, ast.expr_context)):
                continue
            if isinstance(node, ast.Call) and (key_of(node) in asks or self._leads_to_ask(node)):
                continue  # an answer is recorded: it is the same in every round
            if isinstance(node, ast.expr):
                yield node
            if isinstance(node, ast.Name) and node.id not in seen:
                seen.add(node.id)
                stack.extend(value for value, line in self.assigned[node.id] if self._counts(line, before))
            stack.extend(reversed(list(ast.iter_child_nodes(node))))

    def _leads_to_ask(self, node: ast.Call) -> bool:
        return key_of(node) in self._leading

    def _counts(self, line: int, before: ast.Call | None) -> bool:
        """An assignment below the question counts only if a loop leads back up."""
        if before is None or line <= before.lineno:
            return True
        return any(start <= before.lineno and line <= end for start, end in self.loops)

    def _volatile(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Name) and node.id in self.counted:
            return f"the counter `{node.id}`"
        if isinstance(node, ast.Attribute):
            ref = lower(node)
            if ref and "".join(ref) in self.counted:
                return f"the counter `{''.join(ref)}`"
            for value in self.evaluator.values(ref, self.scope):
                if isinstance(value, External) and value.name.rpartition(":")[2] in _VOLATILE_ATTRIBUTES:
                    return f"`{''.join(ref or ())}`"
        if not isinstance(node, ast.Call):
            return None
        for value in self.evaluator.values(lower(node.func), self.scope):
            if isinstance(value, External):
                if _VOLATILE.match(value.name):
                    return f"`{value.name}`"
                if value.name == "next" and node.args and self._is_outside(node.args[0]):
                    return "a counter"
            elif isinstance(value, FunctionValue):
                inner = self.questions.returned(value.scope)
                if inner is not None:
                    return f"{inner.source} in `{value.scope.display}`"
        return None

    def _is_outside(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Attribute) or (
            isinstance(node, ast.Name) and node.id not in self.assigned
        )

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, node.value)
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            self._assign(node.target, node.value)
        elif isinstance(node, ast.AugAssign):
            self._assign(node.target, node.value)
            self._count(node.target)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self._assign(node.target, node.iter)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                if item.optional_vars is not None:
                    self._assign(item.optional_vars, item.context_expr)
        if isinstance(node, COMPREHENSIONS):
            for generator in node.generators:
                self._assign(generator.target, generator.iter)
        if isinstance(node, Loop):
            self.loops.append((node.lineno, node.end_lineno or node.lineno))

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            values = (
                value.elts
                if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
                else None
            )
            for index, element in enumerate(target.elts):
                self._assign(element, values[index] if values else value)
        elif isinstance(target, ast.Starred):
            self._assign(target.value, value)
        elif isinstance(target, ast.Name):
            self.assigned[target.id].append((value, target.lineno))

    def _count(self, target: ast.expr) -> None:
        """A number that outlives the call and goes up in it."""
        ref = lower(target)
        if ref is None:
            return
        outer = self.questions.analysis.project.bindings(self.scope)[1]
        if len(ref) == 1 and ref[0] in outer:
            self.counted.add(ref[0])
        elif len(ref) == 2 and ref[0] == "self":
            self.counted.add("".join(ref))
