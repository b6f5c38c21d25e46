"""Every rewritten case, with answers that hypothesis draws at each question: accepted with any content that fits,
declined, cancelled; in the rewritten run also left out or malformed at first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cases import drive
from needs import needs

from .generated import Answers, in_rounds, native
from .old_fastmcp import OldFastMCP
from .test_cases import FILES, VERDICTS

RAISING = {"c15_tracker_oauth"}
"""What it asks by -32042 runs the call again, natively as well: a page that is refused, or not opened at first, is no
answer that both could be given."""
RunOld = Callable[[Path, dict[str, Any], Answers], dict[str, Any]]
TEXTS = st.sampled_from(["a", "Rome", "2026-08-01", " x ", "yes", "0"])


def content(schema: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Content that fits a flat schema."""
    return st.fixed_dictionaries({name: field(part) for name, part in schema.get("properties", {}).items()})


def field(part: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "const" in part:
        return st.just(part["const"])
    if "enum" in part:
        return st.sampled_from(part["enum"])
    if "oneOf" in part:
        return st.one_of([field(option) for option in part["oneOf"]])
    if "anyOf" in part:
        return st.one_of([field(option) for option in part["anyOf"] if option.get("type") != "null"])
    kind = part.get("type")
    if kind == "boolean":
        return st.booleans()
    if kind in ("integer", "number"):
        low = int(part.get("minimum", part.get("exclusiveMinimum", -1) + 1))
        return st.integers(low, int(part.get("maximum", low + 40)))
    if kind == "array":
        return st.lists(field(part["items"]), max_size=3)
    return TEXTS.filter(lambda text: part.get("minLength", 0) <= len(text) <= part.get("maxLength", 99))


def answer(method: str, params: dict[str, Any], *, refusable: bool) -> st.SearchStrategy[dict[str, Any]]:
    """Any answer that a client may give to a request."""
    if method == "roots/list":
        roots = st.sampled_from(["file:///srv/app", "file:///srv/lib"])
        return st.lists(roots, max_size=2, unique=True).map(
            lambda uris: {"roots": [{"uri": uri, "name": uri[-3:]} for uri in uris]}
        )
    if method == "sampling/createMessage":
        return TEXTS.map(
            lambda text: {"role": "assistant", "model": "tiny", "content": {"type": "text", "text": text}}
        )
    refused = st.sampled_from([{"action": "decline"}, {"action": "cancel"}])
    if params.get("mode") == "url":
        agreed = st.just({"action": "accept"})
        return st.one_of(agreed, refused) if refusable else agreed
    accepted = content(params["requestedSchema"]).map(lambda c: {"action": "accept", "content": c})
    return st.one_of(accepted, accepted, refused)


def handlers() -> list[Any]:
    """A script's call for each rewritten handler of each case, the answers left out."""
    found = []
    for path in FILES:
        stays = {n for n, level in VERDICTS[path.stem].items() if level not in ("safe", "review")}
        plain, extra = drive.scripts_of(drive.load(path))
        for number, script in enumerate([*plain, *extra]):
            if (name := drive.name_of(script)) not in stays:
                found.append(pytest.param(path, script, id=f"{path.stem}-{name}-{number}"))
    return found


@pytest.fixture(scope="module")
def fastmcp_3() -> Iterator[OldFastMCP]:
    old = OldFastMCP(needs("fastmcp3"))
    yield old
    old.end()


@pytest.fixture
def run_old(request: pytest.FixtureRequest) -> RunOld:
    """Runs a case under the SDK that it was written for."""

    def run(path: Path, script: dict[str, Any], answers: Answers) -> dict[str, Any]:
        module = drive.load(path)
        if "fastmcp" not in path.parts:
            return drive.run(module, native, path, script, answers)
        old: OldFastMCP = request.getfixturevalue("fastmcp_3")
        return drive.blot(module, old.native(path, script, answers))

    return run


def compare(path: Path, new: Path, script: dict[str, Any], run_old: RunOld, examples: int) -> None:
    refusable = path.stem not in RAISING
    spoilt = ["missing", "invalid"] if refusable else []
    if ".raw(" in new.read_text():  # what `session.elicit` was answered with has never been checked
        spoilt.remove("invalid")

    @settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def same(data: st.DataObject) -> None:
        module = drive.load(path)
        volatile = getattr(module, "VOLATILE", [])
        answers = Answers(
            lambda method, params: data.draw(answer(method, params, refusable=refusable)), volatile
        )
        spoil = partial(data.draw, st.sampled_from(["right", *spoilt]))
        old = run_old(path, script, answers)
        answers.again()
        got = drive.run(module, in_rounds, new, script, answers, spoil)
        assert drive.same(old, got, effects=True) == []

    same()


@pytest.mark.parametrize(("path", "script"), handlers())
def test_any_answers_come_to_the_same(
    path: Path, script: dict[str, Any], rewritten_file: Any, run_old: RunOld
) -> None:
    compare(path, rewritten_file(path), script, run_old, examples=3)


@pytest.mark.nightly
@pytest.mark.parametrize(("path", "script"), handlers())
def test_any_answers_come_to_the_same_at_length(
    path: Path, script: dict[str, Any], rewritten_file: Any, run_old: RunOld
) -> None:
    compare(path, rewritten_file(path), script, run_old, examples=60)
