"""Rewrite one file: read, decide, verify. What is written where is decided here; nothing is written here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import libcst as cst

from . import support
from .asks import Framework
from .engine import Engine, FileRewrite, HandlerVerdict, Wanted
from .followed import Entry
from .module_view import ModuleView
from .rewritten import Style
from .sdk.rename import Renamed, rename
from .verify import problems

_MAY_ASK = re.compile(
    rb"\b(elicit|elicit_url|elicit_form|elicit_with_validation|create_message|list_roots|sample|sample_step|"
    rb"UrlElicitationRequiredError)\b"
)
_MAIN = re.compile(rb"^if __name__ == [\"']__main__[\"']", re.MULTILINE)
_RELATIVE = re.compile(rb"^\s*from \.", re.MULTILINE)
_SUPPORT_MODULE = re.compile(r"^mrtr_steps(_fastmcp)?\.py$")


@dataclass(frozen=True)
class Output:
    """A file to be written: its content now and then. `before` is None if it is new."""

    path: Path
    before: bytes | None
    after: bytes


@dataclass(frozen=True)
class FileResult:
    """What became of one file. With `problem`, it stays as it is; `notes` tell what is left to move by hand."""

    path: Path
    handlers: tuple[HandlerVerdict, ...] = ()
    outputs: tuple[Output, ...] = ()
    problem: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def changes(self) -> bool:
        return bool(self.outputs)


def may_ask(data: bytes) -> bool:
    """Whether a file can hold an ask at all; a cheap look at its bytes."""
    return _MAY_ASK.search(data) is not None


@dataclass(frozen=True)
class Options:
    """What a run does with a file. `wanted` chooses the handlers to rewrite, `marked` those that may get a marker."""

    wanted: Wanted
    marked: Wanted = lambda verdict: True
    style: Style = Style.STEPS
    sdk_only: bool = False
    followed: Mapping[Path, Sequence[Entry]] = field(default_factory=dict)
    """What the lint's analysis says of each file in the light of all others; a file that is not there stands alone."""


def rewrite_file(path: Path, options: Options) -> FileResult:
    """Rewrite one file. Only a file that asks (or, with `sdk_only`, one that imports `mcp`) is parsed by libcst."""
    if _SUPPORT_MODULE.match(path.name):
        return FileResult(path)
    data = path.read_bytes()
    if not (may_ask(data) or options.followed.get(path) or (options.sdk_only and b"mcp" in data)):
        return FileResult(path)
    try:
        renamed = rename(data)
        return (
            _renamed_only(path, data, renamed)
            if options.sdk_only
            else _Attempt(path, data, renamed, options).result()
        )
    except (cst.ParserSyntaxError, SyntaxError, UnicodeDecodeError, LookupError, ValueError) as error:
        return FileResult(path, problem=f"does not parse: {_first_line(error)}")
    except RecursionError:
        return FileResult(path, problem="is nested too deeply to be parsed")


def _renamed_only(path: Path, data: bytes, renamed: Renamed) -> FileResult:
    before = cst.parse_module(data)
    if renamed.source == before.code:
        return FileResult(path, notes=renamed.notes)
    found = problems(before.code, renamed.source, str(path))
    if found:
        return FileResult(path, problem="; ".join(found), notes=renamed.notes)
    output = Output(path, data, _encoded(renamed.source, data, before.encoding))
    return FileResult(path, outputs=(output,), notes=renamed.notes)


@dataclass(frozen=True)
class _Attempt:
    """One file on its way: read, renamed for `mcp` 2, not yet verified."""

    path: Path
    data: bytes
    renamed: Renamed
    options: Options

    def result(self) -> FileResult:
        view = ModuleView.of(self.data)
        # A file moves to `mcp` 2 as a whole, but only if something of it is rewritten.
        rewritten = self._engine(ModuleView.of(self.renamed.source)).run(
            self.options.wanted, self.options.marked
        )
        if not any(v.changed for v in rewritten.handlers):
            rewritten = self._engine(view).run(self.options.wanted, self.options.marked)
            return self._verified(view, rewritten, ())
        return self._verified(view, rewritten, self.renamed.notes)

    @property
    def place(self) -> Place:
        return support_place(self.path, self.data)

    def _engine(self, view: ModuleView) -> Engine:
        entries = self.options.followed.get(self.path)
        return Engine(view, self.place.prefix, _width(view.tree.code), self.options.style, entries)

    def _verified(self, view: ModuleView, rewritten: FileRewrite, notes: tuple[str, ...]) -> FileResult:
        before = view.tree.code
        if rewritten.after == before:
            return FileResult(self.path, rewritten.handlers, notes=notes)
        outputs = [Output(self.path, self.data, _encoded(rewritten.after, self.data, view.tree.encoding))]
        found = problems(before, rewritten.after, str(self.path)) or self._unstable(rewritten)
        if not found and rewritten.support is not None:
            for output in _support_outputs(rewritten.support, self.place):
                if output.before is not None and b"class Steps" not in output.before:
                    found = [f"{output.path} is there already and is something else: rename it"]
                elif output.before is None:
                    outputs.append(output)
        if found:
            unchanged = tuple(replace(v, changed=False) for v in rewritten.handlers)
            return FileResult(self.path, unchanged, problem="; ".join(found))
        return FileResult(self.path, rewritten.handlers, tuple(outputs), notes=notes)

    def _unstable(self, rewritten: FileRewrite) -> list[str]:
        alone = Engine(ModuleView.of(rewritten.after), self.place.prefix, style=self.options.style)
        again = alone.run(lambda v: False, self.options.marked)
        return [] if again.after == rewritten.after else ["a second run would change it again"]


def _support_outputs(framework: Framework, place: Place) -> list[Output]:
    """The support modules that the new code imports; `before` is what stands in their places."""
    found = []
    for name in support.modules(framework):
        target = place.directory / f"{name}.py"
        source = support.source(name, in_package=bool(place.prefix)).encode()
        found.append(Output(target, target.read_bytes() if target.exists() else None, source))
    return found


def _encoded(text: str, before: bytes, encoding: str) -> bytes:
    bom = b"\xef\xbb\xbf"
    data = text.encode(encoding)
    return bom + data if before.startswith(bom) and not data.startswith(bom) else data


@dataclass(frozen=True)
class Place:
    """Where the support module goes, and what stands before its name in an import: dots, inside a package."""

    directory: Path
    prefix: str


def support_place(path: Path, source: bytes = b"") -> Place:
    """Beside a script; for a module of a package, at the top of the package.

    A file with a `__main__` part and without relative imports is a script, also where a package is around it.
    """
    directory = path.resolve().parent
    if _MAIN.search(source) and not _RELATIVE.search(source):
        return Place(directory, "")
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
