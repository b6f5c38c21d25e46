"""Read a module statement by statement, and follow what its names hold."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..facts import Facts, FunctionNode
from .classes import MEMBERS, class_of
from .kinds import NOTHING, Kind, join_environments, parsed
from .models import MODELS
from .receivers import Receivers, children, is_none


class Reader(Receivers):
    """Reads blocks of statements. Where ways meet, a name keeps its kind only if it is known on all of them."""

    def block(self, body: Sequence[ast.stmt], env: dict[str, Kind]) -> None:
        for stmt in body:
            self.statement(stmt, env)

    def statement(self, stmt: ast.stmt, env: dict[str, Kind]) -> None:
        match stmt:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.function(stmt, env, None)
            case ast.ClassDef():
                self._class(stmt, env)
            case ast.Assign(targets=targets, value=value):
                kind = self.read(value, env)
                for target in targets:
                    self.read(target, env)
                    self.bind(target, kind, env, cleared=is_none(value))
            case ast.AnnAssign(target=target, annotation=annotation, value=value):
                if value is not None:
                    self.read(value, env)
                self.read(target, env)
                self.bind(target, self.annotated(annotation), env)
            case ast.If(test=test, body=body, orelse=orelse):
                self.read(test, env)
                self._branches([(body, self._narrowed(test)), (orelse, {})], env)
            case ast.For() | ast.AsyncFor():
                kind = self._iterated(stmt.iter, self.read(stmt.iter, env))
                self.bind(stmt.target, kind, env)
                self._branches([(stmt.body, {}), ([], {})], env)
                self.block(stmt.orelse, env)
            case ast.While(test=test, body=body, orelse=orelse):
                self.read(test, env)
                self._branches([(body, self._narrowed(test)), ([], {})], env)
                self.block(orelse, env)
            case ast.With() | ast.AsyncWith():
                for item in stmt.items:
                    kind = self.read(item.context_expr, env)
                    if item.optional_vars is not None:
                        self.bind(item.optional_vars, kind, env)
                self.block(stmt.body, env)
            case ast.Try():
                self._try(stmt, env)
            case ast.Match(subject=subject, cases=cases):
                self._match(subject, cases, env)
            case _:
                for child in children(stmt):
                    self.read(child, env)

    def function(self, node: FunctionNode, env: dict[str, Kind], owner: str | None) -> None:
        """Read a function; `owner` is the class of its `self`."""
        for outside in (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.read(outside, env)
        inner = dict(env)
        given = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        for arg in given:
            inner[arg.arg] = self.annotated(arg.annotation)
        for extra in (node.args.vararg, node.args.kwarg):
            if extra is not None:
                inner[extra.arg] = NOTHING
        if owner is not None and given:
            inner[given[0].arg] = frozenset([owner])
        self.block(node.body, inner)
        env[node.name] = NOTHING

    def _class(self, node: ast.ClassDef, env: dict[str, Kind]) -> None:
        name = f"class:{node.name}"
        known = self.attributes.setdefault(name, {})
        for base in node.bases:
            kind = class_of(self.facts.origin(base)) or (
                f"class:{base.id}" if isinstance(base, ast.Name) else None
            )
            inherited = self.attributes if kind and kind.startswith("class:") else {}
            known.update(inherited.get(kind or "", {}))
            for member, text in (MEMBERS.get(kind or "") or MODELS.get(kind or "", {})).items():
                known.setdefault(member, parsed(text))
        for stmt in node.body:
            if isinstance(stmt, ast.AnnAssign) and isinstance(stmt.target, ast.Name):
                self._hold(name, stmt.target.id, self.annotated(stmt.annotation))
        inner = dict(env)
        for stmt in node.body:
            if isinstance(stmt, (ast.FunctionDef, ast.AsyncFunctionDef)):
                known[stmt.name] = self.annotated(stmt.returns)
                self.function(stmt, dict(inner), name)
            else:
                self.statement(stmt, inner)
        env[node.name] = NOTHING

    def _try(self, stmt: ast.Try, env: dict[str, Kind]) -> None:
        before = dict(env)
        self.block(stmt.body, env)
        self.block(stmt.orelse, env)
        ends = [env]
        for handler in stmt.handlers:
            caught = join_environments([before, env])
            if handler.type is not None:
                self.read(handler.type, caught)
            if handler.name:
                caught[handler.name] = NOTHING
            self.block(handler.body, caught)
            if not _leaves(handler.body):
                ends.append(caught)
        joined = join_environments(ends)
        env.clear()
        env.update(joined)
        self.block(stmt.finalbody, env)

    def _match(self, subject: ast.expr, cases: list[ast.match_case], env: dict[str, Kind]) -> None:
        self.read(subject, env)
        branches = []
        for case in cases:
            bound = {
                n.name: NOTHING
                for n in ast.walk(case.pattern)
                if isinstance(n, (ast.MatchAs, ast.MatchStar)) and n.name
            }
            if isinstance(case.pattern, ast.MatchClass) and isinstance(subject, ast.Name):
                kind = class_of(self.facts.origin(case.pattern.cls))
                bound |= {subject.id: frozenset([kind])} if kind else {}
            if case.guard is not None:
                self.read(case.guard, {**env, **bound})
            branches.append((case.body, bound))
        self._branches([*branches, ([], {})], env)

    def _branches(self, branches: list[tuple[list[ast.stmt], dict[str, Kind]]], env: dict[str, Kind]) -> None:
        ends = []
        for body, more in branches:
            inner = {**env, **more}
            self.block(body, inner)
            for name in more:
                if inner.get(name) == more[name] and name in env:
                    inner[name] = env[name]
            if not _leaves(body):
                ends.append(inner)
        joined = join_environments(ends) if ends else dict(env)
        env.clear()
        env.update(joined)


def read_module(tree: ast.Module, facts: Facts) -> Receivers:
    """The kinds of a module's expressions. Read twice: methods may use what later ones put into attributes."""
    first = Reader(facts)
    first.block(tree.body, {})
    second = Reader(facts, first.attributes)
    names: dict[str, Kind] = {}
    Reader(facts, first.attributes).block(tree.body, names)
    second.block(tree.body, {n: k for n, k in names.items() if k})
    return second


def _leaves(body: Sequence[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break))
