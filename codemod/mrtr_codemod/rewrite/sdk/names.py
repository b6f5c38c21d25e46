"""What moved and what was renamed between `mcp` 1.30 and `mcp` 2.

Source: the migration guide of the SDK, https://py.sdk.modelcontextprotocol.io/v2/migration/.
"""

from __future__ import annotations

import re

MODULES = {
    "mcp.server.fastmcp": "mcp.server.mcpserver",
    "mcp.shared.version": "mcp_types.version",
}
"""Modules that moved with everything below them."""

NAMES = {
    "mcp.server.fastmcp.FastMCP": "mcp.server.mcpserver.MCPServer",
    "mcp.server.fastmcp.server.FastMCP": "mcp.server.mcpserver.server.MCPServer",
    "mcp.server.FastMCP": "mcp.server.MCPServer",
    "mcp.shared.exceptions.McpError": "mcp.shared.exceptions.MCPError",
    "mcp.McpError": "mcp.MCPError",
    "mcp.client.streamable_http.streamablehttp_client": "mcp.client.streamable_http.streamable_http_client",
    "mcp.server.fastmcp.prompts.base.Prompt": "mcp.server.mcpserver.prompts.base.Prompt",
}
"""Things that have another name now, by where they were."""

TRANSPORT = {
    "host": ("sse", "streamable-http"),
    "port": ("sse", "streamable-http"),
    "sse_path": ("sse",),
    "message_path": ("sse",),
    "streamable_http_path": ("streamable-http",),
    "json_response": ("streamable-http",),
    "stateless_http": ("streamable-http",),
    "event_store": ("streamable-http",),
    "retry_interval": ("streamable-http",),
    "transport_security": ("sse", "streamable-http"),
}
"""Options that the server's constructor took, and the transports whose `run` takes them now."""

CAMEL = frozenset(
    [
        "createdAt", "destructiveHint", "hasMore", "idempotentHint", "includeContext", "inputSchema", "isError",
        "lastUpdatedAt", "listChanged", "maxTokens", "mimeType", "modelPreferences", "nextCursor", "openWorldHint",
        "outputSchema", "pollInterval", "progressToken", "protocolVersion", "readOnlyHint", "requestedSchema",
        "serverInfo", "clientInfo", "statusMessage", "stopReason", "stopSequences", "structuredContent", "systemPrompt",
        "taskId", "toolChoice", "toolUseId", "uriTemplate", "websiteUrl", "costPriority", "speedPriority",
        "intelligencePriority", "elicitationId", "resourceTemplates", "lastModified",
    ]
)  # fmt: skip
"""Attributes of SDK types that are written in snake case now (on the wire they are not)."""


def snake(name: str) -> str:
    """`isError` as `is_error`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def moved(origin: str) -> str:
    """Where a dotted origin of `mcp` 1.x is in `mcp` 2; itself if it stayed."""
    if origin in NAMES:
        return NAMES[origin]
    for old, new in MODULES.items():
        if origin == old or origin.startswith(f"{old}."):
            return new + origin[len(old) :]
    return origin


def is_old(origin: str) -> bool:
    """A name that only `mcp` 1.x has."""
    return moved(origin) != origin
