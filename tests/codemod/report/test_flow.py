"""How a handler is cut for its drawing."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from codemod.report.samples import span
from mrtr_codemod.model import Ask, AskKind, Finding, Handler, Level, LiveLocal, Span
from mrtr_codemod.report.html.flow import Flow, ResumePoint, Segment, flow
from mrtr_codemod.report.html.outline import outline
from mrtr_codemod.source import SourceFile


def cut(code: str, *asks: str, hazards: tuple[str, ...] = (), live: tuple[str, ...] = ()) -> Flow:
    """Cut `async def f` in `code` at the given pieces of it."""
    source = SourceFile("x.py", dedent(code))
    handler = Handler(
        "f",
        "mcp",
        "tools/call",
        span(source, "async def f"),
        asks=tuple(Ask(AskKind.FORM, span(source, ask)) for ask in asks),
        hazards=tuple(Finding("MRTR301", Level.WARNING, "m", span(source, piece), "f") for piece in hazards),
        live=tuple(LiveLocal(name, None, span(source, f"{name} =")) for name in live),
    )
    return flow(handler, outline(handler, source, ast.parse(source.text)))


def shape(found: Flow) -> list[tuple[str, int, int]]:
    return [(type(step).__name__, step.first, step.last) for step in found.steps]


def points(found: Flow) -> list[ResumePoint]:
    return [step for step in found.steps if isinstance(step, ResumePoint)]


def segments(found: Flow) -> list[Segment]:
    return [step for step in found.steps if isinstance(step, Segment)]


LINEAR = '''
@tool()
async def f(ctx):
    """Does it."""
    if not ready():
        return None
    held = hold()
    answer = await ctx.elicit(
        "Go?", A
    )
    go(held)
    return "Gone"
'''


def test_a_linear_handler_is_a_segment_a_resume_point_and_a_segment() -> None:
    found = cut(LINEAR, "ctx.elicit(", hazards=("hold()", "go(held)"), live=("held",))
    assert shape(found) == [("Segment", 5, 7), ("ResumePoint", 8, 10), ("Segment", 11, 12)]
    (point,) = points(found)
    assert (point.answer, point.conditional, point.carries) == ("answer", False, ("held",))
    assert [len(segment.hazards) for segment in segments(found)] == [1, 1]
    assert [segment.exits for segment in segments(found)] == [(6,), (12,)]


LOOP = """
async def f(ctx):
    tries = 0
    while tries < 3:
        tries += 1
        answer = await ctx.elicit("Which?", A)
        if answer.ok:
            break
    else:
        raise ValueError
    return tries
"""


def test_a_loop_goes_around_its_steps_and_not_its_else() -> None:
    found = cut(LOOP, "ctx.elicit(")
    assert shape(found) == [
        ("Segment", 3, 3),
        ("Segment", 4, 5),
        ("ResumePoint", 6, 6),
        ("Segment", 7, 8),
        ("Segment", 9, 11),
    ]
    (turn,) = found.turns
    assert (turn.first, turn.last, turn.depth, turn.loop.head) == (1, 3, 0, "while tries < 3")


def test_loops_nest() -> None:
    code = """
    async def f(ctx):
        for a in await listed(ctx):
            async for b in a:
                await ctx.elicit("?", A)
    """
    found = cut(code, "ctx.elicit(")
    assert [(turn.depth, turn.loop.head) for turn in found.turns] == [
        (0, "for a in await listed(ctx)"),
        (1, "for b in a"),
    ]


@pytest.mark.parametrize(
    "code",
    [
        "async def f(ctx):\n    for a in await ctx.elicit():\n        go(a)\n",
        "async def f(ctx):\n    return [a for a in await ctx.elicit()]\n",
        "async def f(ctx):\n    while x:\n        go()\n    else:\n        await ctx.elicit()\n",
    ],
)
def test_what_runs_once_at_a_loop_is_in_no_turn(code: str) -> None:
    assert cut(code, "ctx.elicit(").turns == ()


def test_a_comprehension_is_a_loop() -> None:
    found = cut("async def f(ctx):\n    x = [\n        await ctx.elicit() for a in b]\n", "ctx.elicit(")
    (turn,) = found.turns
    assert turn.loop.head == "for a in b"
    assert shape(found) == [("ResumePoint", 2, 3)]


@pytest.mark.parametrize(
    "code",
    [
        "async def f(ctx):\n    a, b = await gather(\n        ctx.elicit(1),\n        ctx.elicit(2))\n",
        "async def f(ctx):\n    async with asyncio.TaskGroup() as g:\n        ctx.elicit(1)\n        ctx.elicit(2)\n",
        "async def f(ctx):\n    async with create_task_group() as g:\n        ctx.elicit(1)\n        ctx.elicit(2)\n",
    ],
)
def test_asks_that_wait_together_are_one_resume_point(code: str) -> None:
    (point,) = points(cut(code, "ctx.elicit(1", "ctx.elicit(2"))
    assert len(point.asks) == 2


def test_asks_in_one_expression_wait_one_after_the_other() -> None:
    found = cut(
        "async def f(ctx):\n    return await ctx.elicit(1) or await ctx.elicit(2)\n",
        "ctx.elicit(1",
        "ctx.elicit(2",
    )
    assert [point.conditional for point in points(found)] == [False, True]


@pytest.mark.parametrize(
    ("code", "conditional"),
    [
        ("async def f(ctx):\n    if risky():\n        await ctx.elicit()\n", True),
        ("async def f(ctx):\n    if (await ctx.elicit()).ok:\n        go()\n", False),
        ("async def f(ctx):\n    match await ctx.elicit():\n        case A():\n            go()\n", False),
        ("async def f(ctx):\n    match x:\n        case A():\n            await ctx.elicit()\n", True),
        ("async def f(ctx):\n    x = (await ctx.elicit()) if y else None\n", True),
        ("async def f(ctx):\n    try:\n        await ctx.elicit()\n    finally:\n        go()\n", False),
    ],
)
def test_an_ask_behind_a_branch_may_happen(code: str, conditional: bool) -> None:
    (point,) = points(cut(code, "ctx.elicit("))
    assert point.conditional is conditional


def test_the_body_of_a_compound_statement_is_not_part_of_the_ask_in_its_head() -> None:
    code = "async def f(ctx):\n    if (await ctx.elicit()).ok:\n        go()\n        stay()\n"
    assert shape(cut(code, "ctx.elicit(")) == [("ResumePoint", 2, 2), ("Segment", 3, 4)]


def test_an_ask_in_a_helper_stands_at_the_call() -> None:
    source = SourceFile(
        "x.py", "async def h(ctx):\n    await ctx.elicit()\n\nasync def f(ctx):\n    ok = await h(ctx)\n"
    )
    ask = Ask(AskKind.FORM, span(source, "ctx.elicit("), via=(span(source, "h(ctx)", after="ok"),))
    handler = Handler("f", "mcp", "tools/call", span(source, "async def f"), asks=(ask,))
    found = flow(handler, outline(handler, source, ast.parse(source.text)))
    assert shape(found) == [("ResumePoint", 5, 5)]
    assert points(found)[0].answer == "ok"


def test_a_hazard_outside_of_the_handler_is_kept_apart() -> None:
    source = SourceFile("x.py", dedent(LINEAR))
    elsewhere = Finding("MRTR301", Level.ERROR, "m", Span("y.py", 8, 1, 8, 2))
    handler = Handler("f", "mcp", "tools/call", span(source, "async def f"), hazards=(elsewhere,))
    assert flow(handler, outline(handler, source, ast.parse(source.text))).elsewhere == (elsewhere,)


def test_columns_count_characters_not_bytes() -> None:
    (point,) = points(cut("async def f(ctx):\n    é = 'é日🎉'; å = await ctx.elicit()\n", "ctx.elicit("))
    assert point.answer == "å"


@pytest.mark.parametrize("name", ["Class.f", "f"])
def test_the_innermost_function_of_that_name_around_the_place_counts(name: str) -> None:
    code = (
        "class Class:\n    async def f(self, ctx):\n        await ctx.elicit()\n\nasync def f():\n    pass\n"
    )
    source = SourceFile("x.py", code)
    handler = Handler(name, "mcp", "tools/call", span(source, "async def f(self"))
    found = outline(handler, source, ast.parse(code))
    assert (found.head, found.first, found.last) == (2, 3, 3)


def test_without_a_tree_the_span_is_all_there_is() -> None:
    source = SourceFile("x.py", "lambda ctx: ctx.elicit()\n")
    ask = Ask(AskKind.FORM, span(source, "ctx.elicit("))
    handler = Handler("<lambda>", "mcp", "tools/call", span(source, "lambda ctx"), asks=(ask,))
    for tree in (None, ast.parse(source.text)):
        assert shape(flow(handler, outline(handler, source, tree))) == [("ResumePoint", 1, 1)]
