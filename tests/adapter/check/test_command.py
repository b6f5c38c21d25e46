"""`mrtr check` as its users meet it: what it calls, what it says and how it ends."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result

from adapter.check.faulty import Clock, application
from adapter.check.serving import served
from adapter.cli.commands import mrtr as mrtr_process
from mrtr_adapter.cli import mrtr

SARIF = Path(__file__).parents[2] / "codemod" / "report" / "sarif-2.1.0-rtm.5.schema.json"
SELL = ("--tool", "sell", "--args", '{"thing": "ship"}')


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with served(application(Clock())) as root:
        yield root


def run(*arguments: str) -> Result:
    return CliRunner().invoke(mrtr, ["check", *arguments])


def whole(result: Result) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = json.loads(result.stdout)
    return found


def test_a_sound_server_ends_with_0_and_says_what_was_not_checked(url: str) -> None:
    shown = run(f"{url}/none/mcp", *SELL)
    assert shown.exit_code == 0, shown.output
    assert "state-expires sell (say how long a state lasts (--wait SECONDS))" in shown.stdout
    assert "0 failed" in shown.stdout


def test_a_fault_ends_with_1_and_is_told_with_what_was_sent_what_came_the_section_and_what_to_do(
    url: str,
) -> None:
    shown = run(f"{url}/state-bound-to-arguments/mcp", *SELL)
    assert shown.exit_code == 1
    head, sent, came, spec, do = shown.stdout.splitlines()[:5]
    assert head.endswith(
        "mcp sell: state-bound-to-arguments warning: not so: A state is refused on a call with other arguments"
    )
    assert '"thing": "shipx"' in sent
    assert "characters)" in sent  # of the state, which is not shown
    assert "sell: done" in came
    assert "2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow" in spec
    assert "Put a digest of the arguments under the seal" in do


def test_fail_on_decides_which_level_is_too_bad(url: str) -> None:
    server = f"{url}/state-bound-to-arguments/mcp"
    assert run(server, *SELL, "--fail-on", "error").exit_code == 0
    assert run(f"{url}/result-type/mcp", *SELL, "--fail-on", "error").exit_code == 1
    assert run(f"{url}/result-type/mcp", *SELL, "--fail-on", "never").exit_code == 0


def test_nothing_is_called_uninvited(url: str) -> None:
    shown = run(f"{url}/none/mcp", "--format", "json")
    report = whole(shown)
    assert report["tools"] == report["silent"] == []
    called = {
        check["sent"].split('"name": ')[1].split(",")[0]
        for check in report["checks"]
        if '"name"' in (check["sent"] or "")
    }
    assert called == {'"mrtr-check-no-such-tool"'}
    assert "no tool was called" in report["notes"][0]


def test_probe_calls_read_only_tools_with_made_up_arguments_and_no_others(url: str) -> None:
    report = whole(run(f"{url}/none/mcp", "--probe", "--format", "json"))
    assert report["silent"] == ["peek"]
    assert report["tools"] == []


@pytest.mark.parametrize("style", ["text", "json", "sarif", "github", "markdown", "html"])
def test_every_format_tells_of_the_failure(url: str, style: str, tmp_path: Path) -> None:
    out = tmp_path / "report"
    shown = run(f"{url}/unknown-method/mcp", "--format", style, "--output", str(out))
    assert shown.exit_code == 1
    assert shown.output == ""
    text = out.read_text("utf-8")
    assert "unknown-method" in text
    assert "Answer a method that you do not have with -32601." in text


def test_sarif_keeps_to_its_schema_and_has_every_check(url: str) -> None:
    log = json.loads(run(f"{url}/state-is-small/mcp", *SELL, "--format", "sarif").stdout)
    jsonschema.Draft4Validator(json.loads(SARIF.read_text("utf-8"))).validate(log)
    results = log["runs"][0]["results"]
    assert {result["kind"] for result in results} == {"pass", "fail", "notApplicable"}
    assert [result["ruleId"] for result in results if result["kind"] == "fail"] == ["state-is-small"]


@pytest.mark.parametrize("style", ["text", "github", "markdown", "html"])
def test_what_is_shown_can_not_steer_a_terminal_or_be_markup(url: str, style: str) -> None:
    thing = json.dumps({"thing": "<b>\u202eship"})
    shown = run(f"{url}/state-bound-to-arguments/mcp", "--format", style, "--tool", "sell", "--args", thing)
    assert "shipx" in shown.stdout
    assert "\u202e" not in shown.stdout
    if style == "html":
        assert "&lt;b&gt;" in shown.stdout
        assert "<b>" not in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("http://127.0.0.1:9/mcp",), "can't be reached"),
        (("ftp://example.com",), "there is no command ftp://example.com"),
        (("URL/none/mcp", "--tool", "sail"), "the server lists no tool sail; it has buy, peek, sell, visit"),
        (("URL/none/mcp", "--tool", "sell", "--args", "{"), "write them as in --args '{"),
        (("URL/none/mcp", "--tool", "sell", "--args", "[]"), "is no JSON object"),
        (("URL/none/mcp", "--args", "{}"), "belongs to the --tool at the same place"),
        (("URL/none/mcp", "--header", "nonsense"), "is no header"),
        (("URL/none/mcp", "rest"), "nothing that this command knows"),
        (("no-such-command-anywhere",), "give its path, or install it"),
        (("URL/nowhere",), "is this an MCP server on 2026-07-28"),
    ],
)
def test_what_can_not_be_checked_ends_with_2_and_one_line(
    url: str, arguments: tuple[str, ...], told: str
) -> None:
    shown = run(*(argument.replace("URL", url) for argument in arguments))
    assert shown.exit_code == 2
    assert told in shown.output
    assert len(shown.output.splitlines()) == 1


def test_a_command_that_is_no_server_is_told_in_one_line() -> None:
    ended = mrtr_process("check", "--", sys.executable, "-c", "pass")
    assert (ended.status, ended.out) == (2, "")
    assert "has closed the connection at server/discover" in ended.line
