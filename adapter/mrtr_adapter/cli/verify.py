"""`mrtr verify`: does a server do on 2026-07-28 what it has always done?"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import extract_tb

import click

from mrtr_adapter.cli.refused import Refused
from mrtr_adapter.cli.timeout import timeout_option
from mrtr_adapter.serving.refusal import CannotServe, told
from mrtr_adapter.serving.target import Target
from mrtr_adapter.verify.catalog import read_catalog
from mrtr_adapter.verify.choice import Chosen
from mrtr_adapter.verify.hiding import patterns
from mrtr_adapter.verify.report.outcome import Outcome
from mrtr_adapter.verify.scratch import Source
from mrtr_adapter.verify.stage import Setting
from mrtr_adapter.verify.verification import Session, Subject
from mrtr_codemod.cli.reporting import CannotWrite, rendered, report_options, write_report


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
    "--explore",
    is_flag=True,
    help="Find cases by itself, from the schemas of the server; with --tool only those of that tool.",
)
@click.option(
    "--max-cases",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    metavar="N",
    help="Compare at most N cases (with --explore).",
)
@click.option(
    "--record",
    type=click.Path(path_type=Path),
    metavar="CASES",
    help="Answer the questions yourself, and write that down as cases; with --explore, write what was found.",
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
@timeout_option(30.0, "How long the server may take for one round.")
@report_options(("text", "json", "junit"))
def verify(
    target: str,
    tool: str | None,
    arguments: str,
    answers: Path | None,
    case_file: Path | None,
    explore: bool,
    max_cases: int,
    record: Path | None,
    rewritten: str | None,
    logs: tuple[Path, ...],
    volatile: tuple[str, ...],
    allow_repeat: bool,
    timeout: float,
    style: str,
    output: str | None,
) -> None:
    """Run a server natively on 2025-11-25 and adapted on 2026-07-28, and compare.

    Natively a call runs in one process, which pushes its questions. On 2026-07-28 every round runs in a fresh
    process. Result, questions and observed effects must be the same. Each run works in a copy of the server's folder.

    A case that differs in more than repeated effects runs natively once more: one whose native runs differ from each
    other in the same way is unsteady.

    Exit status: 0 if all is equal, 1 if anything differs, 2 if anything is unsteady or could not run.
    """
    with _refusing():
        original = Target.parse(target)
        changed = Target.parse(rewritten) if rewritten is not None else None
        setting = Setting(timeout, patterns(volatile), logs, trace=explore)
        chosen = Chosen(tool, arguments, answers, case_file, explore, max_cases, record)
        chosen.check()
        found = chosen.findings(_session(original, changed, setting, allow_repeat))
        outcome = Outcome(str(original.path), str(changed.path) if changed is not None else None, *found)
        write_report(rendered("mrtr_adapter.verify.report", style, outcome, output), output)
        sys.exit(outcome.status)


def _session(original: Target, changed: Target | None, setting: Setting, allow_repeat: bool) -> Session:
    """The rewritten file is imported as well: what is wrong with it is to be told at once."""
    source = Source.of(original)
    rewritten = Source.of(changed, source) if changed is not None else None
    if rewritten is not None:
        read_catalog(rewritten, setting)
    return Session(Subject(source, rewritten), read_catalog(source, setting), setting, allow_repeat)


@contextmanager
def _refusing() -> Iterator[None]:
    """Whatever goes wrong becomes one line."""
    try:
        yield
    except CannotServe as error:
        raise Refused("verify", str(error).replace("mrtr run ", "mrtr verify ")) from None
    except CannotWrite as error:
        raise Refused("verify", str(error)) from None
    except (KeyboardInterrupt, click.Abort):
        click.echo(err=True)  # what was typed stands in an open line
        raise Refused(
            "verify", "interrupted; nothing is reported, and what was recorded so far is kept"
        ) from None
    except OSError as error:
        raise Refused("verify", f"the system refused: {told(error)}") from None
    except click.ClickException:
        raise
    except Exception as error:
        place = extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        raise Refused(
            "verify", f"mrtr itself failed, at {where}: {told(error)}. This is a bug: please report it"
        ) from error
