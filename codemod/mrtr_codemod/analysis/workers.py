"""Where a repo starts several worker processes of a server."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from mrtr_codemod.analysis.sdk import constant, items
from mrtr_codemod.analysis.walk import last_name
from mrtr_codemod.names.bindings import BindingKind
from mrtr_codemod.project import Project

_RUNNERS = frozenset({"run", "run_async", "run_http_async", "Config", "Granian", "serve"})
_COUNTS = frozenset({"cpu_count", "process_cpu_count"})


@dataclass(frozen=True)
class WorkersSite:
    """A place that starts several workers, and the files whose code they run, as far as it tells."""

    path: str
    line: int
    runs: frozenset[str]

    def starts(self, path: str) -> bool:
        """Whether the workers run what the file at `path` defines."""
        return path in self.runs


def workers_sites(project: Project) -> list[WorkersSite]:
    """The places that start several workers."""
    return [site for source in project.mentioning(("workers",)) for site in _in_file(project, source.path)]


def _in_file(project: Project, path: str) -> Iterator[WorkersSite]:
    tree = project.tree(path)
    if tree is None:
        return
    if path.rpartition("/")[2].startswith("gunicorn"):
        yield from _configured(project, path, tree)
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and last_name(node) in _RUNNERS and _several(_workers(node)):
            target = constant(node.args[0]) if node.args else None
            yield WorkersSite(
                path, node.lineno, _runs(project, path, target if isinstance(target, str) else "")
            )


def _configured(project: Project, path: str, tree: ast.Module) -> Iterator[WorkersSite]:
    """`workers = 4` in a `gunicorn.conf.py`: it runs what stands beside it and below."""
    home = path.rpartition("/")[0]
    beside = frozenset(other for other in project.sources if not home or other.startswith(f"{home}/"))
    for statement in tree.body:
        if not isinstance(statement, ast.Assign) or not _several(statement.value):
            continue
        if any(isinstance(target, ast.Name) and target.id == "workers" for target in statement.targets):
            yield WorkersSite(path, statement.lineno, beside)


def _workers(call: ast.Call) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == "workers":
            return keyword.value
        if keyword.arg == "uvicorn_config" and isinstance(keyword.value, ast.Dict):
            return items(keyword.value).get("workers")
    return None


def _several(node: ast.expr | None) -> bool:
    value = constant(node)
    if isinstance(value, int):
        return value > 1
    return node is not None and any(
        isinstance(inner, ast.Call) and last_name(inner) in _COUNTS for inner in ast.walk(node)
    )


def _runs(project: Project, path: str, target: str) -> frozenset[str]:
    """The file itself, the one that `package.module:app` names, and what either imports of the repo."""
    named = project.index.find(target.partition(":")[0], path) if target else None
    roots = [path, named] if named else [path]
    return frozenset(roots) | {other for root in roots for other in _imported(project, root)}


def _imported(project: Project, path: str) -> Iterator[str]:
    module = project.module(path)
    for bindings in module.bindings.values() if module else ():
        for binding in bindings:
            if binding.kind is BindingKind.IMPORT:
                owner = binding.target.rpartition(".")[0]
                found = project.index.find(binding.target, path) or (
                    project.index.find(owner, path) if owner else None
                )
                if found is not None:
                    yield found
