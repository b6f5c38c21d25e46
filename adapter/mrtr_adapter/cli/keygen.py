"""`mrtr keygen`: a key for the ring."""

from __future__ import annotations

import click

from mrtr_adapter.sealing.keys import new_key


@click.command()
def keygen() -> None:
    """Print a new key for sealing requestState.

    Give the same key to all instances of a server, in MRTR_KEYS or in a file for --keys-file. To change it, put
    the new one behind the old one everywhere, then in front of it, then leave the old one out.
    """
    click.echo(new_key())
