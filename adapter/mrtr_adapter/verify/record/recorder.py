"""A person answers the questions of a native run; what was answered becomes a case."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from mrtr_adapter.engine.answers import accepted
from mrtr_adapter.engine.question import FORM, ROOTS, URL, Question
from mrtr_adapter.verify.answering import Script
from mrtr_adapter.verify.answers import FOLDER, MISSING, Answer, Elicited, Root, Roots, Text
from mrtr_adapter.verify.cases import Case, read_cases, write_cases
from mrtr_adapter.verify.catalog import Catalog
from mrtr_adapter.verify.compare import outcome_text
from mrtr_adapter.verify.driving import run_natively
from mrtr_adapter.verify.record.forms import filled, show
from mrtr_adapter.verify.refusal import CannotVerify
from mrtr_adapter.verify.runs import described
from mrtr_adapter.verify.verification import Finding, Session

_ACTIONS = ("accept", "decline", "cancel", MISSING)


class Person(Script):
    """Answers by asking the person at the terminal, and keeps what was said in the case."""

    def next_answer(self, asked: Question, waiting: int) -> tuple[int, Answer] | None:
        answer = _answer_to(asked)
        self.case.answers.append(answer)
        return len(self.case.answers), answer


def record(session: Session, file: Path, tool: str | None, arguments: dict[str, Any]) -> Iterator[Finding]:
    """Call `tool` (or what the person names), and so on until there is enough; each case goes into `file` at once.

    Cases that are in the file already stay there.

    Raises:
        CannotVerify: the file can't be read or written, or the server can't be run.
    """
    if sys.stdin is None:
        raise CannotVerify("--record asks at the terminal, and stdin is closed")
    cases = read_cases(file, "--record") if file.exists() else []
    while True:
        case = _called(session.catalog, tool, arguments)
        native, script = run_natively(session.subject.original, case, session.setting, Person)
        show(f"It ends with: {outcome_text(native.outcome)}")
        case = case.model_copy(update={"name": _name(case, {each.name for each in cases})})
        cases.append(case)
        write_cases(file, cases)
        yield session.compared(case, native, script)
        if not click.confirm("Another call?", default=False, err=True):
            return
        tool, arguments = None, {}


def _called(catalog: Catalog, tool: str | None, arguments: dict[str, Any]) -> Case:
    if tool is not None:
        catalog.check_tool(tool)
        return Case(name=tool, tool=tool, arguments=arguments, answers=[])
    entries = {entry["name"]: entry for entry in catalog.tools or ()}
    if not entries:
        raise CannotVerify(f"{catalog.file} lists no tools to choose from: name one with --tool")
    chosen = click.prompt("Tool", type=click.Choice(list(entries)), err=True)
    return Case(
        name=chosen, tool=chosen, arguments=filled(entries[chosen].get("inputSchema", {})), answers=[]
    )


def _name(case: Case, taken: set[str]) -> str:
    number = 1
    while (suggested := f"{case.request.target} {number}") in taken:
        number += 1
    while (name := click.prompt("Name of this case", default=suggested, err=True)) in taken:
        show(f"There is a case {name!r} already.")
    return str(name)


def _answer_to(question: Question) -> Answer:
    show(f"The server asks for {described(question)}")
    if question.kind == ROOTS:
        given = click.prompt("  Folders, with commas", default=f"file://{FOLDER}", err=True)
        return Roots(roots=[Root(uri=uri.strip()) for uri in given.split(",") if uri.strip()])
    if question.kind not in (FORM, URL):
        return Text(text=click.prompt("  The model says", err=True))
    if question.kind == URL:
        show(f"  It wants to open {question.params.get('url')}")
    action = click.prompt("  Answer", type=click.Choice(_ACTIONS), default="accept", err=True)
    if action == MISSING:
        return MISSING
    if action != "accept" or question.kind == URL:
        return Elicited(action=action)
    return _filled_form(question)


def _filled_form(question: Question) -> Elicited:
    """Content that the schema takes."""
    while True:
        content = filled(question.params.get("requestedSchema", {}))
        if accepted(question, {"action": "accept", "content": content}):
            return Elicited(action="accept", content=content)
        show(f"  {json.dumps(content, ensure_ascii=False)} is not what the form asks for; once more:")
