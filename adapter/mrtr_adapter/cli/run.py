"""`mrtr run`: an old server, as it is, on 2026-07-28."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import anyio
import click

from mrtr_adapter.cli.refused import Refused
from mrtr_adapter.sealing.keys import ENVIRONMENT
from mrtr_adapter.serving.address import Address
from mrtr_adapter.serving.http import application, serve_http
from mrtr_adapter.serving.job import Job
from mrtr_adapter.serving.refusal import CannotServe, told
from mrtr_adapter.serving.ring import keys_of_environment, keys_of_file
from mrtr_adapter.serving.single_use import check_store, parse_single_use
from mrtr_adapter.serving.stdio import person_at_stdin, serve_stdio
from mrtr_adapter.serving.target import Target
from mrtr_adapter.serving.workers import serve_by_workers


@click.command()
@click.argument("target", metavar="FILE.py[:OBJECT]")
@click.option("--http", "address", metavar="HOST:PORT", help="Serve over HTTP, at the path /mcp.")
@click.option("--stdio", is_flag=True, help="Serve over stdin and stdout. This is the default.")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Serve by N processes on one port (with --http). They need a key in common.",
)
@click.option(
    "--keys-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=f"Read the sealing keys from FILE instead of {ENVIRONMENT}; the first one seals, each of them opens.",
)
@click.option(
    "--store",
    metavar="URL",
    help="Keep what is to happen once in memory:, sqlite:///FILE or redis://HOST:PORT/DB.",
)
@click.option(
    "--single-use",
    "single_use",
    multiple=True,
    metavar="all|destructive|none|TOOL,…",
    help="Let each requestState of these tools be redeemed once only. A name that nothing has is refused, "
    "or logged if that shows only once tools are listed. [default: destructive, as annotated]",
)
def run(
    target: str,
    address: str | None,
    stdio: bool,
    workers: int,
    keys_file: Path | None,
    store: str | None,
    single_use: tuple[str, ...],
) -> None:
    """Import a server from a Python file, adapt it and serve it.

    The file stays as it is. OBJECT names the server in it, or a function that returns one; without it the file's
    only MCPServer, low-level Server or FastMCP is taken. What stands under `if __name__ == "__main__"` is not run.

    Clients on 2026-07-28 may reach any worker or instance that has the same key in MRTR_KEYS, in every round.
    Clients on older protocols are served at the same endpoint. Their sessions live in the process that they began
    in, so they need one worker, or one port for each instance and a balancer that keeps a session where it is.
    """
    try:
        check_store(store, workers)
        job = Job(Target.parse(target), None, store, parse_single_use(single_use))
        _serve(job, address, stdio, workers, keys_file)
    except CannotServe as error:
        raise Refused("run", str(error)) from None


def _serve(job: Job, address: str | None, stdio: bool, workers: int, keys_file: Path | None) -> None:
    if address is None and workers > 1:
        raise CannotServe("--workers is for HTTP: give --http HOST:PORT as well")
    if address is not None and stdio:
        raise CannotServe("--http and --stdio exclude each other: give one of them")
    where = Address.parse(address) if address is not None else None
    ring = keys_of_file(keys_file) if keys_file is not None else None
    common = ring or keys_of_environment()
    if workers > 1 and common is None:
        raise CannotServe(
            f"{workers} workers need a key in common: make one with `mrtr keygen` and give it in {ENVIRONMENT} "
            "or --keys-file"
        )
    job = replace(job, keys=ring)
    if where is None:
        _over_stdio(job)
    else:
        _over_http(job, where, workers)


def _over_stdio(job: Job) -> None:
    server = job.adapted()
    if person_at_stdin():
        click.echo(
            f"mrtr run: {server.name} speaks MCP on stdin and stdout, for a client that starts it; "
            "for HTTP give --http 127.0.0.1:8000",
            err=True,
        )
    try:
        anyio.run(serve_stdio, server)
    except Exception as error:
        raise CannotServe(f"{server.name} has failed: {told(error)}") from None


def _over_http(job: Job, address: Address, workers: int) -> None:
    server = job.adapted()  # by the parent as well, which can say what is wrong before there are workers
    address, sockets = address.listen()
    where = f"mrtr run: {server.name} is at {address.url}"
    if workers > 1:
        click.echo(
            f"{where}, by {workers} workers; a session of an older protocol needs one (see --help)", err=True
        )
        serve_by_workers(job, address.host, sockets, workers)
    else:
        serve_http(application(server, address.host), sockets, lambda: click.echo(where, err=True))
