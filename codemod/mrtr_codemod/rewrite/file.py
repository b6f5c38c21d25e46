"""Rewrite one file: read, decide, verify. What is written where is decided here; nothing is written here."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import libcst as cst

from . import support
from .engine import Engine, FileRewrite, HandlerVerdict, Wanted
from .module_view import ModuleView
from .verify import problems

_MAY_ASK = re.compile(
    rb"\b(elicit|elicit_url|elicit_form|elicit_with_validation|create_message|list_roots|sample|sample_step|"
    rb"UrlElicitationRequiredError)\b"
)
_SUPPORT_MODULE = re.compile(r"^mrtr_steps(_fastmcp)?\.py$")


@dataclass(frozen=True)
class Output:
    """A file to be written: its content now and then. `before` is None if it is new."""

    path: Path
    before: bytes | None
    after: bytes


@dataclass(frozen=True)
class FileResult:
    """What became of one file. With `problem`, it stays as it is."""

    path: Path
    handlers: tuple[HandlerVerdict, ...] = ()
    outputs: tuple[Output, ...] = ()
    problem: str | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def changes(self) -> bool:
        return bool(self.outputs)


def may_ask(data: bytes) -> bool:
    """Whether a file can hold an ask at all; a cheap look at its bytes."""
    return _MAY_ASK.search(data) is not None


def rewrite_file(path: Path, wanted: Wanted, marked: Wanted = lambda verdict: True) -> FileResult:
    """Rewrite the handlers of a file that `wanted` chooses. Only a file that asks is parsed by libcst."""
    if _SUPPORT_MODULE.match(path.name):
        return FileResult(path)
    data = path.read_bytes()
    if not may_ask(data):
        return FileResult(path)
    try:
        view = ModuleView.of(data)
    except (cst.ParserSyntaxError, SyntaxError, UnicodeDecodeError, LookupError, ValueError) as error:
        return FileResult(path, problem=f"does not parse: {_first_line(error)}")
    except RecursionError:
        return FileResult(path, problem="is nested too deeply to be parsed")
    place = support_place(path)
    width = _width(view.tree.code)
    rewritten = Engine(view, place.prefix, width).run(wanted, marked)
    return _verified(path, data, view, rewritten, place, width)


def _verified(
    path: Path, data: bytes, view: ModuleView, rewritten: FileRewrite, place: Place, width: int
) -> FileResult:
    before = view.tree.code
    if rewritten.after == before:
        return FileResult(path, rewritten.handlers)
    outputs = [Output(path, data, _encoded(rewritten.after, data, view.tree.encoding))]
    found = problems(before, rewritten.after, str(path))
    if not found:
        again = Engine(ModuleView.of(rewritten.after), place.prefix, width).run(lambda v: False)
        if again.after != rewritten.after:
            found = ["a second run would change it again"]
    if not found and rewritten.support is not None:
        for name in support.modules(rewritten.support):
            target = place.directory / f"{name}.py"
            source = support.source(name, in_package=bool(place.prefix)).encode()
            if not target.exists():
                outputs.append(Output(target, None, source))
            elif target.read_bytes() != source and b"class Steps" not in target.read_bytes():
                found = [f"{target} is there already and is something else: rename it"]
    if found:
        unchanged = tuple(_unchanged(v) for v in rewritten.handlers)
        return FileResult(path, unchanged, problem="; ".join(found))
    return FileResult(path, rewritten.handlers, tuple(outputs))


def _unchanged(verdict: HandlerVerdict) -> HandlerVerdict:
    from dataclasses import replace

    return replace(verdict, changed=False)


def _encoded(text: str, before: bytes, encoding: str) -> bytes:
    bom = b"\xef\xbb\xbf"
    data = text.encode(encoding)
    return bom + data if before.startswith(bom) and not data.startswith(bom) else data


@dataclass(frozen=True)
class Place:
    """Where the support module goes, and what stands before its name in an import: dots, inside a package."""

    directory: Path
    prefix: str


def support_place(path: Path) -> Place:
    """Beside a script; for a module of a package, at the top of the package."""
    directory = path.resolve().parent
    depth = 0
    while (directory / "__init__.py").exists() and directory.parent != directory:
        depth += 1
        directory = directory.parent
    if depth == 0:
        return Place(directory, "")
    top = path.resolve().parent
    for _ in range(depth - 1):
        top = top.parent
    return Place(top, "." * depth)


def _width(source: str) -> int:
    """The longest line that is common in the file, within reason."""
    longest = max((len(line) for line in source.splitlines()), default=0)
    return min(max(longest, 88), 110)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
