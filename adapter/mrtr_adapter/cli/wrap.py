"""`mrtr wrap`: any old server, unmodified, on 2026-07-28."""

from __future__ import annotations

import os
from pathlib import Path

import click

from mrtr_adapter.cli.refused import Refused
from mrtr_adapter.cli.timeout import timeout_option
from mrtr_adapter.cli.wrap_serving import over_http, over_stdio
from mrtr_adapter.gateway.child import Command
from mrtr_adapter.gateway.config import read_config
from mrtr_adapter.gateway.holds import HoldLimits
from mrtr_adapter.gateway.logs import FORMATS, JSON, TEXT, log_as
from mrtr_adapter.gateway.settings import Settings, with_logged_stderr
from mrtr_adapter.gateway.wanted import behind, bounds, environment, policy, tokens
from mrtr_adapter.sealing.keys import ENVIRONMENT
from mrtr_adapter.serving.address import Address
from mrtr_adapter.serving.http import GRACE_SECONDS
from mrtr_adapter.serving.refusal import CannotServe, told
from mrtr_adapter.serving.ring import keys_of_environment, keys_of_file

_PATH = "/mcp"


@click.command(context_settings={"ignore_unknown_options": False})
@click.argument("command", nargs=-1, metavar="-- COMMAND [ARGUMENT]…")
@click.option("--url", metavar="URL", help="The old server is there, over Streamable HTTP.")
@click.option(
    "--header", "headers", multiple=True, metavar="'NAME: VALUE'", help="Send this to --url. Repeatable."
)
@click.option(
    "--http", "address", metavar="HOST:PORT", help=f"Serve over HTTP, at {_PATH}; without it over stdio."
)
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Serve the servers of a TOML file, each at /NAME/mcp (with --http).",
)
@click.option(
    "--hold",
    type=click.FloatRange(min=0),
    default=300.0,
    show_default=True,
    metavar="SECONDS",
    help="Keep a call that asks alive this long, so that the answer continues it; 0 keeps none.",
)
@click.option(
    "--replay",
    multiple=True,
    metavar="all|safe|none|TOOL,…",
    help="Calls that may be run again when they can't be continued. A name that the old server does not list is "
    "refused at the start, or logged if its list may change. [default: safe, annotated read-only or idempotent]",
)
@timeout_option(300.0, "How long a call may run until it ends or asks.")
@click.option(
    "--grace",
    type=click.IntRange(min=0),
    default=GRACE_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="How long calls may still run after SIGTERM (with --http).",
)
@click.option(
    "--sessions",
    type=click.IntRange(min=1),
    default=64,
    show_default=True,
    metavar="N",
    help="At most N sessions (processes) of the old server; where users are told apart, N/4 for each.",
)
@click.option(
    "--env", "variables", multiple=True, metavar="NAME[=VALUE]", help="Let the command see this variable."
)
@click.option(
    "--trust-header",
    metavar="NAME",
    help="Take the user from this header, which a proxy in front sets and strips from what clients send (with --http).",
)
@click.option(
    "--jwks",
    metavar="FILE|URL",
    help="Take the user from the JWT access token of a request, verified by these keys (with --http).",
)
@click.option("--issuer", metavar="URL", help="Who makes the tokens: their `iss`.")
@click.option("--audience", metavar="URL|NAME", help="Whom they are made for, this gateway: their `aud`.")
@click.option("--scope", "scopes", multiple=True, metavar="NAME", help="What they must grant. Repeatable.")
@click.option(
    "--store", metavar="URL", help="Share redeemed states in sqlite:///FILE or redis://HOST:PORT/DB."
)
@click.option(
    "--log-format",
    type=click.Choice(FORMATS),
    default=TEXT,
    show_default=True,
    help="How the log on stderr is written; as json, with what the old server prints there.",
)
@click.option(
    "--keys-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=f"Read the sealing keys from FILE instead of {ENVIRONMENT}; the first one seals, each of them opens.",
)
def wrap(
    command: tuple[str, ...],
    url: str | None,
    headers: tuple[str, ...],
    address: str | None,
    config: Path | None,
    hold: float,
    replay: tuple[str, ...],
    timeout: float,
    grace: int,
    sessions: int,
    variables: tuple[str, ...],
    trust_header: str | None,
    jwks: str | None,
    issuer: str | None,
    audience: str | None,
    scopes: tuple[str, ...],
    store: str | None,
    log_format: str,
    keys_file: Path | None,
) -> None:
    """Serve an old MCP server to clients on 2026-07-28, and to older ones as before.

    The server is started by COMMAND or reached at --url, and stays as it is: what it asks during a call becomes a
    round. A call that waits for an answer is kept alive here (--hold); when it is gone it is run again on a fresh
    session if that is allowed (--replay), and otherwise ends with an error that says so.

    Several gateways with the same key in MRTR_KEYS take one another's calls, as far as --replay allows.
    """
    try:
        if config is not None and (command or url or headers or variables):
            raise CannotServe("--config names the servers: leave out the command, --url, --header and --env")
        access = tokens(jwks, issuer, audience, scopes)
        if address is None and (config is not None or trust_header is not None or access is not None):
            raise CannotServe(
                "--config, --trust-header and --jwks are for HTTP: give --http HOST:PORT as well"
            )
        if trust_header is not None and access is not None:
            raise CannotServe("--trust-header and --jwks both say who asks: give one of them")
        pool, held = bounds(sessions, apart=bool(trust_header or access))
        settings = Settings(
            Command(())
            if config
            else behind(command, url, headers, environment(variables, os.environ), None),
            pool=pool,
            hold=HoldLimits(seconds=hold, calls=held),
            replay=policy(replay),
            call_seconds=timeout,
            trust_header=trust_header,
            tokens=access,
            keys=keys_of_file(keys_file) if keys_file else keys_of_environment(),
            store=store,
        )
        servers = {_PATH: settings} if config is None else read_config(config, settings)
        log_as(log_format)
        if log_format == JSON:
            servers = {path: with_logged_stderr(one) for path, one in servers.items()}
        if address is None:
            over_stdio(servers[_PATH])
        else:
            over_http(servers, Address.parse(address), grace)
    except CannotServe as error:
        raise Refused("wrap", str(error)) from None
    except Exception as error:
        raise Refused("wrap", f"the gateway has failed: {told(error)}") from None
