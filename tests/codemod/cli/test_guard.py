"""What goes wrong inside reaches users as one message."""

from __future__ import annotations

import click
import pytest

from mrtr_codemod.cli.guard import CannotCheckError, guarded


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            RuntimeError("boom"),
            r"mrtr itself failed, at test_guard\.py:\d+: RuntimeError: boom\nThis is a bug: please report",
        ),
        (RecursionError(), "RecursionError"),
        (PermissionError(13, "Permission denied", "x"), "the system refused: .*Permission denied: 'x'"),
        (KeyboardInterrupt(), "interrupted; nothing was reported"),
    ],
)
def test_an_unexpected_error_becomes_exit_code_2(error: BaseException, message: str) -> None:
    with pytest.raises(CannotCheckError, match=message) as caught, guarded():
        raise error
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("error", [click.UsageError("x"), CannotCheckError("x"), BrokenPipeError()])
def test_what_click_knows_passes(error: Exception) -> None:
    with pytest.raises(type(error)) as caught, guarded():
        raise error
    assert caught.value is error
