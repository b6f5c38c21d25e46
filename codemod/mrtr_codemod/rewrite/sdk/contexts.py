"""Contexts: the parameters of their types, and their names."""

from __future__ import annotations

import ast

from .file import File

_SESSIONS = ("mcp.server.session.ServerSession", "mcp.server.ServerSession", "mcp.ServerSession")
_CLIENT_SESSIONS = ("mcp.client.session.ClientSession", "mcp.ClientSession")
_CONTEXTS = ("mcp.server.fastmcp.Context", "mcp.server.fastmcp.server.Context")
_REQUEST_CONTEXT = "mcp.shared.context.RequestContext"


def fix_contexts(file: File) -> None:
    """Subscripts of `Context` and `RequestContext`, and attributes of both that have another name."""
    for node in file.nodes:
        if isinstance(node, ast.Subscript):
            _context(file, node)
            _server(file, node)
        elif isinstance(node, ast.Attribute):
            _renamed(file, node)
    _request_contexts(file)


def _context(file: File, node: ast.Subscript) -> None:
    """`Context[ServerSession, App, Request]` is `Context[App, Request]` now."""
    if file.origin(node.value) not in _CONTEXTS:
        return
    given = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if file.facts.origin(given[0]) not in _SESSIONS and ast.unparse(given[0]) not in ("Any", "typing.Any"):
        return
    kept = given[1:]
    if all(isinstance(k, ast.Constant) and k.value is None for k in kept):
        file.edits.replace(file.edits.end(node.value), file.edits.end(node), "")
    else:
        file.edits.replace(file.edits.start(given[0]), file.edits.start(kept[0]), "")


def _server(file: File, node: ast.Subscript) -> None:
    """`Server[Lifespan, Request]` is `Server[Lifespan]` now."""
    if not (file.origin(node.value) or "").startswith(("mcp.server.Server", "mcp.server.lowlevel.")):
        return
    if isinstance(node.slice, ast.Tuple) and len(node.slice.elts) == 2:
        first, second = node.slice.elts
        file.edits.replace(file.edits.end(first), file.edits.end(second), "")


def _renamed(file: File, node: ast.Attribute) -> None:
    kind = file.kind(node.value)
    new = None
    if kind == {"MCPContext"} and node.attr == "fastmcp":
        new = "mcp_server"
    elif kind == {"MCPServer"} and node.attr == "_mcp_server":
        new = "_lowlevel_server"
    if new is not None:
        end = file.edits.end(node)
        file.edits.replace(end - len(node.attr), end, new)
    if kind == {"MCPContext"} and node.attr == "client_id":
        advice = "read `get_access_token().client_id`, or the key of `ctx.request_context.meta` that you set"
        file.notes.add(node, f"`{ast.unparse(node)}` is gone: {advice}")


def _request_contexts(file: File) -> None:
    """`RequestContext` is one class for each side now; the session in its brackets tells which."""
    local = next((n for n, o in file.facts.imports.items() if o == _REQUEST_CONTEXT), None)
    for node in file.nodes:
        match node:
            case ast.Subscript(value=base) if file.origin(base) == _REQUEST_CONTEXT:
                _request_context(file, node)
            case ast.Name(id=name) if name == local and not isinstance(file.parents.get(node), ast.Subscript):
                told = "take `mcp.server.ServerRequestContext` in servers, `mcp.client.ClientRequestContext` in clients"
                file.notes.add(node, f"`RequestContext` is gone: {told}")


def _request_context(file: File, node: ast.Subscript) -> None:
    given = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    session = file.facts.origin(given[0])
    if session in _CLIENT_SESSIONS:
        file.edits.rewrite(node, file.named("mcp.client.ClientRequestContext"))
    elif session in _SESSIONS or ast.unparse(given[0]) in ("Any", "typing.Any"):
        base = file.named("mcp.server.ServerRequestContext")
        kept = given[1:]
        if kept:
            file.edits.replace(file.edits.start(node), file.edits.start(kept[0]), f"{base}[")
        else:
            file.edits.rewrite(node, base)
    else:
        file.notes.add(
            node, "`RequestContext` is gone: take `ServerRequestContext` or `ClientRequestContext`"
        )
