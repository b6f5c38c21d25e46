"""`mrtr verify` holds a server against itself: what is the same is equal, and every difference is found and named."""

from __future__ import annotations

from pathlib import Path

from adapter.cli.commands import written
from adapter.verify.servers import NO, SHOP, WHY, YES, case, mrtr, report, verify

EFFECT_ABOVE = SHOP.replace(
    '    answer = await ctx.elicit(f"Refund',
    '    Path("holds.txt").open("a").close()\n    answer = await ctx.elicit(f"Refund',
)
assert EFFECT_ABOVE != SHOP


def test_a_server_that_replays_soundly_is_equal_on_every_branch(tmp_path: Path) -> None:
    cases = [case("both answered", YES, WHY), case("no reason", YES, NO), case("declined", NO)]
    ended = verify(tmp_path, SHOP, cases)
    assert ended.out == (
        "equal          both answered  (2 questions, adapted in 3 rounds)\n"
        "equal          no reason  (2 questions, adapted in 3 rounds)\n"
        "equal          declined  (1 question, adapted in 2 rounds)\n"
        "\n"
        "3 cases: 3 equal.\n"
    )
    assert (ended.status, ended.err) == (0, "")


def test_an_effect_above_a_question_is_a_difference_and_named_with_place_and_count(tmp_path: Path) -> None:
    ended = verify(tmp_path, EFFECT_ABOVE, [case("both answered", YES, WHY)])
    assert ended.status == 1
    assert ended.out == (
        "different      both answered  (2 questions, adapted in 3 rounds)\n"
        "\n"
        "both answered\n"
        "                         native  adapted\n"
        "  ---------------------  ------  -------\n"
        "  effect open holds.txt  once    3 times\n"
        "\n"
        "Hazards that became real\n"
        "  effect repeated, adapted: open holds.txt (server.py:22)\n"
        "      3 times, natively once, in both answered\n"
        "\n"
        "1 case: 1 different.\n"
    )


def test_a_repeated_effect_is_accepted_where_the_case_or_the_command_says_so(tmp_path: Path) -> None:
    cases = [case("allowed", NO, allow_repeat=True), case("not allowed", NO)]
    told = report(tmp_path, EFFECT_ABOVE, cases)
    assert [each["verdict"] for each in told["cases"]] == ["equal", "different"]
    assert {tuple(hazard["cases"]) for hazard in told["hazards"]} == {("allowed", "not allowed")}

    allowed = report(tmp_path, EFFECT_ABOVE, cases, "--allow-repeat")
    assert (allowed["status"], allowed["summary"]["equal"]) == (0, 2)


VOLATILE = """
import time

from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

mcp = MCPServer("clock")


class Sure(BaseModel):
    sure: bool


@mcp.tool()
async def tick(ctx: Context) -> str:
    answer = await ctx.elicit(f"Stop at {time.time_ns()}?", Sure)
    return answer.action
"""


def test_a_question_that_changes_between_rounds_is_named_with_both_texts(tmp_path: Path) -> None:
    told = report(tmp_path, VOLATILE, [case("stop", YES, tool="tick")])
    kinds = {difference["kind"] for difference in told["cases"][0]["differences"]["adapted"]}
    assert "question" in kinds
    changed = [hazard for hazard in told["hazards"] if hazard["kind"] == "question changed"]
    assert changed
    assert changed[0]["what"] == "tick"
    assert changed[0]["how"].startswith("'form: Stop at ")
    assert "was answered, and the replay asked 'form: Stop at " in changed[0]["how"]


def test_volatile_text_can_be_left_out_of_the_comparison(tmp_path: Path) -> None:
    server = SHOP.replace('return f"Refunded {invoice}."', 'import os; return f"Refunded by {os.getpid()}."')
    cases = [case("both answered", YES, WHY)]
    assert verify(tmp_path, server, cases).status == 2
    assert verify(tmp_path, server, cases, "--volatile", r"by \d+").status == 0


SWALLOWING = SHOP.replace(
    '    answer = await ctx.elicit(f"Refund {invoice}?", Sure)\n',
    "    try:\n"
    '        answer = await ctx.elicit(f"Refund {invoice}?", Sure)\n'
    "    except BaseException:\n"
    '        return "Refunded unasked."\n',
)
assert SWALLOWING != SHOP


def test_a_swallowed_suspension_is_named_although_nothing_came_of_it(tmp_path: Path) -> None:
    told = report(tmp_path, SWALLOWING, [case("declined", NO)])
    assert told["status"] == 0
    assert [(hazard["kind"], hazard["what"]) for hazard in told["hazards"]] == [
        ("suspension swallowed", "refund")
    ]


FAIL_OPEN = SHOP.replace(
    '    answer = await ctx.elicit(f"Refund {invoice}?", Sure)\n',
    "    try:\n"
    '        answer = await ctx.elicit(f"Refund {invoice}?", Sure)\n'
    "    except Exception:\n"
    '        return "Refunded unasked."\n',
)


def test_a_handler_that_went_on_unasked_is_told_apart_from_one_that_failed(tmp_path: Path) -> None:
    invalid = {"action": "accept", "content": {"sure": []}}
    cases = [case("no capability", "missing"), case("invalid", invalid, NO)]
    told = report(tmp_path, FAIL_OPEN, cases)
    assert [each["verdict"] for each in told["cases"]] == ["different", "equal"]
    assert [hazard["kind"] for hazard in told["hazards"]] == ["failed open", "failed open"]
    assert all("Refunded unasked." in hazard["how"] for hazard in told["hazards"])
    questions = told["cases"][1]["runs"]
    assert len(questions["native"]["questions"]) == len(questions["adapted"]["questions"]) == 2

    refusing = report(tmp_path, SHOP, cases)
    assert (refusing["summary"]["equal"], refusing["hazards"]) == (2, [])


def test_a_file_made_in_one_run_is_not_there_in_another(tmp_path: Path) -> None:
    once = SHOP.replace(
        "    answer =", '    assert not Path("refunds.txt").exists() or invoice\n    answer ='
    )
    seen = once.replace('return f"Refunded {invoice}."', 'return str(sorted(Path(".").rglob("*.txt")))')
    ended = verify(tmp_path, seen, [case("first", YES, WHY), case("second", YES, WHY)])
    assert ended.status == 0, ended.out
    assert not (tmp_path / "refunds.txt").exists()


def test_temporary_files_and_random_uuids_are_no_differences(tmp_path: Path) -> None:
    server = SHOP.replace(
        'Path("refunds.txt").write_text(f"{invoice}: {why.action}")',
        "import tempfile, uuid\n    with tempfile.NamedTemporaryFile() as file:\n        name = file.name",
    ).replace('return f"Refunded {invoice}."', 'return f"Refunded as {uuid.uuid4()}, see {name}."')
    told = report(tmp_path, server, [case("both answered", YES, WHY)])
    assert told["status"] == 0, told
    run = told["cases"][0]["runs"]["adapted"]
    assert run["text"] == "Refunded as {uuid 1}, see {temporary}/tmp*."
    assert {effect["what"] for effect in run["effects"]} == {"{temporary}", "{temporary}/tmp*"}


def test_a_log_is_compared_line_by_line_in_place_of_the_file(tmp_path: Path) -> None:
    server = SHOP.replace(
        "    answer =",
        '    with open("audit.log", "a") as log:\n        print("hold", invoice, file=log)\n    answer =',
    )
    told = report(tmp_path, server, [case("declined", NO)], "--log", "audit.log")
    assert told["cases"][0]["differences"]["adapted"] == [
        {"kind": "effect repeated", "what": "effect audit.log: hold 7", "native": "once", "other": "2 times"}
    ]


def test_one_call_can_be_verified_from_the_command_line(tmp_path: Path) -> None:
    file = written(tmp_path, SHOP)
    answers = written(tmp_path, '[{"action": "cancel"}]', "answers.json")
    ended = mrtr(
        "verify", f"{file}:mcp", "--tool", "refund", "--args", '{"invoice": 1}', "--answers", str(answers)
    )
    assert (ended.status, ended.out.splitlines()[0]) == (
        0,
        "equal          refund  (1 question, adapted in 2 rounds)",
    )
