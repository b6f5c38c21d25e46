"""Views of single functions, for what looks at helpers in other files."""

from __future__ import annotations

from mrtr_codemod.analysis.analysis import Analysis
from mrtr_codemod.analysis.view import FileView, FunctionView
from mrtr_codemod.names.module import ScopeId


def view_of(analysis: Analysis, scope: ScopeId) -> FunctionView | None:
    """A function as the rules see it; None if there is no such function, or its file cannot be parsed any more."""
    module = analysis.project.module(scope.path)
    tree = analysis.project.tree(scope.path)
    return (
        FileView(analysis, module, tree).function(scope) if module is not None and tree is not None else None
    )
