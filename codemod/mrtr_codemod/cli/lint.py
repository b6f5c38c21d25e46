"""`mrtr lint`: where a repo stands, what is dangerous, which way to take for each handler."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from mrtr_codemod.cli.guard import CannotCheckError, guarded
from mrtr_codemod.cli.reporting import CannotWrite, rendered, report_options, wants_color, write_report
from mrtr_codemod.cli.settings import Overrides, settle
from mrtr_codemod.config import FAIL_ON, ConfigError
from mrtr_codemod.pauses import few_pauses
from mrtr_codemod.selection import PerFileIgnore, UnknownSelectorError

if TYPE_CHECKING:
    from mrtr_codemod.cli.pipeline import Run
    from mrtr_codemod.cli.settings import Settings
    from mrtr_codemod.report.outcome import Outcome


def _split(codes: str) -> tuple[str, ...]:
    return tuple(code.strip() for code in codes.split(",") if code.strip())


def _codes(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(code for value in values for code in _split(value))


def _per_file_ignores(
    _: click.Context, __: click.Parameter, values: tuple[str, ...]
) -> tuple[PerFileIgnore, ...]:
    return tuple(map(_per_file_ignore, values))


def _per_file_ignore(value: str) -> PerFileIgnore:
    pattern, _, codes = value.rpartition(":")
    if not pattern or not codes:
        raise click.BadParameter(f"{value!r} is not PATTERN:RULES, as in 'tests/**:MRTR3'")
    return PerFileIgnore(pattern, _split(codes))


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(allow_dash=True))
@click.option(
    "--select",
    multiple=True,
    metavar="RULES",
    callback=_codes,
    help="Only these rules (codes or their beginnings, ALL).",
)
@click.option("--ignore", multiple=True, metavar="RULES", callback=_codes, help="Without these rules.")
@click.option(
    "--per-file-ignores",
    multiple=True,
    metavar="PATTERN:RULES",
    callback=_per_file_ignores,
    help="Without rules in the files of a pattern.",
)
@click.option(
    "--exclude", multiple=True, metavar="PATTERN", help="Leave out what matches, in the syntax of .gitignore."
)
@click.option(
    "--fail-on",
    type=click.Choice(FAIL_ON),
    help="The lowest level that makes the exit code 1. [default: warning]",
)
@click.option("--baseline", metavar="FILE", help="Accept the findings that FILE lists.")
@click.option("--write-baseline", metavar="FILE", help="Accept all findings there are now, in FILE.")
@click.option(
    "--exact",
    is_flag=True,
    help="Let each verdict say what `mrtr rewrite` makes of the handler, not what it is expected to make of it. Takes "
    "some tenths of a second more for each file that asks.",
)
@report_options()
@click.option(
    "--statistics", is_flag=True, help="Count the findings of each rule instead of showing them (text only)."
)
@click.option(
    "--stdin-filename", default="stdin.py", metavar="NAME", help="What to call the source on standard input."
)
def lint(
    paths: tuple[str, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    per_file_ignores: tuple[PerFileIgnore, ...],
    exclude: tuple[str, ...],
    fail_on: str | None,
    baseline: str | None,
    write_baseline: str | None,
    exact: bool,
    style: str,
    output: str | None,
    statistics: bool,
    stdin_filename: str,
) -> None:
    """Find what protocol 2026-07-28 breaks in PATHS (default: the working directory; - is standard input).

    The code is read, never imported or run. Exit code 0: clean; 1: findings at or above --fail-on; 2: something
    could not be checked.
    """
    if statistics and style != "text":
        raise click.UsageError(
            f"--statistics is for --format text; {style} has the counts of each rule already."
        )
    overrides = Overrides(select, ignore, per_file_ignores, exclude, fail_on, baseline)
    with guarded(), few_pauses(to_the_end=True):
        settings, done = _run(paths or (".",), overrides, stdin_filename, write_baseline, exact=exact)
        _report(done.outcome, style, output, statistics=statistics)
    if done.note:
        click.echo(done.note, err=True)
    sys.exit(done.outcome.exit_code(settings.fail_on))


def _run(
    paths: tuple[str, ...], overrides: Overrides, stdin_name: str, accept_in: str | None, *, exact: bool
) -> tuple[Settings, Run]:
    # Imported here, so that --help and usage errors need not wait for it.
    from mrtr_codemod.baseline import BaselineError
    from mrtr_codemod.cli.pipeline import run

    try:
        settings = settle(overrides, [path for path in paths if path != "-"])
        return settings, run(paths, settings, stdin_name=stdin_name, accept_in=accept_in, exact=exact)
    except (BaselineError, ConfigError, UnknownSelectorError) as error:
        raise CannotCheckError(str(error)) from None


def _report(outcome: Outcome, style: str, output: str | None, *, statistics: bool) -> None:
    try:
        if statistics:
            from mrtr_codemod.report.text import render_statistics

            report = render_statistics(outcome, color=wants_color(output))
        else:
            report = rendered("mrtr_codemod.report", style, outcome, output)
        write_report(report, output)
    except CannotWrite as error:
        raise CannotCheckError(str(error)) from None
