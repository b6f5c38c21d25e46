"""`mrtr rewrite`: handlers that ask in mid-call become explicit steps."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mrtr_codemod.cli.guard import guarded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mrtr_codemod.rewrite.file import FileResult, Options
    from mrtr_codemod.rewrite.followed import Followed
    from mrtr_codemod.rewrite.verdicts import HandlerVerdict, Wanted


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True))
@click.option("--write", is_flag=True, help="Change the files. Without it, a diff is printed.")
@click.option("--check", is_flag=True, help="Print nothing but a summary; exit 1 if something would change.")
@click.option(
    "--unsafe", is_flag=True, help="Include REVIEW: state, lifted helpers, changed `except` and `finally`."
)
@click.option(
    "--interactive", is_flag=True, help="Show the change of each handler and ask; writes what is agreed to."
)
@click.option(
    "--only", multiple=True, metavar="HANDLER", help="Only this handler (a function, or Class.method)."
)
@click.option(
    "--report",
    type=click.Choice(("json", "markdown")),
    help="Print the verdict of each handler instead of a diff.",
)
@click.option(
    "--style",
    type=click.Choice(("steps", "resolve")),
    default="steps",
    help="The form to write; resolve only where a question needs nothing but the arguments.",
)
@click.option(
    "--sdk-only", is_flag=True, help="Only move to mcp 2 and FastMCP 4; handlers that ask stay as they are."
)
@click.option("--force", is_flag=True, help="Also write files that git has uncommitted changes of.")
def rewrite(
    paths: tuple[str, ...],
    write: bool,
    check: bool,
    unsafe: bool,
    interactive: bool,
    only: tuple[str, ...],
    report: str | None,
    style: str,
    sdk_only: bool,
    force: bool,
) -> None:
    """Rewrite handlers that ask the client in mid-call into explicit steps (MCP 2026-07-28).

    A dry run unless --write is given: prints a diff that `git apply` takes. A handler that can't be split soundly stays
    as it is, under one comment that says why; run it under the adapter (`mrtr run`).

    Exit code: 0; 1 with --check if something would change; 2 if a file could not be handled.
    """
    from mrtr_codemod.rewrite.file import Options, together
    from mrtr_codemod.rewrite.rewritten import Style
    from mrtr_codemod.rewrite.verdicts import Level

    def chosen(verdict: HandlerVerdict) -> bool:
        return not only or verdict.name in only

    def wanted(verdict: HandlerVerdict) -> bool:
        return chosen(verdict) and (unsafe or verdict.level is Level.SAFE or interactive)

    with guarded():
        files = _files(paths)
        followed = None if sdk_only else _followed(files)
        options = Options(wanted, chosen, Style(style), sdk_only, followed)
        groups = [[path] for path in files] if followed is None else together(files, followed)
        results = list(_results(groups, options, ask_each=interactive))
        _refuse_unknown(only, results)
        if write or interactive:
            _write(results, force=force)
        _show(results, report=report, quiet=check or write or interactive)
    if any(result.problem for result in results):
        sys.exit(2)
    if check and any(result.changes for result in results):
        sys.exit(1)


def _files(paths: Iterable[str]) -> list[Path]:
    from mrtr_codemod.discover.patterns import PathPatterns
    from mrtr_codemod.discover.walk import find_files

    found = find_files(list(paths), PathPatterns(str(Path.cwd())), str(Path.cwd()))
    return [Path(c.location) for c in found.files if c.location.endswith((".py", ".pyw"))]


def _followed(files: list[Path]) -> Followed:
    """What the lint's analysis says of the files together: it follows calls from one to another."""
    from mrtr_codemod.discover.decode import UndecodableError, decode
    from mrtr_codemod.rewrite.followed import Followed
    from mrtr_codemod.source import SourceFile

    sources = {}
    for path in files:
        with suppress(UndecodableError, OSError):
            sources[path] = SourceFile(path.as_posix(), decode(path.read_bytes()))
    return Followed.of_sources(sources.values())


def _results(groups: list[list[Path]], options: Options, *, ask_each: bool) -> Iterable[FileResult]:
    from mrtr_codemod.cli.progress import Progress
    from mrtr_codemod.rewrite.file import rewrite_files

    with Progress("rewriting") as progress:
        for number, paths in enumerate(groups):
            progress(number, len(groups))
            results = rewrite_files(paths, options)
            yield from _agreed(paths, results, options) if ask_each else results


def _refuse_unknown(only: tuple[str, ...], results: list[FileResult]) -> None:
    known = {v.name for result in results for v in result.handlers}
    unknown = [name for name in only if name not in known]
    if unknown:
        raise click.ClickException(
            f"no handler that asks is called {unknown[0]!r}; there are: {', '.join(sorted(known)) or 'none'}"
        )


def _agreed(paths: list[Path], results: list[FileResult], options: Options) -> list[FileResult]:
    """The results with only those handlers changed that the user agrees to."""
    from dataclasses import replace

    from mrtr_codemod.rewrite.file import rewrite_files
    from mrtr_codemod.rewrite.verdicts import Level

    accepted: set[str] = set()
    for verdict in (v for result in results for v in result.handlers):
        if verdict.level is Level.MANUAL or not options.wanted(verdict):
            continue
        alone = replace(options, wanted=_named({verdict.name}), marked=_named(set()))
        new: set[Path] = set()
        click.echo("".join(_diff(result, new) for result in rewrite_files(paths, alone)))
        if click.confirm(f"Rewrite {verdict.name}?"):
            accepted.add(verdict.name)
    return rewrite_files(paths, replace(options, wanted=_named(accepted)))


def _named(names: set[str]) -> Wanted:
    return lambda verdict: verdict.name in names


def _write(results: list[FileResult], *, force: bool) -> None:
    from mrtr_codemod.rewrite.shown import shown
    from mrtr_codemod.rewrite.writing import is_dirty, write_together

    changed = [result for result in results if result.changes]
    dirty = [] if force else [result.path for result in changed if is_dirty(result.path)]
    if dirty:
        raise click.ClickException(
            f"{shown(dirty[0])} has changes that are not committed: commit them, or say --force. Nothing was written."
        )
    # Support modules first: whenever this is cut short, what is on disk can be imported.
    outputs = sorted((o for result in changed for o in result.outputs), key=lambda o: o.before is not None)
    write_together({output.path: output.after for output in outputs})


def _show(results: list[FileResult], *, report: str | None, quiet: bool) -> None:
    from mrtr_codemod.rewrite.report import as_json, as_markdown

    if report is not None:
        click.echo(as_json(results) if report == "json" else as_markdown(results))
        return
    if not quiet:
        new: set[Path] = set()
        for result in results:
            click.echo(_diff(result, new), nl=False)
    _summary(results)


def _summary(results: list[FileResult]) -> None:
    from mrtr_codemod.rewrite.report import counts, remedy
    from mrtr_codemod.rewrite.shown import shown
    from mrtr_codemod.rewrite.verdicts import Level

    for result in results:
        if result.problem:
            click.echo(f"{shown(result.path)}: stays as it is: {result.problem}", err=True)
        for note in result.notes:
            click.echo(f"{shown(result.path)}: {note}", err=True)
        for verdict in result.handlers:
            if verdict.level is Level.MANUAL:
                place = f"{shown(result.path)}:{verdict.line}"
                click.echo(
                    f"{place}: {verdict.name}: {verdict.rule}: {verdict.reason}; {remedy(verdict)}", err=True
                )
    total = counts(results)
    if not any(total.values()):
        changed = sum(bool(result.changes) for result in results)
        click.echo(f"{changed} of {len(results)} files changed", err=True)
        return
    verdicts = [verdict for result in results for verdict in result.handlers]
    done = sum(verdict.changed for verdict in verdicts)
    left = any(verdict.level is Level.REVIEW and not verdict.changed for verdict in verdicts)
    click.echo(
        f"{done} of {len(verdicts)} handlers that ask rewritten "
        f"({total['safe']} safe, {total['review']} need review, {total['manual']} stay)"
        f"{'; those that need review are rewritten with --unsafe' if left else ''}",
        err=True,
    )


def _diff(result: FileResult, new: set[Path] | None = None) -> str:
    from mrtr_codemod.rewrite.difference import unified
    from mrtr_codemod.rewrite.shown import shown

    out = []
    for output in result.outputs:
        if output.before is None and new is not None:
            if output.path in new:
                continue
            new.add(output.path)
        before = "" if output.before is None else output.before.decode("utf-8", "surrogateescape")
        out.append(unified(before, output.after.decode("utf-8", "surrogateescape"), shown(output.path)))
    return "".join(out)
