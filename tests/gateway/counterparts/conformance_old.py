"""The handlers of the conformance server, unchanged, on mcp 1.x, which they were written for. Over stdio."""

from __future__ import annotations

from pathlib import Path

OLD_IMPORT = "from mcp.server.fastmcp import Context, FastMCP as MCPServer"
CHANGES = {
    "from mcp.server.mcpserver import Context, MCPServer": OLD_IMPORT,
    "from mrtr_adapter import adapt\n": "",
    'adapt(server).run("streamable-http", port=int(sys.argv[1]))': 'server.run("stdio")',
}

source = Path(__file__).parents[2] / "interop" / "conformance_server.py"
text = source.read_text()
for now, before in CHANGES.items():
    assert now in text, now
    text = text.replace(now, before)
exec(compile(text.replace("from __future__ import annotations", ""), str(source), "exec"))
