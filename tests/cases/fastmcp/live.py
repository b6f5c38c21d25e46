"""Runs FastMCP-style cases natively for another process, which answers their questions as they come:

python live.py   # fastmcp 2 or 3

Lines of JSON. It is told {"path", "script"}, tells each question as {"method", "params"}, is told the answer, and at the
end tells {"run": {"out", "effects"}}.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import record

said = sys.stdout


def say(message: dict[str, Any]) -> None:
    print(json.dumps(message), file=said, flush=True)


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    say({"method": method, "params": params})
    return json.loads(sys.stdin.readline())


def main() -> None:
    for number in itertools.count():
        line = sys.stdin.readline()
        if not line:
            return
        order = json.loads(line)
        say({"run": asyncio.run(record.native(Path(order["path"]), number, order["script"], answer))})


if __name__ == "__main__":
    with redirect_stdout(sys.stderr):
        main()
