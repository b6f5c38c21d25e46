"""Servers for FastMCP 3 give, adapted on FastMCP 4 with every round on a freshly imported copy, the results and the
questions of their recorded native run on 3.4.11."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import CreateMessageRequestParams

from adapter import rounds
from cases import drive
from mrtr_adapter import adapt

pytestmark = pytest.mark.anyio

CASES = Path(__file__).parents[2] / "cases" / "fastmcp"
FILES = sorted(CASES.glob("f*.py"))

REPEATS = {"f26_tea_house", "f27_courier", "f28_research_desk", "f30_library_loans"}
"""Cases with an effect above an ask, which replay does again in every round."""


def scripts() -> list[Any]:
    found = []
    for path in FILES:
        module = drive.load(path)
        for suffix, listed in (("", module.SCRIPTS), (".extra", getattr(module, "PROMPT_SCRIPTS", []))):
            if not listed:
                continue
            native = json.loads(path.with_suffix(f"{suffix}.expected.json").read_text())
            for number, (script, run) in enumerate(zip(listed, native, strict=True)):
                name = f"{path.stem}-{drive.name_of(script)}{suffix}-{number}"
                found.append(pytest.param(path, script, run, id=name))
    return found


async def adapted(path: Path, script: dict[str, Any]) -> dict[str, Any]:
    """What comes of a script, and what it does, over all rounds."""
    replies, effects = drive.Script(script["answers"]), []

    def make() -> Any:
        module = drive.load(path)
        effects.append(module.EFFECTS)
        return adapt(module.mcp, keys=[rounds.KEY])._mcp_server

    def answer(key: str, request: dict[str, Any]) -> dict[str, Any]:
        return replies.answer(question(request))

    try:
        played = await rounds.play(make, *wire(script), answer)
        out = shape(played.result)
    except MCPError as error:
        out = {"raised": f"MCPError: {error}"}
    return {"out": out, "asked": replies.asked, "effects": effects}


def question(request: dict[str, Any]) -> str:
    """The question in the words of the recording, whose keys stand in the order of the SDK's models."""
    params = request.get("params")
    if request["method"] == "sampling/createMessage":
        typed = CreateMessageRequestParams.model_validate(params, by_name=False)
        params = typed.model_dump(by_alias=True, mode="json", exclude_none=True)
    return drive.question(request["method"], params)


def wire(script: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    if "prompt" in script:
        return "prompts/get", {"name": script["prompt"], "arguments": script["args"]}
    if "resource" in script:
        return "resources/read", {"uri": script["resource"]}
    return "tools/call", {"name": script["tool"], "arguments": script["args"]}


def shape(result: dict[str, Any]) -> dict[str, Any]:
    if "messages" in result:
        content = [f"{message['role']}: {message['content']['text']}" for message in result["messages"]]
    else:
        content = [block["text"] for block in result.get("contents") or result["content"]]
    return {"error": result.get("isError", False), "content": content}


@pytest.mark.parametrize(("path", "script", "native"), scripts())
async def test_a_server_gives_its_native_result_and_questions(
    path: Path, script: dict[str, Any], native: dict[str, Any]
) -> None:
    run = await adapted(path, script)
    assert run["out"] == native["out"]
    assert sorted(run["asked"]) == sorted(native["asked"])
    assert run["effects"][-1] == native["effects"]
    if path.stem not in REPEATS:
        assert not any(run["effects"][:-1])


async def test_every_server_whose_effects_repeat_is_named() -> None:
    repeating = {
        path.stem
        for path, script, _ in (param.values for param in scripts())
        if any((await adapted(path, script))["effects"][:-1])
    }
    assert repeating == REPEATS
