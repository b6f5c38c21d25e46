"""Calls tools of old servers with the SDK that they were written for, and prints what they asked and gave, as JSON.

Runs under FastMCP 3 and `mcp` 1.x: python old_session.py < CALLS, each call with `file`, `tool`, `args` and `answers`.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import anyio
from mcp import types
from mcp.shared.memory import create_connected_server_and_client_session


def load(path: Path) -> Any:
    """The module of a file, under a name of its own."""
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(f"old_{path.stem}", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


async def run(call: dict[str, Any]) -> dict[str, Any]:
    asked: list[str] = []
    answers = list(call["answers"])

    async def elicit(_: Any, params: Any) -> Any:
        asked.append(params.message)
        return types.ElicitResult.model_validate(answers.pop(0))

    async def sample(_: Any, params: Any) -> Any:
        asked.append(params.messages[0].content.text)
        return types.CreateMessageResult.model_validate(answers.pop(0))

    server = load(Path(call["file"])).mcp._mcp_server
    async with create_connected_server_and_client_session(
        server, elicitation_callback=elicit, sampling_callback=sample
    ) as session:
        result = await session.call_tool(call["tool"], call["args"])
    return {"asked": asked, "error": bool(result.isError), "text": [c.text for c in result.content]}


def main() -> None:
    with redirect_stdout(sys.stderr):
        results = [anyio.run(run, call) for call in json.load(sys.stdin)]
    print(json.dumps(results))


if __name__ == "__main__":
    main()
