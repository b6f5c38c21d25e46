"""`mrtr verify`: does a server do on 2026-07-28 what it has always done?"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from mrtr_adapter.cli.refused import Refused
from mrtr_adapter.serving.refusal import CannotServe, told
from mrtr_adapter.serving.target import Target
from mrtr_adapter.verify.cases import Case, one_case, read_cases
from mrtr_adapter.verify.catalog import Catalog, read_catalog
from mrtr_adapter.verify.driving import Setting
from mrtr_adapter.verify.hiding import Hiding
from mrtr_adapter.verify.refusal import CannotVerify
from mrtr_adapter.verify.report import json_report, junit, text
from mrtr_adapter.verify.report.outcome import Outcome
from mrtr_adapter.verify.scratch import Source
from mrtr_adapter.verify.verification import Subject, verify_all


@click.command()
@click.argument("target", metavar="FILE.py[:OBJECT]")
@click.option("--tool", metavar="NAME", help="Verify one call of this tool.")
@click.option("--args", "arguments", default="{}", metavar="JSON", help="Its arguments (with --tool).")
@click.option(
    "--answers",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A JSON list of what is answered to its questions (with --tool).",
)
@click.option(
    "--cases",
    "case_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Verify the cases of a JSON file.",
)
@click.option(
    "--rewritten",
    metavar="FILE.py[:OBJECT]",
    help="Verify the rewritten server as well, in the place of the original.",
)
@click.option(
    "--log",
    "logs",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Compare the lines that are added to this log as well; a relative path is in the server's folder. Repeatable.",
)
@click.option(
    "--volatile",
    multiple=True,
    metavar="REGEX",
    help="Leave text like this out of the comparison, as the time or an id. Repeatable.",
)
@click.option(
    "--allow-repeat", is_flag=True, help="Accept that effects above a question happen in every round."
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="How long the server may take for one round.",
)
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json", "junit"]),
    default="text",
    show_default=True,
    help="Of the report.",
)
def verify(
    target: str,
    tool: str | None,
    arguments: str,
    answers: Path | None,
    case_file: Path | None,
    rewritten: str | None,
    logs: tuple[Path, ...],
    volatile: tuple[str, ...],
    allow_repeat: bool,
    timeout: float,
    style: str,
) -> None:
    """Run a server natively on 2025-11-25 and adapted on 2026-07-28, and compare.

    Natively a call runs in one process, which pushes its questions. On 2026-07-28 every round runs in a fresh
    process. Result, questions and observed effects must be the same. Each run works in a copy of the server's folder.

    Exit status: 0 if all is equal, 1 if anything differs, 2 if anything could not run.
    """
    with _refusing():
        cases = _chosen(tool, arguments, answers, case_file)
        original = Target.parse(target)
        changed = Target.parse(rewritten) if rewritten is not None else None
        setting = Setting(timeout, Hiding(volatile), logs)
        subject = _subject(original, changed)
        catalog = _catalogs(subject, setting)
        findings = verify_all(
            subject, catalog, cases, setting, allow_repeat=allow_repeat, progress=_with_progress
        )
        outcome = Outcome(str(original.path), str(changed.path) if changed is not None else None, findings)
        click.echo(_rendered(outcome, style), nl=False)
        sys.exit(outcome.status)


def _chosen(tool: str | None, arguments: str, answers: Path | None, case_file: Path | None) -> Sequence[Case]:
    if (tool is None) == (case_file is None):
        raise CannotVerify(
            "say what to verify: either --tool NAME, with --args and --answers, or --cases FILE"
        )
    if case_file is not None:
        return read_cases(case_file)
    assert tool is not None
    return [one_case(tool, arguments, answers)]


def _subject(original: Target, changed: Target | None) -> Subject:
    source = Source.of(original)
    return Subject(source, Source.of(changed, source) if changed is not None else None)


def _catalogs(subject: Subject, setting: Setting) -> Catalog:
    """That of the original. The rewritten file is imported as well: what is wrong with it is to be told at once."""
    if subject.rewritten is not None:
        read_catalog(subject.rewritten, setting)
    return read_catalog(subject.original, setting)


def _with_progress(cases: Sequence[Case]) -> Iterator[Case]:
    if not sys.stderr.isatty():
        yield from cases
        return
    with click.progressbar(cases, label="Verifying", file=sys.stderr, show_pos=True) as shown:
        yield from shown


def _rendered(outcome: Outcome, style: str) -> str:
    if style == "json":
        return json_report.render(outcome)
    return junit.render(outcome) if style == "junit" else text.render(outcome, color=sys.stdout.isatty())


@contextmanager
def _refusing() -> Iterator[None]:
    """Whatever goes wrong becomes one line."""
    try:
        yield
    except CannotServe as error:
        raise Refused("verify", str(error).replace("mrtr run ", "mrtr verify ")) from None
    except KeyboardInterrupt:
        raise Refused("verify", "interrupted; nothing was reported") from None
    except (OSError, EOFError) as error:
        raise Refused("verify", f"the system refused: {told(error)}") from None
