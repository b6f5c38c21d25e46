"""`mrtr verify` holds a server against itself: what is the same is equal, and every difference is found and named."""

from __future__ import annotations

from pathlib import Path

from adapter.verify.servers import NO, SHOP, WHY, YES, case, verify

GOLDEN = Path(__file__).parents[2] / "golden"


def test_a_server_that_replays_soundly_is_equal_on_every_branch(tmp_path: Path) -> None:
    cases = [case("both answered", YES, WHY), case("no reason", YES, NO), case("declined", NO)]
    ended = verify(tmp_path, SHOP, cases)
    assert ended.status == 0, ended.out + ended.err
    assert ended.out == (
        "equal          both answered  (2 questions, adapted in 3 rounds)\n"
        "equal          no reason  (2 questions, adapted in 3 rounds)\n"
        "equal          declined  (1 question, adapted in 2 rounds)\n"
        "\n"
        "3 cases: 3 equal.\n"
    )
    assert ended.err == ""
