"""`McpError(ErrorData(code=c, message=m))` is `MCPError(code=c, message=m)` now."""

from __future__ import annotations

import ast

from .file import File

_ERRORS = ("mcp.McpError", "mcp.shared.exceptions.McpError", "fastmcp.exceptions.McpError")
_DATA = ("mcp.types.ErrorData", "mcp_types.ErrorData", "mcp.ErrorData")


def fix_errors(file: File) -> None:
    """Spread the `ErrorData` that an error was built from; one that was built before goes by `from_error_data`."""
    for call in file.calls():
        if file.origin(call.func) in _ERRORS and len(call.args) == 1 and not call.keywords:
            _spread(file, call, call.args[0])
        elif (
            file.origin(call.func) in _ERRORS and len(call.keywords) == 1 and call.keywords[0].arg == "error"
        ):
            start = file.edits.start(call.keywords[0])
            file.edits.replace(start, file.edits.start(call.keywords[0].value), "")
            _spread(file, call, call.keywords[0].value)


def _spread(file: File, call: ast.Call, data: ast.expr) -> None:
    edits = file.edits
    if isinstance(data, ast.Call) and file.origin(data.func) in _DATA:
        opened = edits.text.index("(", edits.end(data.func))
        edits.replace(edits.start(data.func), opened + 1, "")
        edits.replace(edits.end(data) - 1, edits.end(data), "")
    elif not isinstance(data, ast.Starred):
        edits.insert(edits.end(call.func), ".from_error_data")
