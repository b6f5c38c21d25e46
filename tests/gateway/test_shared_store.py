"""Gateways that share a Redis: each state is redeemed once among all of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from gateway.behind import OLD_SERVER, SHARED_KEY, Journal
from gateway.instance import Instance
from needs import needs

PAYMENT = {"amount": 5}


@pytest.fixture
def gateways(journal: Journal) -> Iterator[list[Instance]]:
    """Two that hold nothing and may run everything again, so that any of them can take up any call."""
    options = ("--hold", "0", "--replay", "all", "--store", needs("redis"))
    command = ("--", sys.executable, str(OLD_SERVER), str(journal.path))
    logs = [journal.path.with_name(f"{name}.log") for name in ("first", "second")]
    keys = {"MRTR_KEYS": SHARED_KEY[0]}
    with (
        Instance(logs[0], options + command, keys) as first,
        Instance(logs[1], options + command, keys) as second,
    ):
        yield [first, second]


def test_a_state_that_is_sent_to_all_of_them_at_once_acts_once(
    gateways: list[Instance], journal: Journal
) -> None:
    sure = gateways[0].agree("pay", PAYMENT, gateways[0].call("pay", PAYMENT))
    with ThreadPoolExecutor() as threads:
        sent = [threads.submit(gateway.agree, "pay", PAYMENT, sure) for gateway in gateways * 2]
        replies = [one.result() for one in sent]
    assert journal.acts.count("paid 5") == 1
    assert {reply["result"]["content"][0]["text"] for reply in replies} == {"paid"}


def test_what_one_has_redeemed_the_other_knows_after_the_first_was_killed(
    gateways: list[Instance], journal: Journal
) -> None:
    first, second = gateways
    sure = first.agree("pay", PAYMENT, first.call("pay", PAYMENT))
    done = first.agree("pay", PAYMENT, sure)
    first.kill()
    again = second.agree("pay", PAYMENT, sure)
    assert again["result"]["content"] == done["result"]["content"]
    assert journal.acts.count("paid 5") == 1
