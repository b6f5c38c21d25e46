"""Random handlers: nested control flow, asks in every position, locals of many types, effects between them.

Every program terminates: loops are bounded. The same seed gives the same program.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

HEADER = """\
import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum

from mcp.server.elicitation import AcceptedElicitation, CancelledElicitation, DeclinedElicitation
from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

mcp = MCPServer("random")
EFFECTS: list[str] = []


class Ok(BaseModel):
    ok: bool


class Text(BaseModel):
    text: str


class Number(BaseModel):
    number: int


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Tally:
    done: list[str] = field(default_factory=list)
    count: int = 0


def effect(text: str) -> int:
    EFFECTS.append(f"effect {text}")
    return len(text)


async def fetch(text: str) -> str:
    EFFECTS.append(f"fetch {text}")
    return text.upper()


def pure(value: int) -> int:
    return value * 3 % 7


def risky(value: int) -> int:
    if value % 3 == 0:
        raise ValueError(f"bad {value}")
    EFFECTS.append(f"risky {value}")
    return value + 1


async def agreed(ctx: Context, question: str) -> bool:
    reply = await ctx.elicit(f"agreed: {question}", Ok)
    return reply.action == "accept" and reply.data.ok


async def careful(ctx: Context, what: str, size: int) -> tuple[str, int]:
    before = effect(f"careful {what}")
    if size > 2:
        reply = await ctx.elicit(f"careful {what} of {size} ({before})?", Text)
        if reply.action == "cancel":
            return "cancelled", before
        EFFECTS.append(f"careful got {reply.action}")
        what = reply.data.text if reply.action == "accept" else what
    if not await agreed(ctx, what):
        return "no", before + size
    return what, size
"""


@dataclass
class Scope:
    """The locals that are surely bound at one point, by kind."""

    ints: list[str] = field(default_factory=lambda: ["size"])
    texts: list[str] = field(default_factory=lambda: ["name"])
    lists: list[str] = field(default_factory=lambda: ["items"])
    others: list[str] = field(default_factory=list)
    mutable: list[str] = field(default_factory=list)

    def copy(self) -> Scope:
        return Scope(
            list(self.ints), list(self.texts), list(self.lists), list(self.others), list(self.mutable)
        )


class Program:
    """Builds one handler."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = 0
        self.asks = 0
        self.loops = 0

    def source(self) -> str:
        body = self.block(Scope(), depth=0, room=self.random.randint(3, 7))
        if not self.asks:
            body += self.ask(Scope())
        lines = [
            "@mcp.tool()",
            "async def handler(name: str, size: int, items: list[str], ctx: Context) -> str:",
            *(f"    {line}" for line in body),
            '    return f"end {name} {size}"',
        ]
        return HEADER + "\n\n" + "\n".join(lines) + "\n"

    # ── pieces ────────────────────────────────────────────────────────────────────────────────

    def fresh(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def pick(self, options: list[str]) -> str:
        return self.random.choice(options)

    def number(self, scope: Scope) -> str:
        return self.pick(
            [str(self.random.randint(0, 5)), self.pick(scope.ints), f"pure({self.pick(scope.ints)})",
             f"len({self.pick(scope.lists)})", f"{self.pick(scope.ints)} + 1"]
        )  # fmt: skip

    def text(self, scope: Scope) -> str:
        return self.pick(
            ['"plain"', self.pick(scope.texts), f'f"<{{{self.pick(scope.ints)}}} {{{self.pick(scope.texts)}}}>"',
             f"{self.pick(scope.texts)}.strip()"]
        )  # fmt: skip

    def test(self, scope: Scope) -> str:
        simple = [
            f"{self.pick(scope.ints)} > {self.random.randint(0, 4)}",
            f"{self.pick(scope.texts)}.startswith('a')",
            f"len({self.pick(scope.lists)}) % 2 == 0",
            f"effect(f'test {{{self.pick(scope.ints)}}}') % 2 == 1",
        ]
        one = self.pick(simple)
        return f"{one} {self.pick(['and', 'or'])} {self.pick(simple)}" if self.random.random() < 0.3 else one

    def question(self, scope: Scope) -> tuple[str, str]:
        """An ask, and its schema."""
        self.asks += 1
        schema = self.pick(["Ok", "Text", "Number"])
        shown = self.pick(
            [
                f"{{{self.pick(scope.ints)}}}",
                f"{{{self.pick(scope.texts)}!r}}",
                f"{{len({self.pick(scope.lists)})}}",
                "?",
            ]
        )
        message = f'f"q{self.asks} {shown}"'
        if self.random.random() < 0.1:
            message = f'await fetch(f"q{self.asks} {shown}")'
        return f"await ctx.elicit({message}, {schema})", schema

    # ── statements ────────────────────────────────────────────────────────────────────────────

    def block(self, scope: Scope, depth: int, room: int, *, in_loop: bool = False) -> list[str]:
        out: list[str] = []
        kinds = [self.plain] * 4 + [self.ask] * 3 + [self.expression_ask]
        if depth < 3:
            kinds += [
                self.branch,
                self.branch,
                self.loop,
                self.counted,
                self.attempt,
                self.matched,
                self.helper,
            ]
        for _ in range(room):
            kind = self.random.choice(kinds)
            if self.asks > 7 and kind in (self.ask, self.expression_ask, self.helper):
                kind = self.plain
            if kind in (self.branch, self.loop, self.counted, self.attempt):
                out += kind(scope, depth, in_loop)  # type: ignore[operator]
            else:
                out += kind(scope)  # type: ignore[operator]
        if in_loop and self.random.random() < 0.25:
            out += [f"if {self.test(scope)}:", f"    {self.pick(['break', 'continue'])}"]
        elif self.random.random() < 0.15:
            out += [f"if {self.test(scope)}:", f"    return {self.text(scope)}"]
        return out or ["pass"]

    def plain(self, scope: Scope) -> list[str]:
        choice = self.random.randrange(13)
        if choice == 0:
            name = self.fresh("n")
            line = f"{name} = {self.number(scope)}"
            scope.ints.append(name)
            return [line]
        if choice == 1:
            name = self.fresh("t")
            line = f"{name} = {self.text(scope)}"
            scope.texts.append(name)
            return [line]
        if choice == 2:
            name = self.fresh("l")
            line = f"{name} = [{self.text(scope)}, {self.text(scope)}]"
            scope.lists.append(name)
            scope.mutable.append(name)
            return [line]
        if choice == 3 and scope.mutable:
            return [f"{self.pick(scope.mutable)}.append({self.text(scope)})"]
        if choice == 4:
            return [f"{self.pick(scope.ints)} += {self.number(scope)}"]
        if choice == 5:
            name = self.fresh("o")
            value = self.pick(
                ["Decimal('1.50')", "Colour.BLUE", "(1, 'two')", "{'k': 1}", "{3}", "True", "2.5", "None", "Tally()",
                 f"dict.fromkeys({self.pick(scope.lists)}, 0)", f"set({self.pick(scope.lists)}) | {{'z'}}"]
            )  # fmt: skip
            scope.others.append(name)
            return [f"{name} = {value}", f"EFFECTS.append('made {name}')"]
        if choice == 6 and scope.others:
            return [f"EFFECTS.append(f'other {{{self.pick(scope.others)} == {self.pick(scope.others)}}}')"]
        if choice == 7:
            name = self.fresh("n")
            line = f"{name} = effect({self.text(scope)})"
            scope.ints.append(name)
            return [line]
        if choice == 8:
            name = self.fresh("t")
            line = f"{name} = await fetch({self.text(scope)})"
            scope.texts.append(name)
            return [line]
        if choice == 9:
            a, b = self.fresh("n"), self.fresh("t")
            line = f"{a}, {b} = {self.number(scope)}, {self.text(scope)}"
            scope.ints.append(a)
            scope.texts.append(b)
            return [line]
        if choice == 10:
            name = self.fresh("l")
            line = f"{name} = [f'{{x}}!' for x in {self.pick(scope.lists)}]"
            scope.lists.append(name)
            scope.mutable.append(name)
            return [line]
        return [
            f"EFFECTS.append(f'at {self.fresh('e')} {{{self.pick(scope.ints)}}} {{{self.pick(scope.texts)}}}')"
        ]

    def used(self, answer: str, schema: str, scope: Scope) -> list[str]:
        """Something that looks at an answer."""
        attribute = schema.lower()
        choice = self.random.randrange(4)
        if choice == 0:
            return [
                f"if {answer}.action != 'accept':",
                f"    EFFECTS.append('refused ' + {answer}.action)",
                "else:",
                f"    EFFECTS.append(f'took {{{answer}.data.{attribute}}}')",
            ]
        if choice == 1:
            return [
                f"if {answer}.action == 'cancel':",
                f"    return f'cancelled {{{self.pick(scope.texts)}}}'",
            ]
        if choice == 2 and schema == "Number":
            name = self.fresh("n")
            scope.ints.append(name)
            return [f"{name} = {answer}.data.number if {answer}.action == 'accept' else 0"]
        if choice == 2 and schema == "Text":
            name = self.fresh("t")
            scope.texts.append(name)
            return [
                f"{name} = {answer}.data.text if isinstance({answer}, AcceptedElicitation) else {answer}.action"
            ]
        return [f"EFFECTS.append(f'action {{{answer}.action}}')"]

    def ask(self, scope: Scope) -> list[str]:
        question, schema = self.question(scope)
        # People call many answers the same.
        answer = self.pick(["answer", "answer", self.fresh("a")])
        return [f"{answer} = {question}", *self.used(answer, schema, scope)]

    def expression_ask(self, scope: Scope) -> list[str]:
        question, schema = self.question(scope)
        name = self.fresh("x")
        number = self.number(scope)
        before = f"effect({self.text(scope)})"
        choice = self.random.randrange(10)
        if choice == 9:
            return self.each_ask(scope)
        if choice == 0:
            return [
                f"if ({question}).action == 'accept':",
                f"    EFFECTS.append(f'yes {{{self.pick(scope.ints)}}}')",
            ]
        if choice == 1:
            return [f"if ({name} := {question}).action != 'accept':", f"    EFFECTS.append({name}.action)"]
        if choice == 2:
            return [
                f"if {self.test(scope)} {self.pick(['or', 'and'])} ({question}).action == 'decline':",
                "    EFFECTS.append('short')",
            ]
        if choice == 3:
            line = f"{name} = {before} + len(({question}).action) + {number}"
            scope.ints.append(name)
            return [line]
        if choice == 4:
            line = f"{name} = ({question}).action if {self.test(scope)} else {self.text(scope)}"
            scope.texts.append(name)
            return [line]
        if choice == 5:
            target = self.pick(scope.ints)
            return [f"{target} += len(({question}).action)"]
        if choice == 6:
            return [
                f"EFFECTS.append(f'{{{self.pick(scope.ints)}}} {{({question}).action}} {{effect(\"z\")}}')"
            ]
        if choice == 7:
            other, _ = self.question(scope)
            line = f"{name} = ({question}).action + ({other}).action"
            scope.texts.append(name)
            return [line]
        left, right = self.fresh("a"), self.fresh("a")
        first = question.removeprefix("await ")
        second, second_schema = self.question(scope)
        return [
            f"{left}, {right} = await asyncio.gather({first}, {second.removeprefix('await ')})",
            *self.used(left, schema, scope),
            *self.used(right, second_schema, scope),
        ]

    def each_ask(self, scope: Scope) -> list[str]:
        """The same question for each of some items, all at once."""
        self.asks += 1
        answers, item = self.fresh("x"), self.fresh("t")
        items = self.pick(
            [self.pick(scope.lists), f"{self.pick(scope.lists)}[:2]", f"{{*{self.pick(scope.lists)}}}"]
        )
        chosen = f" if len({item}) > 1" if self.random.random() < 0.3 else ""
        message = f'f"e{self.asks} {{{item}}} {{{self.pick(scope.ints)}}}"'
        # In one process, a set always has the same order.
        return [
            f"{answers} = await asyncio.gather(*[ctx.elicit({message}, Ok) for {item} in {items}{chosen}])",
            f"EFFECTS.append(f'each {{[one.action for one in {answers}]}}')",
        ]

    def helper(self, scope: Scope) -> list[str]:
        self.asks += 1
        if self.random.random() < 0.5:
            return [
                f"if {self.pick(['', 'not '])}await agreed(ctx, {self.text(scope)}):",
                f"    EFFECTS.append('helper {self.names}')",
            ]
        text, number = self.fresh("t"), self.fresh("n")
        line = f"{text}, {number} = await careful(ctx, {self.text(scope)}, {self.number(scope)})"
        scope.texts.append(text)
        scope.ints.append(number)
        return [line, f"EFFECTS.append(f'careful gave {{{text}}} {{{number}}}')"]

    def branch(self, scope: Scope, depth: int, in_loop: bool) -> list[str]:
        out = [f"if {self.test(scope)}:", *_indented(self.block(scope.copy(), depth + 1, 2, in_loop=in_loop))]
        if self.random.random() < 0.3:
            out += [
                f"elif {self.test(scope)}:",
                *_indented(self.block(scope.copy(), depth + 1, 2, in_loop=in_loop)),
            ]
        if self.random.random() < 0.5:
            out += ["else:", *_indented(self.block(scope.copy(), depth + 1, 2, in_loop=in_loop))]
        return out

    def loop(self, scope: Scope, depth: int, in_loop: bool) -> list[str]:
        if self.loops >= 2:
            return self.plain(scope)
        self.loops += 1
        turn = self.fresh("i")
        inner = scope.copy()
        kind = self.random.randrange(4)
        if kind == 0:
            head = f"for {turn} in range({self.random.randint(1, 3)}):"
            inner.ints.append(turn)
        elif kind == 1:
            head = f"for {turn} in {self.pick(scope.lists)}[:3]:"
            inner.texts.append(turn)
        elif kind == 2:
            other = self.fresh("t")
            head = f"for {turn}, {other} in enumerate(items):"
            inner.ints.append(turn)
            inner.texts.append(other)
        else:
            head = f"for {turn} in sorted({{'b': 1, 'a': 2}}.items()):"
        out = [head, *_indented(self.block(inner, depth + 1, 3, in_loop=True))]
        if self.random.random() < 0.3:
            out += ["else:", *_indented(self.plain(scope.copy()))]
        self.loops -= 1
        return out

    def counted(self, scope: Scope, depth: int, in_loop: bool) -> list[str]:
        if self.loops >= 2:
            return self.plain(scope)
        self.loops += 1
        count = self.fresh("c")
        inner = scope.copy()
        head = self.pick([f"while {count} < {self.random.randint(1, 3)}:", "while True:"])
        out = [f"{count} = 0", head, f"    {count} += 1"]
        if head == "while True:":
            out += [f"    if {count} > 2:", "        break"]
        out += _indented(self.block(inner, depth + 1, 3, in_loop=True))
        self.loops -= 1
        return out

    def attempt(self, scope: Scope, depth: int, in_loop: bool) -> list[str]:
        body = self.block(scope.copy(), depth + 1, 2, in_loop=in_loop)
        body.insert(self.random.choice([0, len(body)]), f"risky({self.number(scope)})")
        kind = self.random.random()
        if kind < 0.15:
            return ["with suppress(ValueError, KeyError):", *_indented(body)]
        out = ["try:", *_indented(body)]
        if kind < 0.3:
            shown = self.pick(["{error}", "{str(error)!r}", ""])
            told = [f"EFFECTS.append(f'caught {shown}')"]
            inside = [
                *told,
                *self.ask(scope.copy()),
                *self.block(scope.copy(), depth + 1, 1, in_loop=in_loop),
            ]
            return [*out, "except ValueError as error:", *_indented(inside)]
        handled = self.pick(["except ValueError as error:", "except Exception as error:", ""])
        if handled:
            out += [handled, "    EFFECTS.append(f'caught {error}')"]
            if self.random.random() < 0.3:
                out += ["else:", *_indented(self.block(scope.copy(), depth + 1, 2, in_loop=in_loop))]
        if not handled or self.random.random() < 0.3:
            out += ["finally:", f"    EFFECTS.append(f'finally {{{self.pick(scope.ints)}}}')"]
        return out

    def matched(self, scope: Scope) -> list[str]:
        question, _schema = self.question(scope)
        name = self.fresh("m")
        first = self.block(scope.copy(), 3, 2)
        if self.random.random() < 0.5:
            return [
                f"match {question}:",
                f"    case AcceptedElicitation(data={name}):",
                f"        EFFECTS.append(f'matched {{{name}}}')",
                *_indented(_indented(first)),
                "    case DeclinedElicitation():",
                "        EFFECTS.append('declined')",
                "    case _:",
                "        EFFECTS.append('neither')",
            ]
        answer = self.fresh("a")
        return [
            f"{answer} = {question}",
            f"match {answer}.action:",
            f"    case 'accept' if {self.pick(scope.ints)} > 1:",
            *_indented(_indented(first)),
            "    case 'accept' | 'decline':",
            "        EFFECTS.append('some')",
            f"    case {name}:",
            f"        EFFECTS.append({name})",
        ]


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
