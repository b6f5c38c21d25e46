"""The types of `mcp.types` 1.x whose attributes are written in snake case now, and those that lead to them.

A field maps to the types of its value, empty where these have no such attribute: `A|B`, `list[A]` and `dict[A]` (by its
values) as in annotations.
"""

from __future__ import annotations

import re

_BLOCKS = "TextContent|ImageContent|AudioContent|ResourceLink|EmbeddedResource"
_SAMPLED = "TextContent|ImageContent|AudioContent|ToolUseContent|ToolResultContent"
MODELS: dict[str, dict[str, str]] = {
    "AudioContent": {"mimeType": ""},
    "BlobResourceContents": {"mimeType": ""},
    "CallToolResult": {"content": f"list[{_BLOCKS}]", "structuredContent": "", "isError": ""},
    "CancelTaskRequest": {"params": "CancelTaskRequestParams"},
    "CancelTaskRequestParams": {"taskId": ""},
    "CancelTaskResult": {"taskId": "", "statusMessage": "", "createdAt": "", "lastUpdatedAt": "", "pollInterval": ""},
    "CancelledNotification": {"params": "CancelledNotificationParams"},
    "CancelledNotificationParams": {"requestId": ""},
    "ClientCapabilities": {"roots": "RootsCapability", "tasks": "ClientTasksCapability"},
    "ClientTasksCapability": {"requests": "ClientTasksRequestsCapability"},
    "ClientTasksRequestsCapability": {"sampling": "TasksSamplingCapability"},
    "CompleteResult": {"completion": "Completion"},
    "Completion": {"hasMore": ""},
    "CreateMessageRequest": {"params": "CreateMessageRequestParams"},
    "CreateMessageRequestParams": {
        "messages": "list[SamplingMessage]", "modelPreferences": "ModelPreferences", "systemPrompt": "",
        "includeContext": "", "maxTokens": "", "stopSequences": "", "tools": "list[Tool]",
        "toolChoice": "",
    },
    "CreateMessageResult": {"content": "TextContent|ImageContent|AudioContent", "stopReason": ""},
    "CreateMessageResultWithTools": {"content": f"{_SAMPLED}|list[{_SAMPLED}]", "stopReason": ""},
    "CreateTaskResult": {"task": "Task"},
    "ElicitCompleteNotification": {"params": "ElicitCompleteNotificationParams"},
    "ElicitCompleteNotificationParams": {"elicitationId": ""},
    "ElicitRequest": {"params": "ElicitRequestURLParams|ElicitRequestFormParams"},
    "ElicitRequestFormParams": {"requestedSchema": ""},
    "ElicitRequestURLParams": {"elicitationId": ""},
    "ElicitationRequiredErrorData": {"elicitations": "list[ElicitRequestURLParams]"},
    "EmbeddedResource": {"resource": "TextResourceContents|BlobResourceContents"},
    "GetPromptResult": {"messages": "list[PromptMessage]"},
    "GetTaskPayloadRequest": {"params": "GetTaskPayloadRequestParams"},
    "GetTaskPayloadRequestParams": {"taskId": ""},
    "GetTaskRequest": {"params": "GetTaskRequestParams"},
    "GetTaskRequestParams": {"taskId": ""},
    "GetTaskResult": {"taskId": "", "statusMessage": "", "createdAt": "", "lastUpdatedAt": "", "pollInterval": ""},
    "Icon": {"mimeType": ""},
    "ImageContent": {"mimeType": ""},
    "Implementation": {"websiteUrl": "", "icons": "list[Icon]"},
    "InitializeRequest": {"params": "InitializeRequestParams"},
    "InitializeRequestParams": {
        "protocolVersion": "", "capabilities": "ClientCapabilities", "clientInfo": "Implementation",
    },
    "InitializeResult": {"protocolVersion": "", "capabilities": "ServerCapabilities", "serverInfo": "Implementation"},
    "ListPromptsResult": {"nextCursor": "", "prompts": "list[Prompt]"},
    "ListResourceTemplatesResult": {"nextCursor": "", "resourceTemplates": "list[ResourceTemplate]"},
    "ListResourcesResult": {"nextCursor": "", "resources": "list[Resource]"},
    "ListTasksResult": {"nextCursor": "", "tasks": "list[Task]"},
    "ListToolsResult": {"nextCursor": "", "tools": "list[Tool]"},
    "ModelPreferences": {"costPriority": "", "speedPriority": "", "intelligencePriority": ""},
    "PaginatedResult": {"nextCursor": ""},
    "ProgressNotification": {"params": "ProgressNotificationParams"},
    "ProgressNotificationParams": {"progressToken": ""},
    "Prompt": {"icons": "list[Icon]"},
    "PromptMessage": {"content": _BLOCKS},
    "PromptsCapability": {"listChanged": ""},
    "ReadResourceResult": {"contents": "list[TextResourceContents|BlobResourceContents]"},
    "RelatedTaskMetadata": {"taskId": ""},
    "Resource": {"mimeType": "", "icons": "list[Icon]"},
    "ResourceContents": {"mimeType": ""},
    "ResourceLink": {"mimeType": "", "icons": "list[Icon]"},
    "ResourceTemplate": {"uriTemplate": "", "mimeType": "", "icons": "list[Icon]"},
    "ResourcesCapability": {"listChanged": ""},
    "RootsCapability": {"listChanged": ""},
    "SamplingMessage": {"content": f"{_SAMPLED}|list[{_SAMPLED}]"},
    "ServerCapabilities": {
        "prompts": "PromptsCapability", "resources": "ResourcesCapability", "tools": "ToolsCapability",
    },
    "Task": {"taskId": "", "statusMessage": "", "createdAt": "", "lastUpdatedAt": "", "pollInterval": ""},
    "TaskStatusNotification": {"params": "TaskStatusNotificationParams"},
    "TaskStatusNotificationParams": {
        "taskId": "", "statusMessage": "", "createdAt": "", "lastUpdatedAt": "", "pollInterval": "",
    },
    "TasksSamplingCapability": {"createMessage": ""},
    "TextResourceContents": {"mimeType": ""},
    "Tool": {
        "inputSchema": "", "outputSchema": "", "icons": "list[Icon]", "annotations": "ToolAnnotations",
        "execution": "ToolExecution",
    },
    "ToolAnnotations": {"readOnlyHint": "", "destructiveHint": "", "idempotentHint": "", "openWorldHint": ""},
    "ToolExecution": {"taskSupport": ""},
    "ToolResultContent": {"toolUseId": "", "structuredContent": "", "isError": ""},
    "ToolsCapability": {"listChanged": ""},
}  # fmt: skip


def snake(name: str) -> str:
    """`isError` as `is_error`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


CAMEL = frozenset(name for fields in MODELS.values() for name in fields if snake(name) != name)
"""Attributes of SDK types that are written in snake case now (on the wire they are not)."""
