"""MRTR410: several workers seal `requestState` under keys of their own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.definitions import Definitions
from mrtr_codemod.analysis.sdk import argument, is_none, sdk_names
from mrtr_codemod.analysis.walk import last_name
from mrtr_codemod.analysis.workers import WorkersSite, workers_sites
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.names.module import ScopeId
from mrtr_codemod.rules.base import MRTR_SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_SERVERS = frozenset({"MCPServer", "FastMCP"})
_POLICY = "RequestStateSecurity"
_ROUNDS = ("InputRequiredResult(", "Resolve(", "request_state_security")
_MENTIONED = re.compile(rf"\b(?:{'|'.join(sorted(_SERVERS))}|{_POLICY})\b")
_RANDOM = re.compile(r"^(?:secrets\.token_\w+|os\.urandom|uuid\.uuid4)$|\.generate_key$")

_DEFAULT = """
import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import ElicitRequest, InputRequiredResult
mcp = MCPServer("files")
ASK: ElicitRequest
@mcp.tool()
async def delete(ctx: Context) -> str | InputRequiredResult:
    return "gone" if ctx.input_responses else InputRequiredResult(input_requests={"sure": ASK}, request_state="1")
app = mcp.streamable_http_app()
uvicorn.run("server:app", workers=4)
"""
_EPHEMERAL = {
    "app/__init__.py": "",
    "app/server.py": """
from mcp.server.mcpserver import MCPServer, RequestStateSecurity
security = RequestStateSecurity.ephemeral(ttl=300)
mcp = MCPServer("files", request_state_security=security)
app = mcp.streamable_http_app()
""",
    "main.py": """
import multiprocessing
import uvicorn
if __name__ == "__main__":
    uvicorn.run("app.server:app", workers=multiprocessing.cpu_count() * 2)
""",
}
_RANDOM_KEY = {
    "gunicorn.conf.py": "workers = 4\n",
    "server.py": """
import secrets
from fastmcp import FastMCP
from mcp.server.request_state import RequestStateSecurity
mcp = FastMCP("files", request_state_security=RequestStateSecurity(keys=[secrets.token_bytes(32)]))
""",
}
_SHARED = """
import os
import uvicorn
from mcp.server.mcpserver import MCPServer, RequestStateSecurity
mcp = MCPServer("files", request_state_security=RequestStateSecurity(keys=[os.environ["STATE_KEY"]]))
app = mcp.streamable_http_app()
uvicorn.run("server:app", workers=4)
"""
_ONE_WORKER = _DEFAULT.replace("workers=4", "workers=1")
_NO_ROUNDS = """
import uvicorn
from mcp.server.mcpserver import MCPServer
mcp = MCPServer("files")
app = mcp.streamable_http_app()
uvicorn.run("server:app", workers=4)
"""
_OTHER_PROGRAM = {
    "jobs.py": "import uvicorn\nuvicorn.run('other:app', workers=4)\n",
    "server.py": """
from mcp.server.mcpserver import MCPServer, RequestStateSecurity
mcp = MCPServer("files", request_state_security=RequestStateSecurity.ephemeral())
""",
}


def check(view: FileView) -> Iterator[Finding]:
    """One finding for each server, or each policy, with a key that other workers do not have."""
    local = list(_local_keys(view))
    sites = workers_sites(view.analysis.project) if local else []
    started = next((site for site in sites if site.starts(view.path)), None)
    if started is not None:
        for call, reason in local:
            message = (
                f"{reason}, and {_place(view, started)} starts several workers: another one refuses the retry"
            )
            yield view.finding(RULE, call, message)


def _local_keys(view: FileView) -> Iterator[tuple[ast.Call, str]]:
    for call in view.calls:
        scope = view.scope_at(call)
        name = last_name(call)
        if name in _SERVERS and name in sdk_names(view, call.func, scope):
            policy = argument(call, None, "request_state_security")
            unpacked = any(keyword.arg is None for keyword in call.keywords)
            if is_none(policy) or (policy is None and not unpacked):
                yield call, "the server seals `requestState` under a key of its own process"
        elif name == "ephemeral" and isinstance(call.func, ast.Attribute):
            if _POLICY in sdk_names(view, call.func.value, scope):
                yield call, "an ephemeral key belongs to one process"
        elif name == _POLICY and name in sdk_names(view, call.func, scope):
            keys = argument(call, None, "keys")
            if keys is not None and _is_random(view, keys, scope):
                yield call, "a key made at the start belongs to one process"


def _is_random(view: FileView, keys: ast.expr, scope: ScopeId) -> bool:
    definitions = Definitions(view.analysis.project, view.analysis.evaluator)
    listed = definitions.of(keys, scope)
    elements = listed.node.elts if isinstance(listed.node, (ast.List, ast.Tuple)) else [keys]
    for element in elements:
        found = definitions.of(element, listed.scope)
        made = view.externals(found.node.func, found.scope) if isinstance(found.node, ast.Call) else ()
        if any(map(_RANDOM.search, made)):
            return True
    return False


def _place(view: FileView, site: WorkersSite) -> str:
    return f"line {site.line}" if site.path == view.path else f"{site.path}:{site.line}"


RULE = Rule(
    code="MRTR410",
    name="process-local-key",
    level=Level.WARNING,
    summary="Several workers seal `requestState` under keys of their own.",
    what="Finds servers without `request_state_security`, with `RequestStateSecurity.ephemeral()` or with a key that "
    "is made at the start, when their handlers end rounds and the repo starts several workers of them (`workers=` of "
    "uvicorn and others, `gunicorn.conf.py`).",
    why="By default the key is made when the process starts. The retry of a call may reach another worker, which "
    "cannot open the state and refuses it with -32602. With four workers three of four confirmations fail.",
    example='```python\nmcp = MCPServer("files")\nuvicorn.run("server:app", workers=4)\n```',
    remedy="Give all workers the same key from the configuration, and the server a fixed name: "
    "`RequestStateSecurity(keys=[os.environ[…]])`. `mrtr keygen` makes one.",
    reference=MRTR_SPEC,
    check=check,
    words=_ROUNDS,
    concerns=_MENTIONED.search,
    valid=(_SHARED, _ONE_WORKER, _NO_ROUNDS, _OTHER_PROGRAM),
    invalid=(_DEFAULT, _EPHEMERAL, _RANDOM_KEY),
)
