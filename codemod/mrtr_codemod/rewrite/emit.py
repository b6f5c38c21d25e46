"""The text of what the rewrite writes: reads of answers, questions, tests of the resumed step."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import libcst as cst

from .asks import AskCall, Reads
from .sites import Site
from .syntax import code

TAB = "    "


@dataclass(frozen=True)
class Names:
    """What the support module's names and the two new locals are called in one function."""

    steps: str
    state: str
    support: Mapping[str, str]
    """From the support module's own name of a thing to its name in this file."""
    width: int = 100


_TAKEN = frozenset(
    ["construct", "copy", "dict", "json", "parse_obj", "parse_raw", "schema", "step", "validate"]
)


def field_name(local: str) -> str:
    """The field of a step that holds a local. A name that pydantic keeps for itself gets a word more."""
    bare = local.lstrip("_") or "value"
    reserved = bare in _TAKEN or bare.startswith("model_") or bare != local
    return f"{bare}_value" if reserved else local


def reading(ask: AskCall, key: str, names: Names) -> str:
    """The expression that takes an answer: `steps.form("confirm", Confirm)`."""
    arguments = [f'"{key}"']
    if ask.reads is Reads.FORM and ask.schema is not None:
        arguments += [code(ask.schema), *(f"{name}={code(value)}" for name, value in ask.labels)]
    return f"{names.steps}.{ask.reads.value}({', '.join(arguments)})"


def request(ask: AskCall, names: Names) -> Piece:
    """The expression that builds a question: `form("Delete 3 files?", Confirm)`."""
    parts = [
        f"{keyword}={code(value)}" if keyword else code(value) for keyword, value in ask.request_arguments()
    ]
    return Piece(names.support[ask.spelling.request], tuple(Piece(p) for p in parts), call=True)


@dataclass(frozen=True)
class Piece:
    """A piece of an expression that is written on one line if it fits, else a line for each argument."""

    text: str
    arguments: tuple[Piece | Comprehension, ...] = ()
    call: bool = False
    prefix: str = ""

    def flat(self) -> str:
        inner = f"({', '.join(a.flat() for a in self.arguments)})" if self.call else ""
        return f"{self.prefix}{self.text}{inner}"

    def lines(self, indent: str, room: int) -> list[str]:
        """The piece, `indent` before each line and at most `room` characters long where that can be had."""
        flat = self.flat()
        if not self.call or not self.arguments or ("\n" not in flat and len(indent) + len(flat) <= room):
            return [f"{indent}{flat}"]
        out = [f"{indent}{self.prefix}{self.text}("]
        for argument in self.arguments:
            inner = argument.lines(indent + TAB, room - 1)
            out += [*inner[:-1], f"{inner[-1]},"]
        return [*out, f"{indent})"]


def point(site: Site, names: Names) -> Piece | None:
    """The step that a round ends at: `DeleteFilesConfirm(snapshot=snapshot)`."""
    if not site.point:
        return None
    return Piece(site.point, tuple(Piece(f"{field_name(n)}={n}") for n in site.fields), call=True)


def ask_lines(site: Site, names: Names, depth: int) -> list[str]:
    """The statements of a site that asks: take the answers; if one is missing, end the round."""
    if site.asks[0].each is not None:
        return _each_lines(site, site.asks[0].each, names, depth)
    parts = _part_names(site)
    reads = [reading(ask, key, names) for ask, key in zip(site.asks, site.keys, strict=True)]
    room = names.width - len(TAB) * depth
    assign = f"{', '.join(parts)} = {', '.join(reads)}"
    out = [assign] if len(assign) <= room else [f"{p} = {r}" for p, r in zip(parts, reads, strict=True)]
    missing = " or ".join(f"{p} is None" for p in parts)
    out.append(f"if {missing}:")
    here = point(site, names)
    questions = [
        Piece(q.text, q.arguments, True, f"{key}=")
        for key, q in zip(site.keys, (request(a, names) for a in site.asks), strict=True)
    ]
    ending = Piece(f"{names.steps}.ask", (*([here] if here else []), *questions), True, "return ")
    out += ending.lines(TAB, room)
    if len(site.targets) == 1 and len(parts) > 1:
        out.append(f"{site.targets[0]} = [{', '.join(parts)}]")
    return out


def _each_lines(site: Site, each: cst.CompFor, names: Names, depth: int) -> list[str]:
    """The statements of a site that asks the same for each of some items: a key for each, numbered."""
    ask, (target,), (key,) = site.asks[0], site.targets, site.keys
    at = _unused("at", [code(e) for e in (*ask.evaluated(), each.target, each.iter)])
    item = code(each.target)
    item = f"({item})" if isinstance(each.target, cst.Tuple) and not each.target.lpar else item
    loop = f"for {at}, {item} in enumerate({code(each.iter)}, 1)"
    numbered = f'f"{key}_{{{at}}}"'
    read = reading(ask, key, names).replace(f'"{key}"', numbered, 1)
    questions = Comprehension("**{", f"{numbered}: {request(ask, names).flat()}", loop, "}")
    here = point(site, names)
    ending = Piece(f"{names.steps}.ask", (*([here] if here else []), questions), True, "return ")
    room = names.width - len(TAB) * depth
    answers = Comprehension(f"{target} = [", read, loop, "]")
    return [*answers.lines("", room), f"if None in {target}:", *ending.lines(TAB, room)]


@dataclass(frozen=True)
class Comprehension:
    """A comprehension that is written on one line if it fits, else in two between its brackets."""

    opening: str
    element: str
    loop: str
    closing: str

    def flat(self) -> str:
        return f"{self.opening}{self.element} {self.loop}{self.closing}"

    def lines(self, indent: str, room: int) -> list[str]:
        if len(indent) + len(self.flat()) <= room:
            return [f"{indent}{self.flat()}"]
        inner = indent + TAB
        return [
            f"{indent}{self.opening}",
            f"{inner}{self.element}",
            f"{inner}{self.loop}",
            f"{indent}{self.closing}",
        ]


def _unused(name: str, texts: list[str]) -> str:
    """The name, with as many underscores as it takes to be in none of the texts."""
    while any(re.search(rf"\b{name}\b", text) for text in texts):
        name += "_"
    return name


def _part_names(site: Site) -> list[str]:
    return list(site.targets) if len(site.targets) == len(site.asks) else list(site.keys)


def call_lines(site: Site, names: Names, depth: int, *, awaited: bool, direct: bool) -> list[str]:
    """The statements of a site that calls an asking function; `direct` hands it the handler's own steps."""
    assert site.call is not None
    target = site.targets[0]
    steps = names.steps if direct else f"{names.steps}.inner({site.point})"
    arguments = [
        Piece(code(a.with_changes(comma=cst.MaybeSentinel.DEFAULT)).rstrip()) for a in site.call.args
    ]
    arguments.append(Piece(f"steps={steps}"))
    prefix = f"{target} = {'await ' if awaited else ''}"
    call = Piece(code(site.call.func), tuple(arguments), True, prefix)
    here = point(site, names)
    back = f"{names.steps}.pass_on({here.flat()}, {target})" if here else target
    if not here and not direct:
        back = f"{names.steps}.pass_on(None, {target})"
    return [
        *call.lines("", names.width - len(TAB) * depth),
        f"if isinstance({target}, {names.support['InputRequiredResult']}):",
        f"{TAB}return {back}",
    ]


def parsed(lines: Sequence[str]) -> list[cst.BaseStatement]:
    """The statements that `lines` spell."""
    return list(cst.parse_module("\n".join(lines) + "\n").body)
