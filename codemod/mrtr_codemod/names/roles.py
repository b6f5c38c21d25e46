"""The public names of `mcp` 1.x and 2.x and FastMCP 2 to 4 that asking goes through, whatever module they
come from.

An external object is written as its dotted name; `()` behind it makes it an instance. Names of the SDKs are
shortened to `mcp:Context` and `fastmcp:FastMCP`, since each release moved the modules but kept the names.
"""

from __future__ import annotations

from mrtr_codemod.model import AskKind

_FAMILIES = {"mcp": "mcp", "mcp_types": "mcp", "fastmcp": "fastmcp", "fastmcp_slim": "fastmcp"}

CONTEXT = "Context()"
SESSION = "ServerSession()"
REQUEST = "RequestContext()"

ROLE_CLASSES = frozenset(
    {
        "Context", "FastMCP", "MCPServer", "Server", "ServerSession", "RequestContext", "ServerRequestContext",
        "ServerTaskContext", "MiddlewareContext", "Middleware", "ClientSession", "Client", "ServerMiddleware",
    }
)  # fmt: skip
CONNECTIONS = frozenset({CONTEXT, SESSION, REQUEST, "ServerRequestContext()", "ServerTaskContext()"})
"""What a handler gets to talk to its client with."""
LOW_LEVEL = "Server()"

_ROLE_FUNCTIONS = frozenset(
    {"get_context", "CurrentContext", "elicit_with_validation", "elicit_url", "request_ctx", "tool", "prompt",
     "resource", "mcp_tool", "mcp_prompt", "mcp_resource"}
)  # fmt: skip

_MEMBERS = {
    "Context().session": SESSION,
    "Context().request_context": REQUEST,
    "Context()._request_context": REQUEST,
    "Context().fastmcp": "FastMCP()",
    "Context().mcp_server": "MCPServer()",
    "RequestContext().session": SESSION,
    "ServerRequestContext().session": SESSION,
    "Server().request_context": REQUEST,
    "FastMCP()._mcp_server": LOW_LEVEL,
    "MCPServer()._lowlevel_server": LOW_LEVEL,
    "MiddlewareContext().fastmcp_context": CONTEXT,
    "ServerTaskContext().session": SESSION,
}
_RETURNS = {
    "FastMCP().get_context": CONTEXT,
    "MCPServer().get_context": CONTEXT,
    "get_context": CONTEXT,
    "CurrentContext": CONTEXT,
    "request_ctx.get": REQUEST,
}
ASKS = {
    "Context().elicit": AskKind.FORM,
    "Context().elicit_url": AskKind.URL,
    "Context().sample": AskKind.SAMPLING,
    "Context().sample_step": AskKind.SAMPLING,
    "Context().list_roots": AskKind.ROOTS,
    "ServerSession().elicit": AskKind.FORM,
    "ServerSession().elicit_form": AskKind.FORM,
    "ServerSession().elicit_url": AskKind.URL,
    "ServerSession().create_message": AskKind.SAMPLING,
    "ServerSession().list_roots": AskKind.ROOTS,
    "ServerSession().experimental.elicit_as_task": AskKind.FORM,
    "ServerSession().experimental.create_message_as_task": AskKind.SAMPLING,
    "ServerTaskContext().elicit": AskKind.FORM,
    "ServerTaskContext().elicit_url": AskKind.URL,
    "ServerTaskContext().elicit_as_task": AskKind.FORM,
    "ServerTaskContext().create_message": AskKind.SAMPLING,
    "ServerTaskContext().create_message_as_task": AskKind.SAMPLING,
    "elicit_with_validation": AskKind.FORM,
    "elicit_url": AskKind.URL,
}
SEND_REQUEST = "ServerSession().send_request"
REQUEST_KINDS = {
    "ElicitRequest": AskKind.FORM,
    "ElicitRequestFormParams": AskKind.FORM,
    "ElicitRequestURLParams": AskKind.URL,
    "CreateMessageRequest": AskKind.SAMPLING,
    "ListRootsRequest": AskKind.ROOTS,
}
URL_REQUIRED = "UrlElicitationRequiredError"
ASK_METHODS = frozenset(key.rpartition(".")[2] for key in ASKS) | {"send_request"}

KNOWN_BY_NAME = ROLE_CLASSES | {"elicit_with_validation", "elicit_url"}
"""Public names that stand for what they are also where the repo is the SDK that defines them."""


def canonical(dotted: str) -> str:
    """`mcp.server.fastmcp.Context` as `mcp:Context`; a name of no SDK stays as it is."""
    root, _, rest = dotted.partition(".")
    family = _FAMILIES.get(root)
    last = rest.rpartition(".")[2]
    if family is None or not last or not (last[0].isupper() or last in _ROLE_FUNCTIONS):
        return dotted
    if rest.startswith("client."):
        return f"{family}.client:{last}"
    return f"{family}:{last}"


def member(external: str, name: str) -> str:
    """The external object that attribute `name` of `external` is."""
    family, colon, local = external.partition(":")
    if colon:
        known = _MEMBERS.get(f"{local}.{name}")
        if known:
            return f"{family}:{known}"
        if family.endswith(".client") or local.startswith("Client"):
            return f"{external}.{name}"
    return f"{external}.{name}"


def result(external: str) -> str:
    """The external object that calling `external` gives."""
    family, colon, local = external.partition(":")
    known = _RETURNS.get(local if colon else external)
    return f"{family}:{known}" if colon and known else f"{external}()"


def in_family(dotted: str) -> bool:
    """Whether a dotted module name belongs to one of the SDKs."""
    return dotted.partition(".")[0] in _FAMILIES


def local_part(external: str) -> str:
    """`Context().elicit` of `mcp:Context().elicit`; empty for an object of no SDK, and for the client
    side."""
    family, colon, local = external.partition(":")
    return local if colon and not family.endswith(".client") else ""


def unbound_ask_kind(external: str) -> AskKind | None:
    """The kind of ask of a method that is taken from its class: `Context.elicit(ctx, …)`."""
    owner, _, method = local_part(external).rpartition(".")
    return ASKS.get(f"{owner}().{method}") if owner and "(" not in owner else None


def ask_kind(external: str) -> AskKind | None:
    """The kind of ask that calling `external` makes, if it makes one whose kind its name tells."""
    return ASKS.get(local_part(external))
