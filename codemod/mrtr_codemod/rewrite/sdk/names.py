"""What moved, what was renamed and what is gone: from `mcp` 1.30 to `mcp` 2, from FastMCP 2 and 3 to FastMCP 4.

Source: the migration guides, https://py.sdk.modelcontextprotocol.io/v2/migration/ and
https://gofastmcp.com/getting-started/upgrading/, checked against the installed packages.
"""

from __future__ import annotations

MODULES = {
    "mcp.server.fastmcp": "mcp.server.mcpserver",
    "mcp.shared.version": "mcp.types.version",
    "fastmcp.experimental.sampling.handlers": "fastmcp.client.sampling.handlers",
    "fastmcp.experimental.server.openapi": "fastmcp.server.providers.openapi",
    "fastmcp.experimental.utilities.openapi": "fastmcp.utilities.openapi",
    "fastmcp.prompts.prompt": "fastmcp.prompts.base",
    "fastmcp.resources.resource": "fastmcp.resources.base",
    "fastmcp.server.app": "fastmcp.apps.app",
    "fastmcp.server.apps": "fastmcp.apps.config",
    "fastmcp.server.auth.authorization": "fastmcp.utilities.authorization",
    "fastmcp.server.openapi": "fastmcp.server.providers.openapi",
    "fastmcp.server.proxy": "fastmcp.server.providers.proxy",
    "fastmcp.server.tasks.config": "fastmcp.utilities.tasks",
    "fastmcp.tools.tool": "fastmcp.tools.base",
}
"""Modules that moved with everything below them."""

DECORATORS = frozenset(["fastmcp.prompts.prompt", "fastmcp.resources.resource", "fastmcp.tools.tool"])
"""Old modules whose names are those of decorators too: taken from the package, these are meant."""

NAMES = {
    "mcp.McpError": "mcp.MCPError",
    "mcp.client.streamable_http.streamablehttp_client": "mcp.client.streamable_http.streamable_http_client",
    "mcp.server.FastMCP": "mcp.server.MCPServer",
    "mcp.server.fastmcp.FastMCP": "mcp.server.mcpserver.MCPServer",
    "mcp.server.fastmcp.exceptions.FastMCPError": "mcp.server.mcpserver.exceptions.MCPServerError",
    "mcp.server.fastmcp.server.FastMCP": "mcp.server.mcpserver.server.MCPServer",
    "mcp.server.lowlevel.server.ReadResourceContents": "mcp.server.lowlevel.helper_types.ReadResourceContents",
    "mcp.shared.exceptions.McpError": "mcp.shared.exceptions.MCPError",
    "mcp.types.Content": "mcp.types.ContentBlock",
    "mcp.types.RequestParams.Meta": "mcp.types.RequestParamsMeta",
    "mcp.types.ResourceReference": "mcp.types.ResourceTemplateReference",
    **{
        f"mcp.types.{side}{kind}Type": f"mcp.types.{side}{kind}"
        for side in ("Client", "Server")
        for kind in ("Request", "Notification", "Result")
    },
    "fastmcp.mcp_config.ToolTransformConfig": "fastmcp.tools.tool_transform.ToolTransformConfig",
    "fastmcp.prompts.prompt.FunctionPrompt": "fastmcp.prompts.function_prompt.FunctionPrompt",
    "fastmcp.resources.resource.FunctionResource": "fastmcp.resources.function_resource.FunctionResource",
    "fastmcp.server.apps.resolve_ui_mime_type": "fastmcp.utilities.mime.resolve_ui_mime_type",
    "fastmcp.server.auth.JWTVerifier": "fastmcp.server.auth.providers.jwt.JWTVerifier",
    "fastmcp.server.providers.skills.SkillsProvider": "fastmcp.server.providers.skills.SkillsDirectoryProvider",
    "fastmcp.server.tasks.TaskConfig": "fastmcp.utilities.tasks.TaskConfig",
    "fastmcp.tools.tool.FunctionTool": "fastmcp.tools.function_tool.FunctionTool",
    "fastmcp.tools.tool.ParsedFunction": "fastmcp.tools.function_parsing.ParsedFunction",
    **{
        f"fastmcp.server.middleware.caching.Cachable{what}": f"fastmcp.server.middleware.caching.Cacheable{what}"
        for what in ("Message", "PromptResult", "ResourceContent", "ResourceResult", "ToolResult")
    },
}
"""Things that have another name or place now, by where they were."""

LITERALS = {
    "mcp.types.Cursor": "str",
    "mcp.types.TASK_FORBIDDEN": '"forbidden"',
    "mcp.types.TASK_OPTIONAL": '"optional"',
    "mcp.types.TASK_REQUIRED": '"required"',
    **{
        f"mcp.types.TASK_STATUS_{status}": f'"{status.lower()}"'
        for status in ("CANCELLED", "COMPLETED", "FAILED", "INPUT_REQUIRED", "WORKING")
    },
}
"""Names that are gone, and what they stood for."""

TASKS = (
    "experimental tasks are gone from `mcp`: return the result itself, or move to FastMCP's TasksExtension"
)
GONE = {
    "mcp.client.experimental": TASKS,
    "mcp.client.streamable_http.GetSessionIdCallback": "spell it out: `Callable[[], str | None]`",
    "mcp.client.websocket": "the WebSocket transport is gone: connect over streamable HTTP",
    "mcp.server.experimental": TASKS,
    "mcp.server.lowlevel.experimental": TASKS,
    "mcp.server.lowlevel.server.Server.experimental": TASKS,
    "mcp.server.lowlevel.server.request_ctx": "handlers take the context as their first parameter",
    "mcp.server.session.InitializationState": "ask the connection whether it is initialized",
    "mcp.server.websocket": "the WebSocket transport is gone: serve streamable HTTP",
    "mcp.shared.experimental": TASKS,
    "mcp.shared.memory.create_connected_server_and_client_session": "use `async with mcp.Client(server)`",
    "mcp.shared.progress": "report progress by `ctx.report_progress(progress, total)`, which takes the sum, not a step",
    "mcp.shared.response_router": "there is no response router any more; `Server.middleware` sees every message",
    "mcp.shared.session": "there is no BaseSession any more: take `ClientSession` or `ServerSession`",
    "fastmcp.client.tasks": "tasks are an extension now: install fastmcp-tasks and use its client",
    "fastmcp.client.transports.WSTransport": "the WebSocket transport is gone: use StreamableHttpTransport",
    "fastmcp.dependencies.CurrentDocket": "import it from fastmcp_tasks (package fastmcp-tasks)",
    "fastmcp.dependencies.CurrentWorker": "import it from fastmcp_tasks (package fastmcp-tasks)",
    "fastmcp.experimental.server.openapi.FastMCPOpenAPI": "build `FastMCP(name, providers=[OpenAPIProvider(...)])`",
    "fastmcp.prompts.prompt_manager": "the managers are gone: ask the server (`list_prompts()`, `get_prompt(name)`)",
    "fastmcp.resources.resource_manager": "the managers are gone: ask the server (`list_resources()`)",
    "fastmcp.server.openapi.FastMCPOpenAPI": "build `FastMCP(name, providers=[OpenAPIProvider(...)])`",
    "fastmcp.server.openapi.server": "build `FastMCP(name, providers=[OpenAPIProvider(...)])`",
    "fastmcp.server.middleware.tool_injection.PromptToolMiddleware": "add the transform `PromptsAsTools` to the server",
    "fastmcp.server.middleware.tool_injection.ResourceToolMiddleware": "add the transform `ResourcesAsTools` to it",
    "fastmcp.server.sampling": "servers sample by a question of their own now: run `mrtr rewrite` without --sdk-only",
    "fastmcp.server.tasks": "tasks are an extension now: install fastmcp-tasks and add its TasksExtension",
    "fastmcp.tools.tool_manager": "the managers are gone: ask the server (`list_tools()`, `get_tool(name)`)",
    "fastmcp.utilities.components.MirroredComponent": "components of a proxy are plain components now",
}
"""What has no successor under another name, and what to do. A module stands for all below it."""

PUT_BACK = ("fastmcp.server.sampling",)
"""Modules that are gone and that `mrtr run` has again; see mrtr_adapter/fastmcp/old_names.py."""


def moved(origin: str) -> str:
    """Where a dotted origin of an old SDK is in the new one; itself if it stayed, or is gone."""
    parts = origin.split(".")
    for count in range(len(parts), 0, -1):
        start, rest = ".".join(parts[:count]), parts[count:]
        new = NAMES.get(start) or MODULES.get(start)
        if new is not None and (rest or start not in DECORATORS):
            return ".".join([new, *rest])
    return origin


def moved_module(module: str) -> str:
    """Where a module of an old SDK is in the new one."""
    return MODULES.get(module) or moved(module)


def gone(origin: str) -> str | None:
    """What to do about a name that is gone; None if it is there, here or elsewhere."""
    parts = origin.split(".")
    for count in range(len(parts), 0, -1):
        start = ".".join(parts[:count])
        if start in NAMES or start in MODULES:
            return None
        if start in GONE:
            return GONE[start]
    return None
