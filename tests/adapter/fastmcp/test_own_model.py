"""`FastMCP(sampling_handler=…)`: the server's own model answers where the client's does not."""

from __future__ import annotations

from itertools import count
from typing import Any, Literal

import pytest
from fastmcp import Context, FastMCP
from mcp.shared.exceptions import MCPError
from mcp_types import CreateMessageResultWithTools

from adapter.fastmcp.servers import TRUE, adapted, calls, says
from adapter.rounds import always, call, play_tool
from mrtr_adapter.fastmcp import old_names

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning"),
]
FORMS_ONLY: dict[str, Any] = {"elicitation": {"form": {}}}


@pytest.fixture(autouse=True)
def _as_in_fastmcp_3() -> None:
    old_names.install()


def made_with(handler: Any, behavior: Literal["always", "fallback"] | None = None) -> Any:
    def make() -> Any:
        options: dict[str, Any] = {"sampling_handler": handler, "sampling_handler_behavior": behavior}
        server = FastMCP("test", **options)

        @server.tool
        async def muse(ctx: Context) -> str:
            first = await ctx.sample("An idea?")
            again = await ctx.sample("An idea?")
            sure = await ctx.elicit(f"{first.text} or {again.text}?", bool)
            return f"{first.text}, {again.text}: {sure.action}"

        @server.tool
        async def count_up(ctx: Context) -> str:
            return str((await ctx.sample("Count", tools=[one_more])).text)

        return adapted(server)

    return make


def one_more(number: int) -> int:
    return number + 1


async def test_it_answers_a_client_that_has_no_model_and_the_same_in_every_round() -> None:
    drawn = count(1)

    async def handler(messages: Any, params: Any, context: Any) -> str:
        return f"idea {next(drawn)} of {params.max_tokens}"

    played = await play_tool(made_with(handler), "muse", always(TRUE), capabilities=FORMS_ONLY)
    assert played.asked == ["idea 1 of 512 or idea 2 of 512?"]
    assert played.text == "idea 1 of 512, idea 2 of 512: accept"
    assert next(drawn) == 3


async def test_the_client_has_the_word_before_it() -> None:
    played = await play_tool(
        made_with(lambda *_: "mine"),
        "muse",
        lambda key, request: TRUE if request["method"] == "elicitation/create" else says("theirs"),
    )
    assert played.text == "theirs, theirs: accept"


async def test_the_server_has_the_word_if_its_owner_says_so() -> None:
    played = await play_tool(made_with(lambda *_: "mine", "always"), "muse", always(TRUE))
    assert played.text == "mine, mine: accept"


async def test_it_may_call_tools() -> None:
    def handler(messages: Any, params: Any, context: Any) -> Any:
        if len(messages) == 1:
            return CreateMessageResultWithTools.model_validate(calls(("one_more", {"number": 2})))
        return messages[-1].content[0].content[0].text

    result = await call(made_with(handler)(), "count_up", capabilities={"sampling": {}})
    assert result["content"][0]["text"] == "3"


async def test_without_it_the_call_ends() -> None:
    with pytest.raises(MCPError, match="sampling"):
        await call(made_with(None)(), "muse", capabilities=FORMS_ONLY)
