"""Blocks around an ask: `except` blocks, context managers, functions of the SDK that ask on a session."""

from __future__ import annotations

import sys

import pytest

from mrtr_codemod.rewrite.verify import problems

from . import bare
from .rewriting import HEADER, rewritten
from .test_shapes import TOOL, same


@pytest.fixture(autouse=True)
def support_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(bare.VENDORED))
    monkeypatch.setitem(sys.modules, "program", None)


def rule(body: str, header: str = HEADER) -> str:
    (verdict,) = rewritten(header + TOOL + body).handlers
    return verdict.rule


def test_an_ask_in_an_except_block_knows_the_text_of_the_error() -> None:
    after = same(
        "    n = effect(name)\n    try:\n        n += int(name)\n"
        "    except ValueError as error:\n"
        "        # No number: ask for one.\n"
        "        answer = await ctx.elicit(f'{error}; another for {n}?', Text)\n"
        "        if answer.action != 'accept':\n            return f'stuck: {error} {str(error)}'\n"
        "        n += len(answer.data.text)\n"
        "    except KeyError:\n        n = 0\n"
        "    else:\n        effect('fine')\n"
        "    effect('on')\n    return f'{n}'\n"
    )
    assert "            failed = True\n            reason = str(error)\n" in after


def test_an_ask_in_an_except_block_of_a_loop() -> None:
    same(
        "    for item in items:\n        try:\n            effect(item)\n            int(item)\n"
        "        except (ValueError, TypeError):\n"
        "            answer = await ctx.elicit(f'{item}?', Ok)\n"
        "            if answer.action == 'decline':\n                continue\n"
        "            if answer.action == 'cancel':\n                break\n"
        "        effect(f'after {item}')\n    return 'end'\n"
    )


def test_asks_in_the_try_and_in_its_except_block() -> None:
    same(
        "    try:\n        first = await ctx.elicit('a', Text)\n        n = int(first.data.text)\n"
        "    except (ValueError, AttributeError) as error:\n        second = await ctx.elicit(f'b {error}', Ok)\n"
        "        return second.action\n    return f'{n}'\n"
    )


@pytest.mark.parametrize(
    "block",
    [
        "    except ValueError:\n        await ctx.elicit('a', Ok)\n        raise\n",
        "    except ValueError as error:\n        await ctx.elicit('a', Ok)\n        raise KeyError(name) from error\n",
        "    except ValueError as error:\n        await ctx.elicit(f'{error.args}', Ok)\n",
        "    except ValueError as error:\n        await ctx.elicit(f'{error!r}', Ok)\n",
        "    except ValueError:\n        await ctx.elicit('a', Ok)\n    finally:\n        effect('f')\n",
    ],
)
def test_a_block_that_needs_the_exception_itself_is_left_alone(block: str) -> None:
    assert rule(f"    try:\n        int(name)\n{block}    return 'end'\n") == "ask-in-except"


def test_suppress_is_the_try_that_it_stands_for() -> None:
    body = (
        "    with suppress(KeyError, ValueError):\n        effect(name)\n"
        "        answer = await ctx.elicit('sure?', Text)\n        effect(answer.action)\n"
        "        int(answer.data.text if answer.action == 'accept' else '1')\n        effect('number')\n"
        "    return 'end'\n"
    )
    header = HEADER.replace("import uuid", "import uuid\nfrom contextlib import suppress")
    after = rewritten(header + TOOL + body)
    assert [v.rule for v in after.handlers] == [""]
    assert "    except (KeyError, ValueError):\n        pass\n" in after.after
    assert "CannotAsk" not in after.after, "neither can catch that the client can't be asked"


def test_suppressing_everything_lets_through_that_nobody_can_be_asked() -> None:
    body = "    with suppress(Exception):\n        await ctx.elicit('sure?', Ok)\n    return effect(name)\n"
    header = HEADER.replace("import uuid", "import uuid\nfrom contextlib import suppress")
    assert "    except CannotAsk:\n        raise" in rewritten(header + TOOL + body).after


def test_what_holds_nothing_is_entered_in_each_round() -> None:
    after = same(
        "    from contextlib import nullcontext\n    digits = len(name)\n    n = effect(name)\n"
        "    with nullcontext(digits):\n        answer = await ctx.elicit('sure?', Ok)\n"
        "        shown = str(n)\n    return f'{shown} {answer.action}'\n"
    )
    assert "    with nullcontext(digits):\n        answer = steps.form(" in after


@pytest.mark.parametrize("head", ["asyncio.timeout(3)", "anyio.fail_after(3)", "anyio.move_on_after(3)"])
def test_a_timeout_says_that_no_round_sees_the_users_time(head: str) -> None:
    header = HEADER.replace("import uuid", "import uuid\n\nimport anyio")
    kind = "async with" if "asyncio" in head else "with"
    assert (
        rule(f"    {kind} {head}:\n        await ctx.elicit('a', Ok)\n    return 'end'\n", header)
        == "timed-ask"
    )


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("elicit_with_validation(ctx.session, message=f'{name}?', schema=Ok)", "form(f'{name}?', Ok)"),
        (
            "elicit_with_validation(session, f'{name}?', Ok, related_request_id=ctx.request_id)",
            "form(f'{name}?', Ok)",
        ),
        (
            "elicit_url(ctx.session, 'Look', f'https://x.org/{name}', uuid.uuid4().hex)",
            "url('Look', f'https://x.org/{name}')",
        ),
    ],
)
def test_functions_of_the_sdk_that_ask_on_a_session(call: str, kind: str) -> None:
    header = HEADER.replace(
        "from mcp.server.mcp",
        "from mcp.server.elicitation import elicit_url, elicit_with_validation\nfrom mcp.server.mcp",
        1,
    )
    source = (
        header + TOOL + f"    session = ctx.session\n    answer = await {call}\n    return answer.action\n"
    )
    result = rewritten(source)
    assert [v.rule for v in result.handlers] == [""], result.handlers
    assert f"return steps.ask(answer={kind})" in result.after
    assert "session" not in result.after[result.after.index("async def handler") :]
    assert call.partition("(")[0] not in result.after, "and its import is gone"


def test_words_of_a_docstring_import_nothing() -> None:
    after = same(
        '    """A form with a url, and a sample of roots."""\n    a = await ctx.elicit(name, Ok)\n    return a.action\n'
    )
    assert "from mrtr_steps import Steps, form\n" in after


def test_what_only_the_function_imported_for_the_ask_goes_with_it() -> None:
    body = (
        "    from mcp.server.elicitation import AcceptedElicitation, elicit_with_validation\n\n"
        "    answer = await elicit_with_validation(ctx.session, name, Ok)\n"
        "    return str(isinstance(answer, AcceptedElicitation))\n"
    )
    result = rewritten(HEADER + TOOL + body)
    assert "    from mcp.server.elicitation import AcceptedElicitation\n" in result.after
    assert problems(HEADER + TOOL + body, result.after, "server.py") == []


def test_the_schema_of_a_model_is_no_effect() -> None:
    ask = "    answer = await ctx.session.elicit(name, requestedSchema=Ok.model_json_schema())\n"
    after = rewritten(HEADER + TOOL + ask + "    return answer.action\n").after
    assert "steps.ask(answer=raw_form(name, Ok.model_json_schema()))" in after
