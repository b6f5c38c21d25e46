"""Why a file could not be imported, in one line that says what to do."""

from __future__ import annotations

import re
import shlex
import traceback
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer

from mrtr_adapter.fastmcp import is_fastmcp
from mrtr_adapter.serving.refusal import told
from mrtr_codemod.rewrite.sdk.names import gone

_MISSING = re.compile(r"cannot import name '(\w+)'")
_NEW_IN_2 = ("mcp.server.mcpserver", "mcp_types")


def explain(error: Exception, path: Path) -> str:
    """What went wrong while the file at `path` was imported, or made its server."""
    if isinstance(error, SyntaxError):
        return f"{error.filename or path} line {error.lineno} is not valid Python: {error.msg}"
    old = _old_name(error)
    if old is not None:
        return _written_for_1(path, old)
    where = _where(error, path)
    if _is_gone_from_fastmcp(error):
        return _written_for_fastmcp_3(path, f"{where}: {str(error).partition(' (')[0]}")
    if isinstance(error, ModuleNotFoundError) and error.name:
        return _not_installed(error.name, where)
    if isinstance(error, ImportError):
        return f"{where}: {told(error)}: install the version of it that the server was written for"
    return f"{where} fails with {told(error)}, so there is no server: mend it there"


def _old_name(error: Exception) -> str | None:
    """The name of mcp 1.x that is missing in 2.x, if that is what is wrong."""
    if isinstance(error, ImportError):
        name = error.name or ""
        old = name == "mcp" or name.startswith("mcp.")
        missing = _MISSING.search(str(error))
        if old and missing is not None and gone(f"{name}.{missing[1]}") is not None:
            return f"{name}.{missing[1]}"
        return name if old and not name.startswith(_NEW_IN_2) and not _mcp_missing(error) else None
    if isinstance(error, AttributeError):
        owner = error.obj
        if isinstance(owner, Server | MCPServer):
            return f"{type(owner).__module__}.{type(owner).__qualname__}.{error.name}"
        if isinstance(owner, ModuleType) and owner.__name__.partition(".")[0] == "mcp":
            return f"{owner.__name__}.{error.name}"
    return None


def _mcp_missing(error: ImportError) -> bool:
    return isinstance(error, ModuleNotFoundError) and error.name == "mcp"


def _is_gone_from_fastmcp(error: Exception) -> bool:
    """Whether the installed FastMCP lacks what the file uses. Without any, `fastmcp` itself is what is missing."""
    if isinstance(error, ImportError):
        none = isinstance(error, ModuleNotFoundError) and error.name == "fastmcp"
        return _is_of_fastmcp(error.name) and not none
    if isinstance(error, AttributeError):
        owner = error.obj
        return is_fastmcp(owner) or (isinstance(owner, ModuleType) and _is_of_fastmcp(owner.__name__))
    return False


def _is_of_fastmcp(module: str | None) -> bool:
    return (module or "").partition(".")[0] == "fastmcp"


def _written_for_1(path: Path, name: str) -> str:
    advice = gone(name)
    if advice is not None:
        return (
            f"{path} uses {name}, which mcp {version('mcp')} has no more ({advice}): leave it with its old SDK and "
            f"{_behind_gateway(path, 'mcp<2')}"
        )
    lack = f"{path} is written for mcp 1.x (it uses {name}; mcp {version('mcp')} is installed)"
    return f"{lack}: {_ways(path, '2.x', 'mcp<2')}"


def _written_for_fastmcp_3(path: Path, lack: str) -> str:
    return (
        f"{lack}; fastmcp {version('fastmcp')} is installed. If it is written for FastMCP 2 or 3, "
        f"{_ways(path, '4', 'fastmcp<4')}"
    )


def _ways(path: Path, newer: str, older: str) -> str:
    """What can be done with a file that is written for `older`, as pip names it."""
    moved = f"bring it to {newer} with `mrtr rewrite --sdk-only {_quoted(path)}`"
    return f"{moved}, or leave it and {_behind_gateway(path, older)}"


def _behind_gateway(path: Path, older: str) -> str:
    return f"run `mrtr wrap -- python {_quoted(path)}`, with the python of an environment that has {older}"


def _not_installed(module: str, where: str) -> str:
    package = module.partition(".")[0]
    if package == "fastmcp":
        return (
            f"{where} imports {module}, which is not in this environment: `pip install 'mrtr[fastmcp]'`; "
            "a server for FastMCP 2 or 3 stays in its own, behind `mrtr wrap -- COMMAND`"
        )
    return f"{where} imports {module}, which is not in this environment: install {package} here and try again"


def _where(error: Exception, path: Path) -> str:
    """The last line of the server's own code that was running."""
    home = str(path.resolve().parent)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(home)]
    if not frames:
        return str(path)
    last = frames[-1]
    file = path if last.filename == str(path.resolve()) else last.filename
    return f"{file} line {last.lineno}"


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))
