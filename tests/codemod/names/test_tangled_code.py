"""Code whose functions return what each other return is followed only so far."""

from __future__ import annotations

import time

from mrtr_codemod.check import check
from mrtr_codemod.source import SourceFile

_FUNCTIONS = 40


def _tangle() -> str:
    lines = ["from fastmcp import Context"]
    for number in range(_FUNCTIONS):
        callees = [f"f{(number * step + 1) % _FUNCTIONS}(x)" for step in (3, 7, 11)]
        lines += [f"def f{number}(x):", f"    return {callees[0]} if x else ({callees[1]} or {callees[2]})"]
    lines += [
        "async def ask(ctx: Context):",
        "    f0(ctx).sample('who?')",
        "    return await ctx.sample('what?')",
    ]
    return "\n".join(lines) + "\n"


def test_functions_that_return_each_other_in_many_ways_do_not_hang_the_check() -> None:
    started = time.process_time()
    report = check([SourceFile("tangle.py", _tangle())])
    assert time.process_time() - started < 10
    assert [finding.span.line for finding in report.findings if finding.rule == "MRTR103"] == [
        2 * _FUNCTIONS + 4
    ]
