"""The classes of the SDKs that lead to values of SDK types, as far as old code uses them.

A member maps to what it gives: the type of an attribute's value, or of a method's result once it has been awaited.
"""

from __future__ import annotations

_CALLBACKS = {
    "create_message": "CreateMessageResult",
    "elicit": "ElicitResult",
    "elicit_form": "ElicitResult",
    "elicit_url": "ElicitResult",
    "list_roots": "ListRootsResult",
}
_LISTS = {
    "list_tools": "ListToolsResult",
    "list_prompts": "ListPromptsResult",
    "list_resources": "ListResourcesResult",
    "list_resource_templates": "ListResourceTemplatesResult",
}
_CALLS = {
    "call_tool": "CallToolResult",
    "get_prompt": "GetPromptResult",
    "read_resource": "ReadResourceResult",
    "complete": "CompleteResult",
    "initialize": "InitializeResult",
}

MEMBERS: dict[str, dict[str, str]] = {
    "ClientSession": {**_LISTS, **_CALLS},
    "ServerSession": {**_CALLBACKS, "client_params": "InitializeRequestParams"},
    "RequestContext": {"session": "ServerSession", "meta": "RequestParams.Meta"},
    "ClientRequestContext": {"session": "ClientSession"},
    "MCPContext": {"session": "ServerSession", "request_context": "RequestContext", "fastmcp": "MCPServer"},
    "MCPServer": {
        "_mcp_server": "LowLevelServer",
        "list_tools": "list[Tool]",
        "list_prompts": "list[Prompt]",
    },
    "LowLevelServer": {"request_context": "RequestContext"},
    "FastMCPContext": {
        "session": "ServerSession",
        "request_context": "RequestContext",
        "fastmcp": "FastMCPServer",
        "list_roots": "list[Root]",
    },
    "FastMCPServer": {"_mcp_server": "LowLevelServer"},
    "FastMCPClient": {
        "session": "ClientSession",
        "initialize_result": "InitializeResult",
        "list_tools": "list[Tool]",
        "list_prompts": "list[Prompt]",
        "list_resources": "list[Resource]",
        "list_resource_templates": "list[ResourceTemplate]",
        "read_resource": "list[TextResourceContents|BlobResourceContents]",
        "get_prompt": "GetPromptResult",
        **{f"{name}_mcp": result for name, result in {**_LISTS, **_CALLS}.items()},
    },
}

CLASSES = {
    "mcp.ClientSession": "ClientSession",
    "mcp.client.session.ClientSession": "ClientSession",
    "mcp.ServerSession": "ServerSession",
    "mcp.server.ServerSession": "ServerSession",
    "mcp.server.session.ServerSession": "ServerSession",
    "mcp.server.fastmcp.Context": "MCPContext",
    "mcp.server.fastmcp.server.Context": "MCPContext",
    "mcp.server.fastmcp.FastMCP": "MCPServer",
    "mcp.server.fastmcp.server.FastMCP": "MCPServer",
    "mcp.server.FastMCP": "MCPServer",
    "mcp.server.Server": "LowLevelServer",
    "mcp.server.lowlevel.Server": "LowLevelServer",
    "mcp.server.lowlevel.server.Server": "LowLevelServer",
    "fastmcp.Context": "FastMCPContext",
    "fastmcp.server.Context": "FastMCPContext",
    "fastmcp.server.context.Context": "FastMCPContext",
    "fastmcp.FastMCP": "FastMCPServer",
    "fastmcp.server.FastMCP": "FastMCPServer",
    "fastmcp.server.server.FastMCP": "FastMCPServer",
    "fastmcp.Client": "FastMCPClient",
    "fastmcp.client.Client": "FastMCPClient",
    "fastmcp.client.client.Client": "FastMCPClient",
}
"""Where each class is imported from."""

FUNCTIONS = {
    "mcp.shared.memory.create_connected_server_and_client_session": "ClientSession",
    "fastmcp.server.dependencies.get_context": "FastMCPContext",
    "fastmcp.server.create_proxy": "FastMCPServer",
}
FUNCTIONS |= {
    f"{origin}.{method}": kind
    for origin, kind in CLASSES.items()
    if kind == "FastMCPServer"
    for method in ("as_proxy", "from_fastapi", "from_openapi")
}
"""Functions by where they are imported from, and what they give."""


def class_of(origin: str | None) -> str | None:
    """The kind of the class, or the type of `mcp.types`, that has this dotted origin."""
    if origin is None:
        return None
    if origin.startswith("pydantic.") and origin.endswith("Url"):
        return "Url"
    if origin in CLASSES:
        return CLASSES[origin]
    for module in ("mcp.types.", "mcp_types.", "mcp."):
        name = origin.removeprefix(module)
        if name != origin and "." not in name.removesuffix(".Meta") and name[:1].isupper():
            return name
    return None
