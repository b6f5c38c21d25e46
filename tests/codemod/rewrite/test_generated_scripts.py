"""Every rewritten case, with answers that hypothesis draws at each question: accepted with any content that fits,
declined, cancelled; in the rewritten run also left out or malformed at first."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cases import drive
from mrtr_codemod.rewrite import support
from mrtr_codemod.rewrite.asks import Framework

from .generated import Answers, in_rounds, native
from .rewriting import rewritten
from .test_cases import FILES, VERDICTS

RAISING = {"c15_tracker_oauth"}
"""What a client makes of -32042 is no answer to a question."""
FAIL_OPEN = {"c08_feature_flags"}
"""Natively, content that breaks the schema applies the change; the random content of two forms may."""
TEXTS = st.sampled_from(["a", "Rome", "2026-08-01", " x ", "yes", "0"])


def content(schema: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Content that fits a flat schema."""
    return st.fixed_dictionaries({name: field(part) for name, part in schema.get("properties", {}).items()})


def field(part: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "enum" in part:
        return st.sampled_from(part["enum"])
    if "oneOf" in part:
        return st.sampled_from([option["const"] for option in part["oneOf"]])
    if "anyOf" in part:
        return st.one_of([field(option) for option in part["anyOf"] if option.get("type") != "null"])
    kind = part.get("type")
    if kind == "boolean":
        return st.booleans()
    if kind in ("integer", "number"):
        low, high = part.get("minimum", part.get("exclusiveMinimum", -1) + 1), part.get("maximum", 40)
        return st.integers(int(low), int(high))
    if kind == "array":
        return st.lists(field(part["items"]), max_size=3)
    return TEXTS.filter(lambda text: part.get("minLength", 0) <= len(text) <= part.get("maxLength", 99))


def answer(method: str, params: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
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
        return st.one_of(st.just({"action": "accept"}), refused)
    accepted = content(params["requestedSchema"]).map(lambda c: {"action": "accept", "content": c})
    return st.one_of(accepted, accepted, refused)


def handlers() -> list[Any]:
    """A script's call for each rewritten handler of each case, the answers left out."""
    found = []
    for path in FILES:
        if "fastmcp" in path.parts or path.stem in RAISING | FAIL_OPEN:
            continue
        stays = {n for n, level in VERDICTS[path.stem].items() if level not in ("safe", "review")}
        for number, script in enumerate(drive.scripts_of(drive.load(path))[0]):
            if (name := drive.name_of(script)) not in stays:
                found.append(pytest.param(path, script, id=f"{path.stem}-{name}-{number}"))
    return found


@pytest.fixture(scope="module")
def rewritten_files(tmp_path_factory: pytest.TempPathFactory) -> Any:
    written: dict[Path, Path] = {}

    def write(path: Path) -> Path:
        if path not in written:
            directory = tmp_path_factory.mktemp(path.stem)
            for name in support.modules(Framework.MCP, {"Steps"}):
                (directory / f"{name}.py").write_text(support.source(name))
            written[path] = directory / path.name
            written[path].write_text(rewritten(path.read_text()).after)
        return written[path]

    return write


def compare(path: Path, new: Path, script: dict[str, Any], examples: int) -> None:
    # What `session.elicit` was answered with has never been checked.
    invalid = [] if ".raw(" in new.read_text() else ["invalid"]

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
        answers = Answers(lambda method, params: data.draw(answer(method, params)), volatile)
        spoil = partial(data.draw, st.sampled_from(["right", "missing", *invalid]))
        old = drive.run(module, native, path, script, answers)
        answers.again()
        got = drive.run(module, in_rounds, new, script, answers, spoil)
        assert drive.same(old, got, effects=True) == []

    same()


@pytest.mark.parametrize(("path", "script"), handlers())
def test_any_answers_come_to_the_same(path: Path, script: dict[str, Any], rewritten_files: Any) -> None:
    compare(path, rewritten_files(path), script, examples=3)


@pytest.mark.nightly
@pytest.mark.parametrize(("path", "script"), handlers())
def test_any_answers_come_to_the_same_at_length(
    path: Path, script: dict[str, Any], rewritten_files: Any
) -> None:
    compare(path, rewritten_files(path), script, examples=60)
