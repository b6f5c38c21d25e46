"""A repo's sources and their syntax trees, parsed when asked for and let go when there are too many."""

from __future__ import annotations

import ast
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TypeVar, cast

from mrtr_codemod.model import Failure
from mrtr_codemod.names.bindings import Bindings, collect
from mrtr_codemod.names.imports import ModuleIndex, absolute_name
from mrtr_codemod.names.module import FunctionInfo, Module, ScopeId, scan
from mrtr_codemod.names.outline import Place, Scope, ScopeNode, outline
from mrtr_codemod.names.reference import Ref, alternatives
from mrtr_codemod.source import SourceFile
from mrtr_codemod.syntax_error import described
from mrtr_codemod.texts.survey import Survey

T = TypeVar("T")
CHANGED = "changed while it was being checked; run the check again"
MAX_CHARACTERS = 1_000_000
"""A larger file is not parsed: its tree would need over twenty times its size."""
_MOST_KEPT = 800_000
"""Characters of source whose trees are kept. A tree takes 25 bytes for each of them, measured."""
_UNGUARDED = sys.version_info < (3, 11)
"""Python 3.10 overflows its stack, and dies, where later ones raise `RecursionError`."""
_NESTING = ("+", "-", "*", "/", "%", "@", "&", "|", "^", ".", "(", "[")
"""Each of these may put all that stands before it one level deeper."""
_SAFE_DEPTH = 90_000


class _Tree:
    """A parsed file, its scopes, and what was derived from it."""

    def __init__(self, root: ast.Module, size: int) -> None:
        self.root = root
        self.size = size
        self.derived: dict[str, object] = {}

    @cached_property
    def scopes(self) -> dict[Place, Scope]:
        return outline(self.root)


class Project:
    """The files of one check.

    Nothing is parsed before it is needed. A file that cannot be parsed becomes a `Failure`, once.
    """

    def __init__(self, sources: Iterable[SourceFile], survey: Survey | None = None) -> None:
        self.sources: dict[str, SourceFile] = {source.path: source for source in sources}
        self.survey = survey if survey is not None else Survey()
        for source in self.sources.values():
            self.survey.add(source)
        self.index = ModuleIndex(self.sources)
        self.failures: dict[str, Failure] = {}
        self._modules: dict[str, Module] = {}
        self._trees: OrderedDict[str, _Tree] = OrderedDict()
        self._kept = 0
        self._returned: dict[ScopeId, tuple[Ref, ...]] = {}
        self._locals: dict[ScopeId, tuple[Bindings, set[str]]] = {}

    def module(self, path: str) -> Module | None:
        """The scopes of a file, or None if it cannot be parsed."""
        known = self._modules.get(path)
        if known is not None or path in self.failures:
            return known
        entry = self._entry(path)
        if entry is None:
            return None
        try:
            walrus = self.mentions(path, ":=")
            module = scan(path, self.index.dotted_name(path), entry.scopes, walrus=walrus)
        except RecursionError:
            self.fail(path, "nested too deeply to be checked")
            return None
        self._modules[path] = module
        return module

    def tree(self, path: str) -> ast.Module | None:
        """The syntax tree of a file; lines are those of the text, whatever its newlines."""
        entry = self._entry(path)
        return entry.root if entry else None

    def is_parsed(self, path: str) -> bool:
        """Whether the tree of a file is at hand."""
        return path in self._trees

    def derived(self, path: str, name: str, make: Callable[[ast.Module], T]) -> T | None:
        """What `make` derives from a file's tree, kept as long as the tree; None if the file cannot be parsed."""
        entry = self._entry(path)
        if entry is None:
            return None
        if name not in entry.derived:
            entry.derived[name] = make(entry.root)
        return cast("T", entry.derived[name])

    def node(self, scope: ScopeId) -> ScopeNode | None:
        """The syntax tree of a scope."""
        found = self._scope(scope)
        return found.node if found is not None else None

    def function(self, scope: ScopeId) -> FunctionInfo | None:
        """The function whose scope this is, or None if it is a module's or a class's."""
        module = self.module(scope.path)
        return module.functions.get(scope) if module else None

    def bindings(self, scope: ScopeId) -> tuple[Bindings, set[str]]:
        """The bindings of a scope and the names that it takes from outside (`global`, `nonlocal`)."""
        known = self._locals.get(scope)
        if known is None:
            known = self._locals[scope] = self._collect(scope)
        return known

    def returned(self, scope: ScopeId) -> tuple[Ref, ...]:
        """The access paths that a function returns."""
        known = self._returned.get(scope)
        if known is None:
            found = self._scope(scope)
            statements = found.statements if found is not None else ()
            values = [s.value for s in statements if isinstance(s, ast.Return) and s.value]
            known = self._returned[scope] = tuple(ref for value in values for ref in alternatives(value))
        return known

    def lines(self, path: str) -> tuple[str, ...]:
        """The lines of a file."""
        source = self.sources.get(path)
        return source.lines if source else ()

    def fail(self, path: str, reason: str) -> None:
        """Note why a file could not be checked; the first reason stays."""
        self.failures.setdefault(path, Failure(path, reason))

    def mentions(self, path: str, word: str) -> bool:
        """Whether a word stands in the text of a file."""
        return self.survey.mentions(self.sources[path], word)

    def mentioning(self, words: Iterable[str]) -> Iterator[SourceFile]:
        """The files whose text contains one of `words`."""
        wanted = tuple(words)
        for path, source in self.sources.items():
            if any(self.mentions(path, word) for word in wanted):
                yield source

    def _collect(self, scope: ScopeId) -> tuple[Bindings, set[str]]:
        module = self.module(scope.path)
        if module is None:
            return {}, set()
        if not scope.qualname:
            return module.bindings, set()
        found = self._scope(scope)
        if found is None:
            return {}, set()
        bound, _, outer = collect(
            found.statements,
            lambda level, name: absolute_name(scope.path, module.dotted, level, name),
            walrus=module.walrus,
        )
        return bound, outer

    def _scope(self, scope: ScopeId) -> Scope | None:
        entry = self._entry(scope.path)
        return entry.scopes.get((scope.qualname, scope.line)) if entry is not None else None

    def _entry(self, path: str) -> _Tree | None:
        entry = self._trees.get(path)
        if entry is not None:
            self._trees.move_to_end(path)
            return entry
        source = self.sources.get(path)
        if source is None or path in self.failures:
            return None
        text = source.text
        self._make_room(len(text))
        try:
            root = parse(text)
        except _Unparsable as error:
            self.fail(path, str(error))
            return None
        if source.changed:
            self.fail(path, CHANGED)
            return None
        entry = self._trees[path] = _Tree(root, len(text))
        self._kept += entry.size
        return entry

    def _make_room(self, size: int) -> None:
        """Let go of the trees that were not used for the longest time, before there is one more."""
        while self._trees and self._kept + size > _MOST_KEPT:
            _, dropped = self._trees.popitem(last=False)
            self._kept -= dropped.size


class _Unparsable(Exception):
    """Why a text is not Python that can be checked."""


def parse(text: str) -> ast.Module:
    """The syntax tree of a text with any newlines; raises `_Unparsable` with the reason."""
    if len(text) > MAX_CHARACTERS:
        raise _Unparsable(f"too large to be checked ({len(text):,} characters, at most {MAX_CHARACTERS:,})")
    if _UNGUARDED and sum(map(text.count, _NESTING)) > _SAFE_DEPTH:
        raise _Unparsable("possibly nested too deeply for Python 3.10 to parse")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise _Unparsable(described(error)) from None
    except (RecursionError, MemoryError):
        raise _Unparsable("nested too deeply to be parsed") from None
    except ValueError as error:
        raise _Unparsable(f"not Python source: {error}") from None
