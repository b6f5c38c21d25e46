"""Rewrite files: read, decide, verify. What is written where is decided here; nothing is written here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import libcst as cst

from mrtr_codemod.discover.decode import decode
from mrtr_codemod.syntax_error import described

from . import support
from .engine import Engine, Part
from .followed import Followed
from .module_view import ModuleView
from .place import Place, shared_places
from .rewritten import Style
from .sdk.notes import Note
from .sdk.rename import Renamed, imports_sdk, rename
from .shown import shown
from .verdicts import FileRewrite, HandlerVerdict, Level, Wanted
from .verify import problems

_MAY_ASK = re.compile(
    rb"\b(elicit|elicit_url|elicit_form|elicit_with_validation|create_message|list_roots|sample|sample_step|"
    rb"UrlElicitationRequiredError)\b"
)
_SUPPORT_MODULE = re.compile(r"^mrtr_steps(_\w+)?\.py$")


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
    notes: tuple[Note, ...] = ()

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
    followed: Followed | None = None
    """What the lint's analysis says of each file in the light of all others; None: a file stands alone."""


def rewrite_file(path: Path, options: Options) -> FileResult:
    """Rewrite one file. Libcst parses only one that asks, or with `sdk_only` one that imports an SDK and changes."""
    return rewrite_files([path], options)[0]


def rewrite_files(paths: Sequence[Path], options: Options) -> list[FileResult]:
    """Rewrite files whose functions ask through each other, all of them or none; see `Followed.partners`."""
    sources = {path: path.read_bytes() for path in paths if not _SUPPORT_MODULE.match(path.name)}
    if not any(_concerns(path, data, options) for path, data in sources.items()):
        return [FileResult(path) for path in paths]
    results = {path: FileResult(path) for path in paths}
    for result in _rewritten(sources, options):
        results[result.path] = result
    return list(results.values())


def _concerns(path: Path, data: bytes, options: Options) -> bool:
    known = options.followed is not None and options.followed.entries(path.as_posix())
    return may_ask(data) or bool(known) or (options.sdk_only and imports_sdk(data))


def _rewritten(sources: dict[Path, bytes], options: Options) -> Iterable[FileResult]:
    files = []
    for path, data in sources.items():
        renamed = _renamed(data, asks_stay=options.sdk_only)
        if isinstance(renamed, str):
            return _all_stay(sources, path, renamed)
        files.append(_File(path, data, renamed))
    places = shared_places(sources)
    if places is None:
        return [result for path in sources for result in rewrite_files([path], options)]
    try:
        if options.sdk_only:
            return [file.renamed_only() for file in files]
        return _Attempt(files, places, options).results()
    except _UNREADABLE as error:
        return _all_stay(sources, files[0].path, _unreadable(error))


_UNREADABLE = (
    cst.ParserSyntaxError, SyntaxError, UnicodeDecodeError, LookupError, ValueError, RecursionError,
)  # fmt: skip


def _renamed(data: bytes, *, asks_stay: bool) -> Renamed | str:
    """The source as the new SDKs have it, or why there is none."""
    try:
        return rename(data, asks_stay=asks_stay)
    except _UNREADABLE as error:
        return _unreadable(error)


def _unreadable(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "is nested too deeply to be parsed"
    if isinstance(error, SyntaxError):
        return described(error)
    return f"does not parse: {_first_line(error)}"


def _all_stay(paths: Iterable[Path], bad: Path, problem: str) -> list[FileResult]:
    return [
        FileResult(p, problem=problem if p == bad else f"goes with {bad.name}, which {problem}")
        for p in paths
    ]


def foreseen(sources: dict[Path, bytes], followed: Followed) -> dict[Path, tuple[HandlerVerdict, ...]]:
    """What `rewrite_files` would make of the handlers of files, each with its partners, if all were wanted.

    The handlers have their old names. Nothing is verified. A file that can't be read is left out.
    """
    found: dict[Path, tuple[HandlerVerdict, ...]] = {}
    options = Options(lambda verdict: True, lambda verdict: False, followed=followed)
    for group in _with_a_place(sources, followed):
        renamed = {path: _renamed(sources[path], asks_stay=False) for path in group}
        files = [_File(p, sources[p], r) for p, r in renamed.items() if isinstance(r, Renamed)]
        if len(files) == len(group):
            with suppress(*_UNREADABLE):
                found |= _foreseen(files, options)
    return found


def together(paths: Iterable[Path], followed: Followed) -> list[list[Path]]:
    """The files, those whose functions ask through each other side by side."""
    by_key = {path.as_posix(): path for path in paths}
    groups = dict.fromkeys(tuple(followed.partners(key)) for key in by_key)
    return [[by_key[key] for key in group if key in by_key] for group in groups]


def _with_a_place(sources: dict[Path, bytes], followed: Followed) -> Iterable[list[Path]]:
    """The files that would be rewritten together: alone where there is no place for what they share."""
    for group in together(sources, followed):
        if shared_places({path: sources[path] for path in group}):
            yield group
        else:
            yield from ([path] for path in group)


def _foreseen(files: list[_File], options: Options) -> dict[Path, tuple[HandlerVerdict, ...]]:
    places = shared_places({file.path: file.data for file in files}) or {}
    _, rewritten, _ = _Attempt(files, places, options).rewritten()
    return {file.path: _by_old_names(file, one) for file, one in zip(files, rewritten, strict=True)}


@dataclass(frozen=True)
class _File:
    """One file on its way: read, and renamed for `mcp` 2."""

    path: Path
    data: bytes
    renamed: Renamed

    @property
    def lost(self) -> str:
        return self.renamed.lost.message if self.renamed.lost is not None else ""

    def view(self, *, renamed: bool) -> ModuleView:
        return ModuleView.of(self.renamed.source if renamed else self.data)

    def renamed_only(self) -> FileResult:
        notes = self.renamed.notes
        if self.renamed.source == decode(self.data):
            return FileResult(self.path, notes=notes)
        before = cst.parse_module(self.data)
        found = problems(before.code, self.renamed.source, str(self.path))
        if found:
            return FileResult(self.path, problem="; ".join(found), notes=notes)
        output = Output(self.path, self.data, _encoded(self.renamed.source, self.data, before.encoding))
        return FileResult(self.path, outputs=(output,), notes=notes)


def _by_old_names(file: _File, rewritten: FileRewrite) -> tuple[HandlerVerdict, ...]:
    old = file.renamed.registers
    return tuple(replace(v, name=old.get(v.name, v.name)) for v in rewritten.handlers)


def _movable(file: _File, moved: FileRewrite) -> dict[str, HandlerVerdict]:
    """The handlers that could be rewritten once their file is moved, by their old names."""
    return {v.name: v for v in _by_old_names(file, moved) if v.level is not Level.MANUAL}


def _judged(stayed: FileRewrite, could: Mapping[str, HandlerVerdict]) -> FileRewrite:
    """A file that stays with its old SDK, with the verdicts on what it could be."""
    handlers = tuple(
        v
        if v.level is not Level.MANUAL or v.name not in could
        else replace(could[v.name], name=v.name, line=v.line, changed=False)
        for v in stayed.handlers
    )
    return replace(stayed, handlers=handlers)


@dataclass(frozen=True)
class _Attempt:
    """Files on their way, not yet verified."""

    files: Sequence[_File]
    places: dict[Path, Place]
    options: Options

    def rewritten(self) -> tuple[list[ModuleView], list[FileRewrite], Wanted]:
        """The modules before and after, and which of their handlers may get a marker."""
        # A file moves to `mcp` 2 as a whole, but only if something of it is rewritten.
        moves = [True for _ in self.files]
        views, moved = self._run(moves, self.options.marked)
        kept = [r.rewritten for r in moved]
        if kept == moves:
            return views, moved, self.options.marked
        movable = [_movable(file, one) for file, one in zip(self.files, moved, strict=True)]
        names = frozenset().union(*movable)

        def marked(verdict: HandlerVerdict) -> bool:
            return verdict.name not in names and self.options.marked(verdict)

        views, stayed = self._run(kept, marked)
        return views, [_judged(s, could) for s, could in zip(stayed, movable, strict=True)], marked

    def results(self) -> list[FileResult]:
        views, rewritten, marked = self.rewritten()
        found = [
            self._problems(file, view, one, marked)
            for file, view, one in zip(self.files, views, rewritten, strict=True)
        ]
        if any(found):
            return self._refused(rewritten, found)
        return [
            self._verified(file, view, one)
            for file, view, one in zip(self.files, views, rewritten, strict=True)
        ]

    def _run(self, moves: Sequence[bool], marked: Wanted) -> tuple[list[ModuleView], list[FileRewrite]]:
        views = [file.view(renamed=moved) for file, moved in zip(self.files, moves, strict=True)]
        # What was said of the old source is not true of one with other handlers.
        others = any(moved and file.renamed.registers for file, moved in zip(self.files, moves, strict=True))
        parts = self._parts(views, None if others else self.options.followed)
        return views, Engine(parts, self.options.style).run(self.options.wanted, marked)

    def _parts(self, views: Sequence[ModuleView], followed: Followed | None) -> list[Part]:
        keys = [file.path.as_posix() for file in self.files]
        if followed is None:
            followed = Followed.of({key: view.tree.code for key, view in zip(keys, views, strict=True)})
        parts = []
        for file, key, view in zip(self.files, keys, views, strict=True):
            place = self.places[file.path]
            part = Part.told(view, followed, key, place.prefix, _width(view.tree.code))
            outside, lost = followed.used_outside(keys)[key], file.lost
            parts.append(replace(part, used_outside=outside, lost=lost, both_ways=place.both_ways))
        return parts

    def _problems(self, file: _File, view: ModuleView, rewritten: FileRewrite, marked: Wanted) -> list[str]:
        before = view.tree.code
        if rewritten.after == before:
            return []
        found = problems(before, rewritten.after, str(file.path)) or self._unstable(file, rewritten, marked)
        for output in self._support(file, rewritten):
            if output.before is not None and b"Vendored by `mrtr rewrite`" not in output.before:
                found.append(f"{shown(output.path)} is there already and is something else: rename it")
        return found

    def _unstable(self, file: _File, rewritten: FileRewrite, marked: Wanted) -> list[str]:
        part = Part.alone(ModuleView.of(rewritten.after), self.places[file.path].prefix)
        (again,) = Engine([replace(part, lost=file.lost)], self.options.style).run(lambda v: False, marked)
        return [] if again.after == rewritten.after else ["a second run would change it again"]

    def _refused(self, rewritten: Sequence[FileRewrite], found: Sequence[list[str]]) -> list[FileResult]:
        """All files stay, since one of them would not stand up."""
        bad, why = next((f, p) for f, p in zip(self.files, found, strict=True) if p)
        out = []
        for file, one, own in zip(self.files, rewritten, found, strict=True):
            handlers = tuple(replace(v, changed=False) for v in one.handlers)
            reason = own or [f"goes with {bad.path.name}, where {why[0]}"]
            out.append(FileResult(file.path, handlers, problem="; ".join(reason)))
        return out

    def _verified(self, file: _File, view: ModuleView, rewritten: FileRewrite) -> FileResult:
        notes = file.renamed.notes if rewritten.rewritten else ()
        if rewritten.after == view.tree.code:
            return FileResult(file.path, rewritten.handlers, notes=notes)
        after = _encoded(rewritten.after, file.data, view.tree.encoding)
        new = [output for output in self._support(file, rewritten) if output.before is None]
        outputs = (Output(file.path, file.data, after), *new)
        return FileResult(file.path, rewritten.handlers, outputs, notes=notes)

    def _support(self, file: _File, rewritten: FileRewrite) -> list[Output]:
        return _support_outputs(rewritten.support, self.places[file.path])


def _support_outputs(modules: Iterable[str], place: Place) -> list[Output]:
    """The support modules that the new code imports; `before` is what stands in their places."""
    found = []
    for name in modules:
        target = place.directory / f"{name}.py"
        source = support.source(name, in_package=bool(place.prefix)).encode()
        found.append(Output(target, target.read_bytes() if target.exists() else None, source))
    return found


def _encoded(text: str, before: bytes, encoding: str) -> bytes:
    bom = b"\xef\xbb\xbf"
    data = text.encode(encoding)
    return bom + data if before.startswith(bom) and not data.startswith(bom) else data


def _width(source: str) -> int:
    """The longest line that is common in the file, within reason."""
    longest = max((len(line) for line in source.splitlines()), default=0)
    return min(max(longest, 88), 110)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
