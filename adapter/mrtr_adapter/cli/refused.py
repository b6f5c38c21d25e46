"""How a command says what it can't do."""

from __future__ import annotations

from typing import IO, Any

import click


class Refused(click.ClickException):
    """Bad input: one line on stderr for each thing that is wrong, which says what to do, and exit status 2."""

    exit_code = 2

    def __init__(self, command: str, message: str) -> None:
        super().__init__("\n".join(f"mrtr {command}: {line}" for line in message.splitlines()))

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(self.message, file=file, err=file is None)
