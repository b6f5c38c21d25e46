"""`mrtr demo`: a flow that survives the death of its server."""

from __future__ import annotations

import logging
import shutil
import signal
import sys
from importlib.util import find_spec
from pathlib import Path

import anyio
import click

from mrtr_adapter.demo import telling
from mrtr_adapter.demo.albums import Albums, scratch_folder
from mrtr_adapter.demo.instance import running
from mrtr_adapter.demo.promise import NotHeld
from mrtr_adapter.demo.story import ALBUM, OTHER_ALBUM, TOOL, Story
from mrtr_adapter.serving.refusal import told

SAMPLE = Path(telling.__file__).with_name("sample.py")
SAMPLE_FASTMCP = SAMPLE.with_name("sample_fastmcp.py")


@click.command()
@click.option("--fastmcp", is_flag=True, help="Show it with a server that was written for FastMCP.")
def demo(fastmcp: bool) -> None:
    """Show a flow that survives the death of its server.

    Serves a sample by two processes on this machine, calls a tool of it that asks twice and then deletes (files in
    a temporary folder), kills the first process between the questions, and finishes on the second. Needs no
    network. Exit status 0 if all of it held, else 1.
    """
    if fastmcp and find_spec("fastmcp") is None:
        raise click.UsageError("FastMCP is not installed here: pip install 'mrtr[fastmcp]'")
    sample = SAMPLE_FASTMCP if fastmcp else SAMPLE
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    logging.getLogger().addHandler(logging.NullHandler())  # the client's library would talk in between
    _introduce(sample)
    try:
        with scratch_folder() as folder:
            story = Story(Albums(folder / "albums", ALBUM, OTHER_ALBUM))
            server = Path(shutil.copy(sample, folder / "albums_server.py"))  # any file, as yours is
            with running(server, "A", "B", environment=story.environment) as (first, second):
                anyio.run(story.unfold, first, second)
    except NotHeld as broken:
        click.secho(f"\nThat did not hold: {broken}", fg="red", err=True)
        sys.exit(1)
    except Exception as error:
        click.secho(f"\nThe demo could not go on: {told(error)}", fg="red", err=True)
        sys.exit(1)
    _conclude()


def _introduce(sample: Path) -> None:
    telling.title("An old handler, two servers, and a kill between two questions")
    telling.prose(
        "This tool was written for protocol 2025-11-25. It stops twice to ask the user, then deletes:"
    )
    telling.code(sample, TOOL)
    telling.prose(
        "On protocol 2026-07-28 a server can't push a question to its client, so that handler has nobody to ask. "
        "Under mrtr, the call ends at an `await` that has no answer yet. The client gets the question and a "
        "requestState: what was answered so far, sealed, for the client to keep and not to read. It calls again "
        "with both, and mrtr runs the handler from the top with the answers that there are."
    )


def _conclude() -> None:
    telling.good(
        "All of it held: nothing was deleted before both answers were in, then exactly what was asked for."
    )
    telling.prose(
        "Your own server: `mrtr run SERVER.py --http 127.0.0.1:8000` serves it like this, as it is."
    )
