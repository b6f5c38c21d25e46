"""How long a client may keep what it has been told."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from gateway.behind import Journal, client_of, replace, running, settings
from mrtr_adapter.gateway.child import Command

pytestmark = pytest.mark.anyio

SERVER = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    said = {
        "initialize": {
            "protocolVersion": "2025-11-25",
            "serverInfo": {"name": "old", "version": "1"},
            "capabilities": {"tools": {"listChanged": True}, "prompts": {}, "resources": {"listChanged": False}},
        },
        "tools/list": {"tools": []},
        "prompts/list": {"prompts": []},
        "resources/list": {"resources": [], "ttlMs": 5, "cacheScope": "public"},
        "resources/templates/list": {"resourceTemplates": []},
        "resources/read": {"contents": [{"uri": "file:///x", "text": "now"}]},
    }
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": said[message["method"]]}), flush=True)
"""


async def test_what_an_old_server_can_not_change_unheard_may_be_kept_for_a_minute(
    journal: Journal, tmp_path: Path
) -> None:
    script = tmp_path / "server.py"
    script.write_text(SERVER)
    old = replace(settings(journal), behind=Command([sys.executable, str(script)]))
    async with running(old) as gateway, client_of(gateway) as client:
        hints: dict[str, Any] = {
            name: ((told := await ask()).ttl_ms, told.cache_scope)
            for name, ask in {
                "prompts": client.list_prompts,
                "templates": client.list_resource_templates,
                "tools, which may change": client.list_tools,
                "a resource": lambda: client.read_resource("file:///x"),
                "what the server says itself": client.list_resources,
            }.items()
        }
    assert hints == {
        "prompts": (60_000, "private"),
        "templates": (60_000, "private"),
        "tools, which may change": (0, "private"),
        "a resource": (0, "private"),
        "what the server says itself": (5, "public"),
    }
