"""Views of files and functions, kept as long as their trees are."""

from __future__ import annotations

from mrtr_codemod.analysis.analysis import Analysis
from mrtr_codemod.analysis.view import FileView, FunctionView
from mrtr_codemod.names.module import ScopeId


def view_of(analysis: Analysis, scope: ScopeId) -> FunctionView | None:
    """A function as the rules see it; None if there is no such function, or its file cannot be parsed any more."""
    view = file_view(analysis, scope.path)
    return view.function(scope) if view is not None else None


def file_view(analysis: Analysis, path: str) -> FileView | None:
    """A file as the rules see it; None if it cannot be parsed."""
    module = analysis.project.module(path)
    if module is None:
        return None
    return analysis.project.derived(path, "view", lambda tree: FileView(analysis, module, tree))
