"""Resources that a function holds: by a `with` statement, or because it acquired them."""

from __future__ import annotations

import ast
import re

from mrtr_codemod.analysis.view import ScopeView
from mrtr_codemod.names.reference import lower
from mrtr_codemod.names.values import ClassValue, External, FunctionValue, InstanceValue

_LOCKS = re.compile(
    r"^(?:asyncio|threading|multiprocessing|anyio|trio|filelock|fasteners|redis|aiorwlock)\b.*"
    r"(?:Lock|Semaphore|Condition|CapacityLimiter|lock)\(\)$"
)
_FILES = re.compile(
    r"^(?:(?:io\.)?open|pathlib\.Path\(\)(?:.*)\.open|tempfile\.\w+|aiofiles\.open|zipfile\.ZipFile|tarfile\.open)\(\)$"
)
_CONNECTIONS = re.compile(
    r"^(?:sqlite3|aiosqlite|psycopg2?|asyncpg|pymysql|aiomysql|sqlalchemy|sqlmodel|redis|pymongo|duckdb|peewee|tortoise)\b.*\(\)$"
    r"|^(?:httpx\.(?:Async)?Client|aiohttp\.ClientSession|requests\.[Ss]ession|socket\.\w+|smtplib\.\w+)\(\)$"
    r"|^(?:subprocess\.Popen)\(\)$"
)
_TELLING = re.compile(
    r"(?:^|_)(?:lock|mutex|semaphore|sem|transaction|txn|atomic|cursor|connection|conn)\d*$|^(?:begin|transaction|acquire|connect)$",
    re.I,
)


def held_by(view: ScopeView, item: ast.withitem) -> str | None:
    """What a `with` item holds while its body runs (`a lock`, `an open file`, …); None if nothing that is known."""
    expression = item.context_expr
    values = view.file.values(expression, view.scope)
    for value in values:
        if isinstance(value, External):
            found = _external(value.name)
            if found:
                return found
        elif isinstance(value, (ClassValue, InstanceValue)) and _does(
            view, value, ("__aenter__", "__enter__")
        ):
            return "a resource"
    if isinstance(expression, ast.Call):
        for value in view.file.values(expression.func, view.scope):
            if isinstance(value, FunctionValue) and view.file.analysis.effects.of_function(value.scope):
                return "a resource"
    return _by_name(expression) if not values else None


def held_object(view: ScopeView, expression: ast.expr) -> str | None:
    """What is held when an object is acquired: `lock` of `lock.acquire()`; None if it is nothing that is known."""
    values = view.file.values(expression, view.scope)
    for value in values:
        if isinstance(value, External):
            found = _external(value.name)
            if found:
                return found
        elif isinstance(value, (ClassValue, InstanceValue)) and _does(view, value, ("acquire",)):
            return "a resource"
    return _by_name(expression) if not values else None


def _by_name(expression: ast.expr) -> str | None:
    """What cannot be followed, but is called like a lock."""
    ref = lower(expression)
    names = [step.lstrip(".") for step in ref if step not in ("()", "[]")] if ref else []
    return "a lock or a transaction" if names and _TELLING.search(names[-1]) else None


def _external(name: str) -> str | None:
    if _LOCKS.match(name):
        return "a lock"
    if _FILES.match(name):
        return "an open file"
    return "an open connection" if _CONNECTIONS.match(name) else None


def _does(view: ScopeView, value: ClassValue | InstanceValue, methods: tuple[str, ...]) -> bool:
    """Whether one of some methods of an object of the repo does something."""
    analysis = view.file.analysis
    for name in methods:
        method = analysis.evaluator.method(value.scope, name)
        if method is not None and analysis.effects.of_function(method) is not None:
            return True
    return False
