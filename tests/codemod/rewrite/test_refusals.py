"""What can't be split soundly stays byte-identical, under one marker that says why."""

from __future__ import annotations

import pytest

from mrtr_codemod.rewrite.verdicts import Level

from .rewriting import HEADER, refused, rewritten, verdict

TOOL = "@mcp.tool()\nasync def handler(name: str, items: list[str], ctx: Context) -> str:\n"

CASES = {
    "resource-held": """
        with open(name) as file:
            answer = await ctx.elicit("Sure?", Ok)
            return file.read()
    """,
    "ask-in-comprehension": """
        answers = [await ctx.elicit(item, Ok) for item in items]
        return str(answers)
    """,
    "dynamic-ask": """
        asking = asyncio.ensure_future(ctx.elicit("Sure?", Ok))
        return (await asking).action
    """,
    "timed-ask": """
        answer = await asyncio.wait_for(ctx.elicit("Sure?", Ok), 30)
        return answer.action
    """,
    "task-group": """
        async with asyncio.TaskGroup() as group:
            task = group.create_task(ctx.elicit("Sure?", Ok))
            group.create_task(stream())
        return task.result().action
    """,
    "nested-ask": """
        async def ask() -> str:
            return (await ctx.elicit("Sure?", Ok)).action
        return await asyncio.ensure_future(ask())
    """,
    "ask-in-except": """
        try:
            effect(name)
        except ValueError as error:
            answer = await ctx.elicit(f"{error}?", Ok)
            raise KeyError(answer.action) from error
        return "fine"
    """,
    "ask-in-finally": """
        try:
            effect(name)
        finally:
            await ctx.elicit("Done?", Ok)
        return "fine"
    """,
    "swallowing-finally": """
        try:
            answer = await ctx.elicit("Sure?", Ok)
        finally:
            return "always"
    """,
    "untyped-local": """
        handle = asyncio.get_running_loop()
        effect(name)
        answer = await ctx.elicit("Sure?", Ok)
        return f"{answer.action} {handle}"
    """,
    "uncarriable-local": """
        handle = (len(item) for item in items)
        effect(name)
        answer = await ctx.elicit("Sure?", Ok)
        return f"{answer.action} {sum(handle)}"
    """,
    "secret-in-state": """
        api_key = f"k{effect(name)}"
        answer = await ctx.elicit("Sure?", Ok)
        return f"{answer.action} {api_key}"
    """,
    "maybe-unbound": """
        if effect(name):
            extra = "x"
        answer = await ctx.elicit("Sure?", Ok)
        return extra if answer.action == "accept" else "-"
    """,
    "reads-frame": """
        answer = await ctx.elicit("Sure?", Ok)
        return str(locals())
    """,
    "shared-object": """
        history = REGISTRY.setdefault(name, [])
        effect(name)
        answer = await ctx.elicit("Sure?", Ok)
        history.append(answer.action)
        return str(history)
    """,
    "identity": """
        first = [effect(name)]
        answer = await ctx.elicit("Sure?", Ok)
        return str(first is items)
    """,
    "process-memory": """
        REGISTRY[name] = [effect(name)]
        answer = await ctx.elicit("Sure?", Ok)
        return str(REGISTRY.get(answer.action))
    """,
    "evaluation-order": """
        REGISTRY[name] += [(await ctx.elicit("Sure?", Ok)).action]
        return "fine"
    """,
    "async-for": """
        async for item in stream():
            answer = await ctx.elicit(item, Ok)
        return "fine"
    """,
}


def handler(body: str) -> str:
    lines = body.strip("\n").splitlines()
    return TOOL + "\n".join(line[4:] for line in lines if line.strip()) + "\n"


@pytest.mark.parametrize("rule", CASES)
def test_it_stays_as_it_is_under_one_marker(rule: str) -> None:
    registry = "REGISTRY: dict[str, list[int]] = {}\n\n\nasync def stream():\n    yield 'a'\n\n\n"
    assert refused(handler(CASES[rule]), HEADER + registry) == rule


def test_a_generator_is_left_alone() -> None:
    body = '@mcp.tool()\nasync def handler(ctx: Context):\n    yield (await ctx.elicit("Sure?", Ok)).action\n'
    assert refused(body) == "generator"


def test_a_handler_that_calls_another_handler_that_asks_is_left_alone() -> None:
    source = HEADER + (
        '@mcp.tool()\nasync def inner(ctx: Context) -> str:\n    return (await ctx.elicit("Sure?", Ok)).action\n\n\n'
        "@mcp.tool()\nasync def outer(ctx: Context) -> str:\n    return await inner(ctx)\n"
    )
    verdicts = {v.name: v.rule or v.level.value for v in rewritten(source).handlers}
    assert verdicts == {"inner": "safe", "outer": "calls-a-handler"}


def test_recursion_is_left_alone() -> None:
    body = (
        'async def again(ctx: Context, n: int) -> str:\n    if (await ctx.elicit(f"{n}?", Ok)).action == "accept":\n'
        '        return "done"\n    return await again(ctx, n + 1)\n\n\n'
        "@mcp.tool()\nasync def handler(ctx: Context) -> str:\n    return await again(ctx, 0)\n"
    )
    assert refused(body) == "recursion"


def test_a_helper_that_something_else_still_calls_keeps_its_form_beside_a_twin() -> None:
    source = HEADER + (
        'async def sure(ctx: Context, what: str) -> bool:\n    return (await ctx.elicit(what, Ok)).action == "accept"\n'
        "\n\n@mcp.tool()\nasync def one(ctx: Context) -> str:\n    return str(await sure(ctx, 'one'))\n"
        "\n\n@mcp.tool()\nasync def two(ctx: Context) -> str:\n"
        "    with open('x'):\n        return str(await sure(ctx, 'two'))\n"
    )
    after = rewritten(source).after
    assert "async def sure(ctx: Context, what: str) -> bool:" in after
    assert (
        "async def sure_in_steps(ctx: Context, what: str, *, steps: Steps) -> bool | InputRequiredResult:"
        in after
    )
    assert "await sure_in_steps(ctx, 'one', steps=steps)" in after


def test_what_the_sdk_does_not_own_is_no_ask() -> None:
    source = (
        "class Ctx:\n    async def elicit(self, *a): ...\n\n\n"
        "async def handler(ctx: Ctx) -> str:\n    await ctx.elicit('x')\n"
    )
    assert rewritten(source).handlers == ()


def test_a_marker_goes_when_its_handler_can_be_rewritten() -> None:
    body = TOOL + '    answer = await ctx.elicit("Sure?", Ok)\n    return answer.action\n'
    marked = HEADER + "# mrtr: manual[untyped-local] once upon a time\n" + body
    assert "mrtr: manual" not in rewritten(marked).after


def test_a_refused_name_asks_for_an_annotation() -> None:
    found = verdict(handler(CASES["untyped-local"]))
    assert found.level is Level.MANUAL
    assert "`handle`" in found.reason
    assert "annotate it" in found.reason


@pytest.mark.parametrize(
    "call",
    [
        "asyncio.gather(sure(ctx, 'a'), sure(ctx, 'b'))",
        "asyncio.wait_for(sure(ctx, 'a'), 5)",
        "asyncio.ensure_future(sure(ctx, 'a'))",
        "run(sure)",
    ],
)
def test_a_helper_that_is_passed_on_leaves_its_caller_alone(call: str) -> None:
    body = (
        "async def run(function):\n    return await function(None, 'x')\n\n\n"
        "async def sure(ctx: Context, what: str) -> bool:\n"
        '    return (await ctx.elicit(what, Ok)).action == "accept"\n\n\n'
        f"@mcp.tool()\nasync def handler(ctx: Context) -> str:\n    return str(await {call})\n"
    )
    assert refused(body) in ("dynamic-ask", "unfollowed-ask")
