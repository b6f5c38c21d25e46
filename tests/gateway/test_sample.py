"""Two gateways behind nginx with Redis, as samples/gateway has them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gateway.balanced import COMPOSE, GATEWAYS, SAMPLE, SERVICES, Balanced, balanced, options
from needs import NODE_MODULES

ELICITATION = ("trigger-elicitation-request", {"elicitation": {}})
ROOTS = ("get-roots-list", {"roots": {}})
FORM = {"action": "accept", "content": {"name": "Ada", "check": True, "integer": 42}}
FOLDER = {"roots": [{"uri": "file:///work", "name": "work"}]}


@pytest.fixture
def sample(tmp_path: Path) -> Iterator[Balanced]:
    with balanced(tmp_path) as found:
        yield found


def play(
    sample: Balanced,
    user: str | None,
    call: tuple[str, dict[str, Any]],
    before: dict[str, Any] | None = None,
    answer: dict[str, Any] | None = None,
    headers: dict[str, str] | None = None,
) -> dict[str, Any]:
    """The reply to the first round of a call, or to the one after `before`, with this answer to all that it asked."""
    more = {}
    if before is not None:
        asked = before["result"]
        more = {
            "requestState": asked["requestState"],
            "inputResponses": dict.fromkeys(asked["inputRequests"], answer),
        }
    reply: dict[str, Any] = sample.call(user, *call, headers or {}, **more).json()
    return reply


def test_a_held_call_is_found_again_and_its_result_outlives_the_gateway(sample: Balanced) -> None:
    asked = play(sample, "ada", ELICITATION)
    holder = sample.holding
    done = play(sample, "ada", ELICITATION, asked, FORM)
    assert "User provided the requested information" in json.dumps(done)
    holder.kill()
    again = play(sample, "ada", ELICITATION, asked, FORM)
    assert again["result"]["content"] == done["result"]["content"]


def test_when_a_gateway_dies_the_other_goes_on_with_what_is_safe(sample: Balanced) -> None:
    unsafe = play(sample, "ada", ELICITATION)
    safe = play(sample, "ada", ROOTS)
    sample.holding.kill()
    assert "file:///work" in json.dumps(play(sample, "ada", ROOTS, safe, FOLDER)["result"])
    assert play(sample, "ada", ELICITATION, unsafe, FORM)["error"]["data"] == {"reason": "call_lost"}


def test_users_are_who_nginx_says(sample: Balanced) -> None:
    asked = play(sample, "ada", ELICITATION)
    for headers in ({}, {"X-User": "ada"}):
        stolen = play(sample, "bob", ELICITATION, asked, FORM, headers)
        assert stolen["error"]["message"] == "Invalid or expired requestState"
    assert sample.call(None, *ELICITATION, {"X-User": "ada"}).status_code == 401
    assert "result" in play(sample, "ada", ELICITATION, asked, FORM)


def test_the_files_of_the_sample_fit_together() -> None:
    nginx = (SAMPLE / "nginx.conf").read_text()
    assert len(GATEWAYS) == 2
    for name in GATEWAYS:
        (address,) = [
            value
            for option, value in zip(options(name), options(name)[1:], strict=False)
            if option == "--http"
        ]
        assert f"server {name}:{address.rpartition(':')[2]} " in nginx
        store = next(word for word in options(name) if word.startswith("redis://"))
        assert store.removeprefix("redis://").partition(":")[0] in SERVICES
        assert set(SERVICES[name]["environment"]) == {"MRTR_KEYS"}
    mounted = {volume.split(":")[1] for volume in SERVICES["nginx"]["volumes"]}
    assert mounted == {"/etc/nginx/nginx.conf", "/etc/nginx/users"}
    assert "auth_basic_user_file /etc/nginx/users;" in nginx
    (published,) = SERVICES["nginx"]["ports"]
    assert f"listen {published.partition(':')[2]};" in nginx
    assert set(COMPOSE) == {"x-gateway", "services"}


def test_the_image_has_what_the_test_runs() -> None:
    image = (SAMPLE / "Dockerfile").read_text()
    package = json.loads((NODE_MODULES.parent / "package.json").read_text())["dependencies"]
    wanted = re.search(r"(@modelcontextprotocol/server-everything)@(\S+)", image)
    assert wanted is not None
    assert package[wanted[1]] == wanted[2]
    assert 'ENTRYPOINT ["/opt/mrtr/bin/mrtr", "wrap"]' in image
    assert options(GATEWAYS[0])[-2:] == ["mcp-server-everything", "stdio"]
