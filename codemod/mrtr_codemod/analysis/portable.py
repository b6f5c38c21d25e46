"""Which values can ride in `requestState`, which is JSON."""

from __future__ import annotations

import ast
import re

from mrtr_codemod.analysis.held import held_by
from mrtr_codemod.analysis.live import Local
from mrtr_codemod.analysis.view import ScopeView
from mrtr_codemod.names.module import ClassInfo
from mrtr_codemod.names.values import ClassValue, External, InstanceValue

_UNPORTABLE = re.compile(
    r"^(?:(?:io\.)?open|aiofiles\.open|pathlib\.Path\(\)\.open|tempfile\.(?!mkdtemp|gettempdir)\w+|zipfile\.ZipFile|tarfile\.open"
    r"|(?:asyncio|threading|anyio|multiprocessing|trio)\.(?:\w*Lock|\w*Semaphore|Event|Condition|Queue|create_task|ensure_future"
    r"|create_memory_object_stream|Thread|Process)|subprocess\.Popen|asyncio\.create_subprocess_\w+"
    r"|sqlite3\.connect|aiosqlite\.connect|psycopg2?\.connect|asyncpg\.\w+|redis\.\w+|sqlalchemy\.\w*(?:Session|engine)\w*"
    r"|httpx\.(?:Async)?Client|aiohttp\.ClientSession|requests\.[Ss]ession|socket\.\w+|iter|map|filter|zip"
    r"|re\.(?:match|search|fullmatch|finditer|compile)|(?:boto3|smtplib)\.\w+|contextlib\.ExitStack|contextlib\.AsyncExitStack)\(\)"
    r"(?:\.(?:cursor|connection|begin|start|accept)\(\))?$"
)
_CARRIED_BASES = frozenset(
    {"BaseModel", "Enum", "IntEnum", "StrEnum", "NamedTuple", "TypedDict", "RootModel", "SQLModel"}
)
_CARRIED_DECORATORS = frozenset({"dataclass", "define", "frozen", "attrs"})


def hindrance(view: ScopeView, local: Local) -> str | None:
    """Why a local cannot be written as JSON and made again from it; None if nothing speaks against it."""
    if isinstance(local.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return None  # defined anew in each round
    if isinstance(local.value, ast.GeneratorExp):
        return "a generator"
    if isinstance(local.value, ast.Lambda) or local.value is None:
        return "a function" if local.value is not None else None
    for value in view.file.values(local.value, view.scope):
        if isinstance(value, External) and _UNPORTABLE.match(value.name):
            return f"what `{value.name.removesuffix('()')}` gives"
        if isinstance(value, InstanceValue) and not _is_data(view, value):
            return f"a `{value.scope.qualname}` object"
    if isinstance(local.node, (ast.With, ast.AsyncWith)):
        items = [item for item in local.node.items if item.context_expr is local.value]
        return next((held for held in (held_by(view, item) for item in items) if held), None)
    return None


def _is_data(view: ScopeView, value: InstanceValue) -> bool:
    """Whether a class of the repo says by itself which fields it has."""
    evaluator = view.file.analysis.evaluator
    for ancestor in evaluator.ancestors(value.scope):
        if isinstance(ancestor, External):
            if re.split(r"[.:]", ancestor.name.rstrip("()"))[-1] in _CARRIED_BASES:
                return True
        elif isinstance(ancestor, ClassValue):
            info: ClassInfo | None = evaluator.class_info(ancestor.scope)
            if info and any(_last(ref) in _CARRIED_DECORATORS for ref in info.decorators):
                return True
    return False


def _last(ref: tuple[str, ...]) -> str:
    return next((step.lstrip(".") for step in reversed(ref) if step not in ("()", "[]")), "")
