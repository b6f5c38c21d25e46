"""Random handlers come out equivalent: 200 on every commit, 2,000 in a nightly run."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from typing import Any

import pytest

from mrtr_codemod.rewrite.verdicts import Level

from . import bare
from .programs import Program
from .rewriting import rewritten

ARGUMENTS = [{"name": "ada", "size": 3, "items": ["x", "ay", "b"]}, {"name": "bob", "size": 0, "items": []}]
BATCH = 20
ENOUGH = 0.8
"""Share of the programs that must be rewritten; the others hold something that can't be carried."""


@pytest.fixture(autouse=True)
def support_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(bare.VENDORED))
    import mrtr_steps

    monkeypatch.setattr(mrtr_steps, "MAX_ROUNDS", 1000)
    monkeypatch.setitem(sys.modules, "program", None)


def check(seeds: range) -> Counter[Level]:
    """Compare each program with its rewritten form, over several scripts of answers."""
    levels: Counter[Level] = Counter()
    for seed in seeds:
        source = Program(seed).source()
        result = rewritten(source)
        (verdict,) = result.handlers
        levels[verdict.level] += 1
        if verdict.level is Level.MANUAL:
            continue
        if seed % 10 == 0:
            assert rewritten(result.after).after == result.after, f"seed {seed}: a second run changes it"
        before, after = (compile(ast.parse(text), f"seed {seed}", "exec") for text in (source, result.after))
        for turn in range(3):
            arguments: dict[str, Any] = ARGUMENTS[turn % 2]
            answers = turn * 7 + seed
            old = bare.native(before, arguments, answers)
            new = bare.in_rounds(after, arguments, answers, spoil=turn == 2)
            assert new == old, f"seed {seed}, script {turn}"
    return levels


@pytest.mark.parametrize("start", range(0, 200, BATCH))
def test_random_handlers_keep_their_results_questions_and_effects(start: int) -> None:
    levels = check(range(start, start + BATCH))
    assert levels[Level.MANUAL] <= (1 - ENOUGH) * BATCH


@pytest.mark.nightly
@pytest.mark.parametrize("start", range(1000, 3000, 100))
def test_two_thousand_random_handlers(start: int) -> None:
    levels = check(range(start, start + 100))
    assert levels[Level.MANUAL] <= (1 - ENOUGH) * 100
