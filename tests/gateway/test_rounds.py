"""Calls that ask, through a gateway, round by round."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import anyio
import pytest
from mcp.shared.exceptions import MCPError

from gateway.behind import OLD_SERVER, Journal, Rounds, client_of, replace, running, settings, text
from mrtr_adapter.gateway.child import Command

pytestmark = pytest.mark.anyio


async def test_a_held_call_goes_on_in_its_process_and_acts_once(journal: Journal) -> None:
    async with running(settings(journal)) as gateway, client_of(gateway) as client:
        call = Rounds("pay", {"amount": 5})
        assert await call.send(client) is None
        assert (call.keys, call.messages) == (["sure"], ["Pay 5?"])
        assert await call.agree(client) is None
        assert call.messages == ["Really?"]
        assert text(await call.agree(client)) == "paid"
    assert journal.acts == ["reserved 5", "paid 5"]


async def test_a_declined_question_never_pays(journal: Journal) -> None:
    async with running(settings(journal)) as gateway, client_of(gateway) as client:
        call = Rounds("pay", {"amount": 5})
        await call.send(client)
        assert text(await call.send(client, {"sure": {"action": "decline"}})) == "not paid"
    assert journal.acts == ["reserved 5"]


async def test_what_is_read_only_is_run_again_on_another_gateway(journal: Journal) -> None:
    call = Rounds("look")
    async with running(settings(journal)) as first, client_of(first) as client:
        assert await call.send(client) is None
    async with running(settings(journal)) as second, client_of(second) as client:
        assert text(await call.agree(client)) == "seen: True"


async def test_a_lost_unsafe_call_is_not_run_again_and_says_which_flag_would_allow_it(
    journal: Journal,
) -> None:
    call = Rounds("pay", {"amount": 5})
    async with running(settings(journal)) as first, client_of(first) as client:
        await call.send(client)
    async with running(settings(journal)) as second, client_of(second) as client:
        with pytest.raises(MCPError, match=r"may have been done.*--replay pay") as raised:
            await call.agree(client)
    assert raised.value.data == {"reason": "call_lost"}
    assert journal.acts == ["reserved 5"]


@pytest.mark.parametrize(("replay", "tools"), [("all", ()), ("none", ("pay",))])
async def test_an_operator_may_allow_to_run_an_unsafe_call_again(
    journal: Journal, replay: str, tools: tuple[str, ...]
) -> None:
    call = Rounds("pay", {"amount": 5})
    allowing = settings(journal, hold=0, replay=replay, tools=tools)
    async with running(allowing) as first, client_of(first) as client:
        await call.send(client)
    async with running(allowing) as second, client_of(second) as client:
        assert await call.agree(client) is None
        assert text(await call.agree(client)) == "paid"
    assert journal.acts == ["reserved 5"] * 3 + ["paid 5"]


async def test_replay_none_runs_nothing_again(journal: Journal) -> None:
    call = Rounds("look")
    never = settings(journal, replay="none")
    async with running(never) as first, client_of(first) as client:
        await call.send(client)
    async with running(never) as second, client_of(second) as client:
        with pytest.raises(MCPError, match="call is lost"):
            await call.agree(client)


async def test_a_call_that_could_not_go_on_is_stopped_before_the_user_is_asked(journal: Journal) -> None:
    async with running(settings(journal, hold=0)) as gateway, client_of(gateway) as client:
        with pytest.raises(MCPError, match=r"--hold.*--replay") as raised:
            await Rounds("pay", {"amount": 5}).send(client)
    assert raised.value.data == {"reason": "cannot_wait"}


async def test_questions_asked_at_once_are_one_round(journal: Journal) -> None:
    async with running(settings(journal)) as gateway, client_of(gateway) as client:
        call = Rounds("three")
        await call.send(client)
        assert call.messages == ["Question 1", "Question 2", "Question 3"]
        assert text(await call.agree(client)) == "True True True"


async def test_one_of_three_answers_leaves_two_questions(journal: Journal) -> None:
    async with running(settings(journal)) as gateway, client_of(gateway) as client:
        call = Rounds("three")
        await call.send(client)
        await call.send(client, {call.keys[1]: {"action": "accept", "content": {"sure": True}}})
        assert call.messages == ["Question 1", "Question 3"]
        assert text(await call.agree(client)) == "True True True"


async def test_a_held_call_is_dropped_when_its_time_is_over(journal: Journal) -> None:
    async with running(settings(journal, hold=0.2)) as gateway, client_of(gateway) as client:
        call = Rounds("pay", {"amount": 5})
        await call.send(client)
        assert gateway.counts["held"] == 1
        with anyio.fail_after(10):
            while gateway.counts["held"] or gateway.counts["sessions"] > 1:
                await anyio.sleep(0.05)
        with pytest.raises(MCPError, match="call is lost"):
            await call.agree(client)


async def test_a_child_that_is_killed_between_rounds_is_replaced_where_that_is_safe(journal: Journal) -> None:
    async with running(settings(journal)) as gateway, client_of(gateway) as client:
        look, pay = Rounds("look"), Rounds("pay", {"amount": 5})
        await look.send(client)
        await pay.send(client)
        for pid in journal.pids:
            os.kill(pid, signal.SIGKILL)
        assert text(await look.agree(client)) == "seen: True"
        with pytest.raises(MCPError, match="call is lost"):
            await pay.agree(client)
    assert journal.acts == ["reserved 5"]


async def test_a_lost_call_says_that_it_may_have_acted_also_while_its_server_does_not_start(
    journal: Journal, tmp_path: Path
) -> None:
    script = tmp_path / "old_server.py"
    script.write_bytes(OLD_SERVER.read_bytes())
    old = replace(settings(journal), behind=Command([sys.executable, str(script), str(journal.path)]))
    async with running(old) as gateway, client_of(gateway) as client:
        pay = Rounds("pay", {"amount": 5})
        await pay.send(client)
        script.unlink()
        for pid in journal.pids:
            os.kill(pid, signal.SIGKILL)
        with pytest.raises(MCPError, match=r"may have been done.*can't be used.*send this same round again"):
            await pay.agree(client)
        script.write_bytes(OLD_SERVER.read_bytes())
    assert journal.acts == ["reserved 5"]


async def test_a_state_that_is_sent_twice_gets_the_same_result_and_acts_once(journal: Journal) -> None:
    async with running(settings(journal)) as gateway, client_of(gateway) as client:
        call = Rounds("pay", {"amount": 5})
        await call.send(client)
        await call.agree(client)
        assert text(await call.agree(client)) == text(await call.agree(client)) == "paid"
    assert journal.acts == ["reserved 5", "paid 5"]


async def test_a_server_that_does_not_wait_for_its_answer_keeps_its_own_result(journal: Journal) -> None:
    async with running(settings(journal)) as gateway, client_of(gateway) as client:
        call = Rounds("impatient")
        assert await call.send(client) is None
        await anyio.sleep(0.5)
        assert text(await call.agree(client)) == "went on without you"


async def test_a_page_of_the_old_error_is_a_url_request_and_its_session_remembers(journal: Journal) -> None:
    async with running(settings(journal)) as gateway, client_of(gateway) as client:
        call = Rounds("page")
        await call.send(client)
        assert call.messages == ["Log in"]
        assert text(await call.send(client, {call.keys[0]: {"action": "accept"}})) == "logged in"


async def test_a_server_that_dies_in_a_call_says_that_it_may_have_acted_and_the_next_call_works(
    journal: Journal,
) -> None:
    async with running(settings(journal)) as gateway, client_of(gateway) as client:
        with pytest.raises(MCPError, match="may have been done"):
            await client.call_tool("die", {})
        assert int(text(await client.call_tool("whoami", {}))) in journal.pids
    assert journal.acts == ["died"]


async def test_with_a_store_in_common_a_state_is_redeemed_at_one_gateway_only(
    journal: Journal, tmp_path: Path
) -> None:
    shared = replace(settings(journal, replay="all"), store=f"sqlite:///{tmp_path / 'store'}")
    async with (
        running(shared) as first,
        running(shared) as second,
        client_of(first) as here,
        client_of(second) as there,
    ):
        call = Rounds("pay", {"amount": 5})
        await call.send(here)
        await call.agree(here)
        assert text(await call.agree(there)) == "paid"
        assert text(await call.agree(here)) == "paid"
    assert journal.acts.count("paid 5") == 1


async def test_nobody_else_can_continue_a_held_call(journal: Journal) -> None:
    async with running(settings(journal)) as gateway, client_of(gateway) as client:
        call = Rounds("pay", {"amount": 5})
        await call.send(client)
        (nonce,) = gateway.holds.names
        assert gateway.holds.take(nonce, "somebody else") is None
        assert await call.agree(client) is None
