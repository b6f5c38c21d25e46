"""The `requestState` that code makes by hand: what goes into it, and who protects it."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

from mrtr_codemod.analysis.calltree import CallTree, Placed, words
from mrtr_codemod.analysis.handlers import handlers_in
from mrtr_codemod.analysis.sdk import argument, constant, is_none, items, sdk_names, uses_sdk
from mrtr_codemod.analysis.view import FileView
from mrtr_codemod.analysis.walk import last_name
from mrtr_codemod.names.bindings import own_statements
from mrtr_codemod.names.module import ScopeId
from mrtr_codemod.names.values import External

STATE_WORDS = ("request_state", "requestState")
_BOUNDARY = "RequestStateBoundary"
_PICKLES = re.compile(r"^(?:c?[pP]ickle|dill|cloudpickle|marshal|shelve|jsonpickle|joblib)\.")
_ENCODES = re.compile(r"^(?:base64|binascii|codecs|zlib|gzip|lzma)\.")
_SEALS = re.compile(
    r"^(?:hmac|cryptography|itsdangerous|jwt|jose|joserfc|authlib|nacl|Crypto|Cryptodome|django\.core\.signing)\b"
)
_SEALING = re.compile(
    r"(?:^|_)(?:seal|sign|signer|encrypt|hmac|fernet|aesgcm|protect)(?:ed|_|$)", re.IGNORECASE
)
_HANDLES = re.compile(r"^(?:secrets\.token_\w+|uuid\.uuid4)$")
_HARMLESS = re.compile(r"^(?:json|orjson|ujson|dataclasses)\.|^[^.:]+$")
_PLAIN = frozenset(
    {
        "dumps",
        "format",
        "join",
        "model_dump_json",
        "json",
        "encode",
        "decode",
        "model_dump",
        "get",
        "dict",
        "copy",
    }
)
_EXPIRY = re.compile(
    r"(?:^|_)(?:exp|expir\w*|ttl|iat|issued\w*|deadline|max_?age|not_?after|valid_?until|timestamp|nbf)(?:_|$)",
    re.IGNORECASE,
)
_BINDING = re.compile(
    r"(?:^|_)(?:sub|subject|principal|user|account|client_?id|tenant|owner|aud|audience|tool|method|target|args"
    r"|arguments|params|digest|aad|associated_?data|binding|bound|fingerprint|identity|caller|ctx|context)(?:_|$)",
    re.IGNORECASE,
)


class StateSite:
    """A place where a round is ended with a `requestState`."""

    def __init__(self, view: FileView, value: ast.expr, *, exposed: bool) -> None:
        self.view = view
        self.value = value
        self.exposed = exposed
        """Nothing seals it on its way out: a low-level server without the SDK's boundary, or no SDK."""
        self.scope = view.scope_at(value)

    @cached_property
    def parts(self) -> tuple[ast.expr, ...]:
        """The value, and what its local names are assigned."""
        node = self.view.analysis.project.node(self.scope)
        assigned = _assignments(node.body) if node is not None else {}
        found, seen = [self.value], set[str]()
        for part in found:
            names = {inner.id for inner in ast.walk(part) if isinstance(inner, ast.Name)} - seen
            seen |= names
            found.extend(value for name in sorted(names) for value in assigned.get(name, ()))
        return tuple(found)

    @cached_property
    def sources(self) -> tuple[Placed, ...]:
        """The nodes that the value is made of, through local names and functions of the repo."""
        analysis = self.view.analysis
        return tuple(CallTree(analysis.project, analysis.evaluator).nodes(self.parts, self.scope))

    @cached_property
    def externals(self) -> frozenset[str]:
        """The functions outside of the repo that take part in making it."""
        return frozenset(
            name for call, scope in self._calls() for name in self.view.externals(call.func, scope)
        )

    @cached_property
    def words(self) -> frozenset[str]:
        """The names that take part in making it."""
        return frozenset(words(node for node, _ in self.sources))

    @property
    def varies(self) -> bool:
        """Whether it says anything else than which question was asked."""
        return any(isinstance(node, (ast.Name, ast.Attribute, ast.Call)) for node, _ in self.sources)

    @property
    def is_sealed(self) -> bool:
        """Whether the code itself seals or signs it."""
        return any(map(_SEALS.match, self.externals)) or any(map(_SEALING.search, self.words))

    @property
    def seal_is_seen(self) -> bool:
        """Whether the code that seals it can be read as well."""
        return any(map(_SEALS.match, self.externals))

    @property
    def is_handle(self) -> bool:
        """Whether it is a reference that nobody can guess, to something that the server keeps."""
        return any(map(_HANDLES.match, self.externals))

    @property
    def is_pickled(self) -> bool:
        """Whether it is a pickle, or another format that can hold code."""
        return any(map(_PICKLES.match, self.externals))

    @property
    def is_encoded(self) -> bool:
        """Whether it is base64 or compressed."""
        return any(map(_ENCODES.match, self.externals))

    @property
    def is_plain(self) -> bool:
        """Whether every step of its making is known to protect nothing."""
        return all(self._protects_nothing(call, scope) for call, scope in self._calls())

    @cached_property
    def surroundings(self) -> frozenset[str]:
        """The names in all files that take part in making it."""
        project = self.view.analysis.project
        trees = [project.tree(path) for path in sorted({scope.path for _, scope in self.sources})]
        return frozenset(words(node for tree in trees if tree is not None for node in ast.walk(tree)))

    @property
    def expires(self) -> bool:
        """Whether the files that make it, and read it, speak of an end."""
        return any(map(_EXPIRY.search, self.surroundings))

    @property
    def is_bound(self) -> bool:
        """Whether what takes part in making it speaks of the caller or of the call, or comes from elsewhere."""
        return self._is_handed_in() or any(map(_BINDING.search, self.words))

    def _is_handed_in(self) -> bool:
        info = self.view.analysis.project.function(self.scope)
        given = [
            value
            for part in self.parts
            for node in ast.walk(part)
            if isinstance(node, ast.Call)
            for value in (*node.args, *(keyword.value for keyword in node.keywords))
        ]
        return info is not None and any(
            isinstance(value, ast.Name) and info.parameter(value.id) is not None for value in given
        )

    def _calls(self) -> Iterator[tuple[ast.Call, ScopeId]]:
        for node, scope in self.sources:
            if isinstance(node, ast.Call):
                yield node, scope

    def _protects_nothing(self, call: ast.Call, scope: ScopeId) -> bool:
        values = self.view.values(call.func, scope)
        if not values:
            return last_name(call) in _PLAIN
        return all(
            not isinstance(value, External)
            or last_name(call) in _PLAIN
            or any(pattern.search(value.name) for pattern in (_HARMLESS, _ENCODES, _PICKLES))
            for value in values
        )


def state_sites(view: FileView) -> tuple[StateSite, ...]:
    """The places of a file that end a round with a `requestState`."""
    project = view.analysis.project
    return project.derived(view.path, "state sites", lambda _: _find_sites(view)) or ()


def _find_sites(view: FileView) -> tuple[StateSite, ...]:
    results = [(call, value) for call in view.calls if (value := _of_result(view, call)) is not None]
    dicts = [value for node in ast.walk(view.tree) if (value := _of_dict(node)) is not None]
    by_hand = bool(dicts) and not uses_sdk(view)
    sites = [StateSite(view, value, exposed=by_hand) for value in dicts]
    if results:
        frameworks, boundary = _frameworks(view), _has_boundary(view)
        for call, value in results:
            low_level = frameworks.get(view.scope_at(call)) == {"mcp-lowlevel"}
            sites.append(StateSite(view, value, exposed=low_level and not boundary))
    return tuple(site for site in sites if not is_none(site.value))


def unpickled_states(view: FileView) -> Iterator[ast.Call]:
    """Calls that unpickle what came back as `requestState`."""
    for call in view.calls:
        if last_name(call) not in ("loads", "load", "decode", "Unpickler"):
            continue
        if any(map(_PICKLES.match, view.externals(call.func, view.scope_at(call)))):
            parts = StateSite(view, call, exposed=True).parts
            if not set(STATE_WORDS).isdisjoint(words(node for part in parts for node in ast.walk(part))):
                yield call


def _assignments(body: list[ast.stmt]) -> dict[str, list[ast.expr]]:
    found: dict[str, list[ast.expr]] = defaultdict(list)
    for statement in own_statements(body):
        targets: list[ast.expr] = []
        if isinstance(statement, ast.Assign):
            targets = statement.targets
        elif isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        for target in targets:
            value = getattr(statement, "value", None)
            if isinstance(target, ast.Name) and value is not None:
                found[target.id].append(value)
    return found


def _of_result(view: FileView, call: ast.Call) -> ast.expr | None:
    if last_name(call) != "InputRequiredResult":
        return None
    known = "InputRequiredResult" in sdk_names(view, call.func, view.scope_at(call))
    return argument(call, None, *STATE_WORDS) if known else None


def _of_dict(node: ast.AST) -> ast.expr | None:
    if not isinstance(node, ast.Dict):
        return None
    entries = items(node)
    if constant(entries.get("resultType")) == "input_required" or "inputRequests" in entries:
        return entries.get("requestState")
    return None


def _frameworks(view: FileView) -> dict[ScopeId, set[str]]:
    """The frameworks of the handlers that a function of the file is, or is called by."""
    analysis = view.analysis
    tree = CallTree(analysis.project, analysis.evaluator)
    found: dict[ScopeId, set[str]] = defaultdict(set)
    for handler, facts in handlers_in(view).items():
        node = analysis.project.node(handler)
        for scope in (handler, *(tree.functions([node], handler) if node is not None else ())):
            found[scope] |= {fact.framework for fact in facts}
    return found


def _has_boundary(view: FileView) -> bool:
    """Whether this file, or one above or below it in the tree, installs the SDK's boundary."""
    home = view.path.rpartition("/")[0]
    for source in view.analysis.project.mentioning((_BOUNDARY,)):
        other = source.path.rpartition("/")[0]
        if home.startswith(other) or other.startswith(home):
            return True
    return False
