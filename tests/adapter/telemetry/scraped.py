"""What Prometheus would scrape: the block of docs/telemetry.md in a process of its own, and a few flows."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "telemetry.md"

_FLOWS = """
import anyio, urllib.request
from mcp.server.mcpserver import Context
from adapter.rounds import YES, always, call, play_tool
from adapter.servers import Ok, serving
from mrtr_adapter.telemetry.held import held

async def tool(ctx: Context) -> str:
    open("effect", "w").close()
    return (await ctx.elicit("Sure?", Ok)).action

async def flows() -> None:
    await play_tool(serving(tool), "tool", always(YES))
    try:
        await call(serving(tool)(), "tool", state="nonsense")
    except Exception:
        pass

held()
anyio.run(flows)
print(urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/metrics").read().decode())
"""
_SAMPLE = re.compile(r"^(mrtr_\w+)(?:\{(.*)\})? ", re.MULTILINE)
_LABEL = re.compile(r'(\w+)="')


@cache
def scraped(folder: Path) -> Mapping[str, frozenset[str]]:
    """The names of all samples of ours, and the labels of each."""
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    program = block.replace("start_http_server(9464)", "server, _ = start_http_server(0)") + _FLOWS
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT / "tests"), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, frozenset[str]] = {}
    for name, labels in _SAMPLE.findall(done.stdout):
        found[name] = found.get(name, frozenset()) | set(_LABEL.findall(labels))
    return found
