"""`mrtr check`: how a live server conducts Multi Round-Trip Requests."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack

import anyio
import click
from httpx2 import HTTPError
from mcp.shared.exceptions import MCPError

from mrtr_adapter.check.answering import Action
from mrtr_adapter.check.connect import header, over_http, over_stdio
from mrtr_adapter.check.failure import CannotCheck, NoReply
from mrtr_adapter.check.model import Level, Report
from mrtr_adapter.check.run import Plan
from mrtr_adapter.check.run import check as check_server
from mrtr_adapter.check.tools import named
from mrtr_adapter.cli.refused import Refused
from mrtr_adapter.cli.timeout import timeout_option
from mrtr_adapter.serving.refusal import CannotServe, told
from mrtr_codemod.cli.reporting import CannotWrite, rendered, report_options, write_report

FAIL_ON = {"error": Level.ERROR, "warning": Level.WARNING, "info": Level.INFO, "never": None}


_OF_THE_WIRE = (OSError, HTTPError, MCPError, anyio.BrokenResourceError, anyio.ClosedResourceError)


@click.command()
@click.argument("server", nargs=-1, required=True, metavar="URL | -- COMMAND [ARGUMENT]…")
@click.option(
    "--tool", "tools", multiple=True, metavar="NAME", help="Call this tool, which asks. Repeatable."
)
@click.option(
    "--args",
    "arguments",
    multiple=True,
    metavar="JSON",
    help="The arguments of the --tool at the same place, as a JSON object. [default: none]",
)
@click.option(
    "--probe", is_flag=True, help="Call also each tool that is annotated read-only, with made-up arguments."
)
@click.option(
    "--answer",
    type=click.Choice([action.value for action in Action]),
    default=Action.DECLINE.value,
    show_default=True,
    help="What questions are answered with. Only with accept does a server do what it asks about.",
)
@click.option(
    "--header", "headers", multiple=True, metavar="'NAME: VALUE'", help="Send this to URL. Repeatable."
)
@click.option(
    "--other-header",
    "other_headers",
    multiple=True,
    metavar="'NAME: VALUE'",
    help="The same for a second user, whom the states of the first must not serve. Repeatable.",
)
@click.option(
    "--wait",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Wait this long with a state, and see that it has expired.",
)
@timeout_option(30.0, "How long a reply may take.")
@click.option(
    "--fail-on",
    type=click.Choice(list(FAIL_ON)),
    default="warning",
    show_default=True,
    help="The lowest level of a failed check that makes the exit code 1.",
)
@report_options()
def check(
    server: tuple[str, ...],
    tools: tuple[str, ...],
    arguments: tuple[str, ...],
    probe: bool,
    answer: str,
    headers: tuple[str, ...],
    other_headers: tuple[str, ...],
    wait: float | None,
    timeout: float,
    fail_on: str,
    style: str,
    output: str | None,
) -> None:
    """Check how a live server on 2026-07-28 conducts Multi Round-Trip Requests (SEP-2322).

    Nothing is called but what --tool names and --probe finds, each some forty times: with answers, without, and with
    states that were tampered with. A server that takes a forged state does what the state says, so check tools on data
    that may be lost.

    Exit code 0: nothing failed; 1: a check at or above --fail-on failed; 2: something could not be checked.
    """
    logging.getLogger().addHandler(logging.NullHandler())  # the client's library would talk in between
    try:
        plan = Plan(named(tools, arguments), probe, Action(answer), wait)
        report = _checked(server, headers, other_headers, timeout, plan)
        write_report(rendered("mrtr_adapter.check.report", style, report, output), output)
    except (CannotCheck, CannotServe, CannotWrite, NoReply) as lack:
        raise Refused("check", str(lack)) from None
    sys.exit(report.exit_code(FAIL_ON[fail_on]))


def _checked(
    server: Sequence[str], headers: Sequence[str], others: Sequence[str], seconds: float, plan: Plan
) -> Report:
    at_url = server[0].startswith(("http://", "https://"))
    if at_url and len(server) > 1:
        raise CannotCheck(f"{' '.join(server[1:])} after the URL is nothing that this command knows")
    if not at_url and (headers or others):
        raise CannotCheck("--header and --other-header are for a server at a URL")
    name = " ".join(server)

    async def run() -> Report:
        async with AsyncExitStack() as stack:
            if at_url:
                wire = await stack.enter_async_context(over_http(server[0], _headers(headers), seconds))
            else:
                wire = await stack.enter_async_context(over_stdio(server, seconds))
            other = None
            if others:
                other = await stack.enter_async_context(over_http(server[0], _headers(others), seconds))
            return await check_server(name, wire, plan, other)

    try:
        return anyio.run(run)
    except Exception as error:
        raise _lack(error, name) from None


def _headers(lines: Sequence[str]) -> dict[str, str]:
    return dict(map(header, lines))


def _lack(error: BaseException, name: str) -> Exception:
    """Why it ended: a transport that fails wraps what it fails of, and what we raise meanwhile, in groups."""
    while inner := getattr(error, "exceptions", None):
        error = inner[0]
    if isinstance(error, CannotCheck | NoReply):
        return error
    if isinstance(error, _OF_THE_WIRE):
        return CannotCheck(
            f"{name} can't be reached: {told(error)}. See that it runs, and that this is its address"
        )
    assert isinstance(error, Exception)
    return error
