"""Keys of an old server's questions."""

from __future__ import annotations

from typing import Any

import pytest

from mrtr_adapter.gateway.naming import site_of


@pytest.mark.parametrize(
    ("schema", "key"),
    [
        ({"title": "UserName", "properties": {"name": {}}}, "user_name"),
        ({"title": "HTTPSettings", "properties": {"a": {}, "b": {}}}, "http_settings"),
        ({"title": "confirm2", "properties": {}}, "confirm2"),
        ({"properties": {"city": {}}}, "city"),
        ({"title": "Where do you go?", "properties": {"city": {}}}, "city"),
        ({"title": "ScalarElicitationType[str]", "properties": {"value": {}}}, "value"),
        ({"title": 3, "properties": {"first name": {}}}, None),
        ({"properties": {"a": {}, "b": {}}}, None),
        ({}, None),
    ],
)
def test_a_form_is_called_by_its_title_or_its_only_field(schema: dict[str, Any], key: str | None) -> None:
    params = {"message": "?", "requestedSchema": schema}
    assert site_of({"method": "elicitation/create", "params": params}).name == key


@pytest.mark.parametrize(
    "request_",
    [
        {"method": "roots/list"},
        {"method": "sampling/createMessage", "params": {"messages": []}},
        {"method": "elicitation/create", "params": {"mode": "url", "url": "https://example.com"}},
    ],
)
def test_other_questions_have_no_name(request_: dict[str, Any]) -> None:
    assert site_of(request_).name is None
