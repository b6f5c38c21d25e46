"""Nothing is written that does not stand up: checks of a rewritten source, before it replaces the old one."""

from __future__ import annotations

import ast
import builtins
import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

_CHECKED = "F401,F811,F821,F841"
"""Unused imports, redefinitions, undefined names, unused locals."""


def problems(before: str, after: str, name: str) -> list[str]:
    """What the new source has wrong that the old one had not; empty if all is well."""
    try:
        compile(after, name, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        return [f"the new source does not compile: {error}"]
    found = _undefined(after) - _undefined(before)
    if found:
        return [f"the new source uses undefined names: {', '.join(sorted(found))}"]
    old, new = _ruff(before), _ruff(after)
    if old is None or new is None:
        return []
    return [f"the new source has a new {code}: {message}" for code, message in sorted((new - old).elements())]


def _undefined(source: str) -> set[str]:
    """Names that are read somewhere and bound nowhere in the file."""
    tree = ast.parse(source)
    bound: set[str] = set(dir(builtins)) | {
        "__file__",
        "__name__",
        "__doc__",
        "__path__",
        "__package__",
        "__spec__",
    }
    read: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                read.add(name)
            case ast.Name(id=name) | ast.arg(arg=name) | ast.ExceptHandler(name=str(name)):
                bound.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                bound.add(name)
            case ast.alias(name="*"):
                return set()
            case ast.alias(name=name, asname=asname):
                bound.add(asname or name.partition(".")[0])
            case (
                ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name))
            ):
                bound.add(name)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                bound.update(names)
    return read - bound


def _ruff(source: str) -> Counter[tuple[str, str]] | None:
    """Ruff's own findings, or None where ruff is not installed."""
    ruff = _find_ruff()
    if ruff is None:
        return None
    command = [
        ruff,
        "check",
        "--isolated",
        "--no-cache",
        f"--select={_CHECKED}",
        "--output-format=json",
        "--quiet",
        "-",
    ]
    done = subprocess.run(  # noqa: S603
        command, input=source.encode("utf-8", "surrogatepass"), capture_output=True, check=False
    )
    try:
        return Counter((str(item["code"]), str(item["message"])) for item in json.loads(done.stdout or b"[]"))
    except (ValueError, KeyError, TypeError):
        return None


def _find_ruff() -> str | None:
    beside = Path(sys.executable).with_name("ruff")
    return str(beside) if beside.exists() else shutil.which("ruff")
