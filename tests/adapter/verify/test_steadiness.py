"""A server that natively does something else each time is told so, and what differs besides is still found."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from adapter.verify.servers import NO, SHOP, WHY, YES, case, report, verify
from mrtr_adapter.verify.runs import Difference
from mrtr_adapter.verify.steadiness import unexplained

TEXT = 'return f"Refunded {invoice}."'
UNSTEADY = {
    "the time in the result": (TEXT, 'import time; return f"Refunded at {time.time_ns()}."'),
    "a random result": (TEXT, 'import secrets; return f"Refunded, {secrets.token_hex(8)}."'),
    "a question": ('"Why?"', "f\"Why, {__import__('random').random()}?\""),
    "the name of a file": ('Path("refunds.txt")', "Path(f\"refund-{__import__('time').time_ns()}.txt\")"),
}
ABOVE = '    answer = await ctx.elicit(f"Refund {invoice}?", Sure)\n'


@pytest.mark.parametrize("name", UNSTEADY)
def test_what_differs_natively_as_well_is_not_put_down_to_the_adapter(name: str, tmp_path: Path) -> None:
    old, new = UNSTEADY[name]
    assert old in SHOP
    told = report(tmp_path, SHOP.replace(old, new), [case("paid", YES, WHY), case("kept", NO)])
    paid, kept = told["cases"]
    assert (paid["verdict"], kept["verdict"]) == ("unsteady", "equal")
    assert paid["unsteady"]
    assert paid["differences"] == {}
    assert kept["unsteady"] == []
    assert told["summary"] == {"equal": 1, "different": 0, "unsteady": 1, "could_not_run": 0}
    assert told["status"] == 2


def test_a_repeated_effect_is_found_in_a_server_that_is_unsteady(tmp_path: Path) -> None:
    server = SHOP.replace(*UNSTEADY["the time in the result"])
    server = server.replace(ABOVE, '    Path("log.txt").open("a").close()\n' + ABOVE)
    ended = verify(tmp_path, server, [case("paid", YES, WHY)])
    assert ended.status == 1
    assert ended.out.startswith("different      paid")
    before, _, after = ended.out.partition("natively it does not do the same twice; leave what varies out")
    assert "effect open log.txt" in before
    assert "Refunded at" not in before
    assert "native again" in after
    assert "Refunded at" in after


def test_what_is_only_repeated_is_not_run_once_more(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    line = f'    Path(r"{outside / "runs"}").open("a").write("run\\n")\n'
    (paid,) = report(tmp_path, SHOP.replace(ABOVE, line + ABOVE), [case("paid", YES, WHY)])["cases"]
    assert paid["verdict"] == "different"
    runs = (outside / "runs").read_text().splitlines()
    assert len(runs) == 4  # one natively, and one in each of three rounds


def test_junit_tells_an_unsteady_case_as_an_error(tmp_path: Path) -> None:
    server = SHOP.replace(*UNSTEADY["the time in the result"])
    shown = verify(tmp_path, server, [case("paid", YES, WHY)], "--format", "junit").out
    suite = ElementTree.fromstring(shown.encode()).find("testsuite")
    assert suite is not None
    assert (suite.get("failures"), suite.get("errors")) == ("0", "1")
    error = suite.find("testcase/error")
    assert error is not None
    assert error.get("type") == "unsteady"
    assert "Refunded at" in str(error.text)


def difference(kind: str, what: str, native: str = "once", other: str = "never") -> Difference:
    return Difference(kind, what, native, other)  # type: ignore[arg-type]


RESULT = difference("result", "result", "a", "b")
QUESTION = difference("question", "question 1", "a", "b")
GONE = difference("effect missing", "effect open 1.txt")
NEW = difference("effect new", "effect open 2.txt")
OTHER_NEW = difference("effect new", "effect open 3.txt")


@pytest.mark.parametrize(
    ("found", "natively", "kept"),
    [
        ([RESULT], [difference("result", "result", "a", "c")], []),
        ([RESULT], [QUESTION], [RESULT]),
        ([QUESTION], [difference("question", "question 2")], [QUESTION]),
        ([GONE, NEW], [GONE, OTHER_NEW], []),
        ([GONE, NEW, OTHER_NEW], [GONE, difference("effect new", "effect open 4.txt")], [OTHER_NEW]),
        ([NEW], [difference("effect new", "effect connect 2.txt")], [NEW]),
        ([difference("effect repeated", "effect open 1.txt")], [GONE, NEW], None),
        ([RESULT, NEW], [], None),
    ],
)
def test_only_what_two_native_runs_show_at_the_same_place_is_explained(
    found: list[Difference], natively: list[Difference], kept: list[Difference] | None
) -> None:
    assert unexplained(found, natively) == (found if kept is None else kept)
