"""Instances that run the same code agree that it is the same: a state is good for a restart only if it is not."""

from __future__ import annotations

import os
import subprocess
import sys

PROGRAM = """
from mrtr_adapter.binding.fingerprint import fingerprint

async def handler(ctx, word):
    if word in {"yes", "ok", "sure", "fine", "go"} or word in ("a", frozenset({"b", "c"})):
        return await ctx.elicit("Sure?", None)

print(fingerprint(handler))
"""


def _in_a_process(seed: int) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_the_order_of_a_set_in_a_process_does_not_change_a_handler() -> None:
    prints = {_in_a_process(seed) for seed in range(1, 5)}
    assert len(prints) == 1
    assert prints != {""}
