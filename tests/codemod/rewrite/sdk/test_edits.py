"""Edits touch what they are told to touch, and not a byte more."""

from __future__ import annotations

import ast

import pytest

from mrtr_codemod.rewrite.sdk.edits import Edits
from mrtr_codemod.rewrite.sdk.unused import without_unused


def changed(source: str, gone: list[str], added: list[str]) -> str:
    call = next(n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Call))
    edits = Edits(source)
    edits.drop_arguments(call, [k for k in call.keywords if k.arg in gone])
    edits.add_arguments(call, added)
    ast.parse(edits.result())
    return edits.result()


@pytest.mark.parametrize(
    ("before", "gone", "added", "after"),
    [
        ("f(a, b=1, c=2)", ["b"], [], "f(a, c=2)"),
        ("f(b=1, c=2)", ["b"], [], "f(c=2)"),
        ("f(b=1)", ["b"], [], "f()"),
        ("f(b=1,)", ["b"], ["d=4"], "f(d=4)"),
        ("f(a, b=1, c=2)", ["b", "c"], ["d=4"], "f(a, d=4)"),
        ("f(a,)", [], ["d=4"], "f(a, d=4,)"),
        ("f()", [], ["d=4", "e=5"], "f(d=4, e=5)"),
        ("f(\n    a,\n    b=1,  # why\n    c=2,\n)", ["b"], [], "f(\n    a,\n    c=2,\n)"),
        ("f(\n    a,\n    b=1,\n)", ["b"], ["d=4"], "f(\n    a, d=4,\n)"),
        ("é = f('ü', b='é')", ["b"], ["d='ß'"], "é = f('ü', d='ß')"),
    ],
)
def test_arguments(before: str, gone: list[str], added: list[str], after: str) -> None:
    assert changed(before, gone, added) == after


def test_the_wider_edit_wins() -> None:
    edits = Edits("abcdef")
    edits.replace(1, 2, "X")
    edits.replace(0, 4, "Y")
    edits.insert(4, "Z")
    assert edits.result() == "YZef"


@pytest.mark.parametrize(
    ("imports", "after"),
    [
        ("from m import a, b\n", "from m import b\n"),
        ("from m import b, a\n", "from m import b\n"),
        ("from m import a\n", ""),
        ("from m import (\n    a,\n    b,\n)\n", "from m import (\n    b,\n)\n"),
        ("if x:\n    from m import a\n", "if x:\n    pass\n"),
    ],
)
def test_imports_that_lost_their_use_go(imports: str, after: str) -> None:
    assert without_unused(f"{imports}a\n", f"{imports}1\n") == f"{after}1\n"
    assert without_unused(f"{imports}1\n", f"{imports}1\n") == f"{imports}1\n", "nobody asked for that"
