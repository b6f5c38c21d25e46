"""The server object in a module."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer

from mrtr_adapter.fastmcp import is_fastmcp
from mrtr_adapter.serving.import_failure import explain
from mrtr_adapter.serving.refusal import CannotServe
from mrtr_adapter.serving.target import Target

if TYPE_CHECKING:
    from fastmcp import FastMCP

    AnyServer: TypeAlias = MCPServer[Any] | Server[Any] | FastMCP[Any]

_KINDS = "MCPServer, low-level Server or FastMCP"


def is_server(value: object) -> bool:
    """Whether this is a server of a framework that can be served."""
    return isinstance(value, MCPServer | Server) or is_fastmcp(value)


def find_server(module: ModuleType, target: Target) -> AnyServer:
    """The object that `target` names, or what the function of that name returns; else the module's only server.

    Raises:
        CannotServe: there is none, there are several, or the name is something else.
    """
    if target.object is not None:
        return _named(module, target, target.object)
    found: dict[int, str] = {}
    for name, value in vars(module).items():
        if is_server(value):
            found.setdefault(id(value), name)
    names = list(found.values())
    if not names:
        raise CannotServe(
            f"there is no server in {target.path}: make the {_KINDS} a global of it, "
            f"or name a function that returns one, as in `{target.named('build')}`"
        )
    if len(names) > 1:
        raise CannotServe(
            f"there are several servers in {target.path} ({', '.join(names)}): name one, as in "
            f"`{target.named(names[0])}`"
        )
    server: AnyServer = getattr(module, names[0])
    return server


def _named(module: ModuleType, target: Target, name: str) -> AnyServer:
    value: Any = module
    for part in name.split("."):
        value = getattr(value, part, None)
    if value is None:
        raise CannotServe(f"there is no {name} in {target.path}{_instead(module)}")
    if inspect.isfunction(value) and not inspect.iscoroutinefunction(value):
        try:
            value = value()
        except Exception as error:
            raise CannotServe(explain(error, target.path)) from None
    if not is_server(value):
        raise CannotServe(
            f"{name} in {target.path} is no {_KINDS} but {type(value).__qualname__}{_instead(module)}"
        )
    server: AnyServer = value
    return server


def _instead(module: ModuleType) -> str:
    names = [name for name, value in vars(module).items() if is_server(value)]
    return f": its servers are {', '.join(names)}" if names else ": it has no server object at all"
