"""A place in a JSON text is found by its line, however the text is laid out."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mrtr_adapter.inputs.json_text import line_of

Place = tuple[str | int, ...]
LEAVES = st.none() | st.booleans() | st.floats(allow_nan=False) | st.text('ab{}[],:"\\\n', max_size=4)
DOCUMENTS = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text('ab{}[]"\\', max_size=3), inner, max_size=3)
    ),
)


def laid_out(document: Any, place: Place, lines: list[str], places: dict[Place, int]) -> None:
    """Write each bracket, key and leaf on a line of its own."""
    places[place] = len(lines) + 1
    if isinstance(document, dict):
        lines.append("{")
        for number, (key, value) in enumerate(document.items()):
            lines.append(f" {',' if number else ''}  {json.dumps(key)} : ")
            laid_out(value, (*place, key), lines, places)
        lines.append("}")
    elif isinstance(document, list):
        lines.append("[")
        for number, value in enumerate(document):
            lines.append("\t,\r" if number else "")
            laid_out(value, (*place, number), lines, places)
        lines.append("]")
    else:
        lines.append(json.dumps(document))


@given(DOCUMENTS)
def test_every_place_is_found(document: Any) -> None:
    lines: list[str] = []
    places: dict[Place, int] = {}
    laid_out(document, (), lines, places)
    text = "\n".join(lines)
    assert json.loads(text) == document
    assert {place: line_of(text, place) for place in places} == places


def test_what_is_missing_stands_where_it_should_be() -> None:
    text = '{"cases":\n [\n  {"name": "a"}]}'
    assert line_of(text, ("cases", 0, "tool")) == 3
    assert line_of(text, ("cases", 7)) == 2
    assert line_of(text, ("cases", 0, "name", "more")) == 3
    assert line_of(text, ("none",)) == 1
