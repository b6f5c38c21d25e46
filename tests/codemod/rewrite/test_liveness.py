"""Liveness on the statement tree agrees with liveness on the bytecode of the same function.

The bytecode's own view: a backward may-analysis over its instructions, with jumps and exception tables as edges. What
it finds live where a statement starts must be live for us too (we may say "live" more often, never less), and where
no exception is about, the two are equal.
"""

from __future__ import annotations

import ast
import dis
import sys
from types import CodeType
from typing import Any

import pytest

from mrtr_codemod.rewrite.flow.liveness import live_locals, surely_bound
from mrtr_codemod.rewrite.flow.scope import function_locals

from .programs import Program

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="exception tables came with Python 3.11")

LOADS = {
    "LOAD_FAST",
    "LOAD_FAST_CHECK",
    "LOAD_FAST_BORROW",
    "LOAD_DEREF",
    "LOAD_CLOSURE",
    "LOAD_FAST_AND_CLEAR",
}
STORES = {"STORE_FAST", "STORE_DEREF"}
ENDS = {"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD", "JUMP_BACKWARD",
        "JUMP_BACKWARD_NO_INTERRUPT"}  # fmt: skip


def accesses(instruction: Any) -> list[tuple[str, str]]:
    """(`load`, `store` or `delete`, name) in the order in which an instruction makes them; some make two."""
    names = instruction.argval if isinstance(instruction.argval, tuple) else (instruction.argval,)
    name = instruction.opname
    if name in ("LOAD_FAST_LOAD_FAST", "LOAD_FAST_BORROW_LOAD_FAST_BORROW"):
        return [("load", n) for n in names]
    if name == "STORE_FAST_LOAD_FAST":
        return [("store", names[0]), ("load", names[1])]
    if name == "STORE_FAST_STORE_FAST":
        return [("store", n) for n in names]
    if name in LOADS:
        return [("load", names[0])]
    if name in STORES:
        return [("store", names[0])]
    return [("store", names[0])] if name.startswith("DELETE_FAST") else []


def bytecode_live(code: CodeType) -> tuple[list[Any], list[set[str]]]:
    """The instructions, and the names that are live before each."""
    instructions = list(dis.get_instructions(code))
    place = {instruction.offset: i for i, instruction in enumerate(instructions)}
    handlers: dict[int, int] = {}
    for entry in reversed(dis._parse_exception_table(code)):
        for i, instruction in enumerate(instructions):
            if entry.start <= instruction.offset < entry.end:
                handlers[i] = place[entry.target]
    live: list[set[str]] = [set() for _ in instructions]
    changed = True
    while changed:
        changed = False
        for i in range(len(instructions) - 1, -1, -1):
            instruction = instructions[i]
            after: set[str] = set()
            if instruction.opname not in ENDS and i + 1 < len(instructions):
                after |= live[i + 1]
            if instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs:
                after |= live[place[instruction.argval]]
            for kind, name in reversed(accesses(instruction)):
                after = after | {name} if kind == "load" else after - {name}
            if i in handlers:
                after |= live[handlers[i]]
            if not after <= live[i]:
                live[i] |= after
                changed = True
    return instructions, live


def first_instructions(instructions: list[Any]) -> dict[int, int]:
    """The first instruction of each source line."""
    found: dict[int, int] = {}
    for i, instruction in enumerate(instructions):
        line = instruction.positions.lineno if instruction.positions else None
        if line is not None and instruction.opname not in (
            "RESUME",
            "RETURN_GENERATOR",
            "POP_TOP",
            "COPY_FREE_VARS",
        ):
            found.setdefault(line, i)
    return found


def function_of(source: str) -> tuple[ast.AsyncFunctionDef, CodeType]:
    tree = ast.parse(source)
    node = next(n for n in tree.body if isinstance(n, ast.AsyncFunctionDef) and n.name == "handler")
    module = compile(tree, "program", "exec")
    code = next(c for c in module.co_consts if isinstance(c, CodeType) and c.co_name == "handler")
    return node, code


EXACT = """\
async def handler(name, size, items, ctx):
    total = 0
    for item in items:
        if size:
            total += len(item)
            continue
        size = total
        break
    else:
        name = "none"
    while size > 1:
        size -= 1
    return name
"""


SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)


@pytest.mark.parametrize("seed", range(60))
def test_what_the_bytecode_still_needs_is_live(seed: int) -> None:
    node, code = function_of(Program(seed).source())
    instructions, live = bytecode_live(code)
    starts = first_instructions(instructions)
    ours = live_locals(node)
    names = function_locals(node)
    compared = 0
    for stmt, before in ours.before.items():
        # A compound statement may have been compiled in another order than it is written.
        if isinstance(stmt, SIMPLE) and stmt.lineno in starts:
            needed = live[starts[stmt.lineno]] & names
            assert needed <= before, f"line {stmt.lineno}: {ast.unparse(stmt)}"
            compared += 1
    assert compared > 3


def calm_programs() -> list[str]:
    """Programs without exception handlers."""
    sources = [EXACT, *(Program(seed).source() for seed in range(200))]
    return [s for s in sources if not any(isinstance(n, ast.Try) for n in ast.walk(ast.parse(s)))]


def test_without_exceptions_liveness_is_exact() -> None:
    sources = calm_programs()
    assert len(sources) > 40
    for source in sources:
        check_exact(source)


def check_exact(source: str) -> None:
    node, code = function_of(source)
    instructions, live = bytecode_live(code)
    starts = first_instructions(instructions)
    names = function_locals(node)
    for stmt, before in live_locals(node).before.items():
        if isinstance(stmt, SIMPLE) and stmt.lineno in starts:
            assert live[starts[stmt.lineno]] & names == before, f"line {stmt.lineno}: {ast.unparse(stmt)}"


def at(source: str, marker: str) -> tuple[ast.FunctionDef, ast.stmt]:
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    found = next(
        n for n in ast.walk(function) if isinstance(n, ast.stmt) and marker in ast.unparse(n).split("\n")[0]
    )
    return function, found


def test_a_name_is_live_where_a_handler_or_finally_reads_it() -> None:
    function, stmt = at(
        "def f(a):\n    b = 1\n    try:\n        a = mark()\n    except ValueError:\n        print(b)\n    finally:\n"
        "        print(a)\n",
        "mark()",
    )
    live = live_locals(function)
    assert live.before[stmt] == {"a", "b"}, "the call may raise, before `a` is bound anew"
    assert live.after[stmt] == {"a"}


def test_a_closure_keeps_its_names_live() -> None:
    function, stmt = at("def f(a):\n    b = 1\n    g = lambda: b\n    mark()\n    return g()\n", "mark()")
    assert "b" in live_locals(function).after[stmt]


def test_a_name_bound_in_one_branch_only_is_not_surely_bound() -> None:
    function, stmt = at(
        "def f(a):\n    if a:\n        b = 1\n    else:\n        c = 2\n    mark()\n", "mark()"
    )
    assert surely_bound(function)[stmt] == {"a"}


def test_a_branch_that_leaves_does_not_count() -> None:
    function, stmt = at(
        "def f(a):\n    if a:\n        b = 1\n    else:\n        return\n    mark()\n", "mark()"
    )
    assert surely_bound(function)[stmt] == {"a", "b"}


def test_a_loop_may_run_no_turn_at_all() -> None:
    function, stmt = at("def f(a):\n    for b in a:\n        c = b\n    mark()\n", "mark()")
    assert surely_bound(function)[stmt] == {"a"}


def test_the_name_of_an_exception_is_unbound_behind_its_handler() -> None:
    function, stmt = at(
        "def f(a):\n    try:\n        b = 1\n    except E as e:\n        b = 2\n    mark()\n", "mark()"
    )
    assert surely_bound(function)[stmt] == {"a", "b"}


def test_a_walrus_behind_a_short_circuit_is_not_surely_bound() -> None:
    function, stmt = at("def f(a):\n    if a and (b := a):\n        pass\n    mark()\n", "mark()")
    assert surely_bound(function)[stmt] == {"a"}
