"""No traceback for users: what goes wrong inside becomes one message that says what to do."""

from __future__ import annotations

import os
import sys
import traceback
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator


class CannotCheckError(click.ClickException):
    """The run could not be made; exit code 2."""

    exit_code = 2


@contextmanager
def guarded() -> Iterator[None]:
    """Turn an error that nobody expected into a `CannotCheckError`. A reader that leaves is none."""
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except (click.ClickException, BrokenPipeError):
        raise
    except KeyboardInterrupt:
        raise CannotCheckError("interrupted; nothing was reported") from None
    except OSError as error:
        _drop_output()
        raise CannotCheckError(f"the system refused: {error}") from error
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(frame.filename).name}:{frame.lineno}"
        raise CannotCheckError(
            f"mrtr itself failed, at {place}: {type(error).__name__}: {error}\n"
            "This is a bug: please report it. Until it is mended, --exclude the file that brings it about."
        ) from error


def _drop_output() -> None:
    """What could not be written is not to fail once more when Python ends."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (AttributeError, OSError, ValueError):
        return  # there is no such stream
