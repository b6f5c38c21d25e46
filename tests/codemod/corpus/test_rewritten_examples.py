"""The examples of `mcp` 1.30 and FastMCP 3.4, rewritten: all compile, import and stay as they are the second time; the
servers among them ask and give what they asked and gave under their old SDKs."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity

from cases import drive
from mrtr_codemod.cli.rewrite import rewrite
from needs import needs

pytestmark = pytest.mark.anyio

TREES = ("mcp-1.30.0", "fastmcp-3.4.11")
HERE = Path(__file__).parent
ANYONES = ("mcp", "mcp_types", "fastmcp", "mrtr_steps")
MAX_ROUNDS = 20

NEED_MORE_THAN_MODULES = {
    "atproto_mcp/src/atproto_mcp/server.py": "settings of an account",
    "fastmcp/text_me.py": "settings of an account",
    "smart_home/src/smart_home/hub.py": "settings of a bridge",
    "smart_home/src/smart_home/lights/server.py": "settings of a bridge",
    "text_me.py": "settings of an account",
    "snippets/clients/logging_client.py": "names that its snippet leaves out",
    "snippets/clients/roots_example.py": "names that its snippet leaves out",
    "snippets/clients/sse_client.py": "a server that listens",
}
"""Examples that can't be imported under the old SDKs either, and what they lack."""

NO_SUCCESSOR = {
    "servers/simple-task/mcp_simple_task/server.py",
    "servers/simple-task-interactive/mcp_simple_task_interactive/server.py",
}
"""Examples of experimental tasks, which `mcp` 2 has no more: they stay as they are."""


@pytest.fixture(scope="module")
def old() -> Path:
    return Path(needs("sdk_sources"))


@pytest.fixture(scope="module")
def moved(old: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copies of the examples after `--sdk-only`."""
    return _copies(old, tmp_path_factory.mktemp("moved"), "--sdk-only")


@pytest.fixture(scope="module")
def rewritten(old: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copies of the examples after `--unsafe`."""
    return _copies(old, tmp_path_factory.mktemp("rewritten"), "--unsafe")


def _copies(old: Path, into: Path, way: str) -> Path:
    for tree in TREES:
        shutil.copytree(old / tree / "examples", into / tree)
        done = CliRunner().invoke(rewrite, [str(into / tree), way, "--write", "--force", "--report", "json"])
        assert done.exit_code == 0, done.output
        (into / f"{tree}.json").write_text(done.stdout)
    return into


def _changed(old: Path, new: Path) -> list[Path]:
    """The files that are others now, or new."""
    return [
        path
        for tree in TREES
        for path in sorted((new / tree).rglob("*.py"))
        if not (before := old / tree / "examples" / path.relative_to(new / tree)).exists()
        or before.read_bytes() != path.read_bytes()
    ]


@pytest.mark.parametrize("way", ["--sdk-only", "--unsafe"])
def test_all_compile_and_stay_the_second_time(way: str, old: Path, moved: Path, rewritten: Path) -> None:
    new = moved if way == "--sdk-only" else rewritten
    for path in _changed(old, new):
        compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    again = CliRunner().invoke(rewrite, [*(str(new / tree) for tree in TREES), way, "--check"])
    assert again.exit_code == 0, again.output


@pytest.mark.parametrize("way", ["--sdk-only", "--unsafe"])
def test_all_that_change_can_be_imported(way: str, old: Path, moved: Path, rewritten: Path) -> None:
    new = moved if way == "--sdk-only" else rewritten
    files = {
        str(path): str(path.relative_to(new).as_posix()).partition("/")[2] for path in _changed(old, new)
    }
    asked = [path for path, name in files.items() if name not in NEED_MORE_THAN_MODULES]
    assert len(asked) >= (80 if way == "--sdk-only" else 12)
    done = subprocess.run(
        [sys.executable, HERE / "importing.py"],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
    )
    failed = {files[path]: told for path, told in json.loads(done.stdout).items() if told}
    unexpected = {
        name: told for name, told in failed.items() if not _is_missing(told) and name not in NO_SUCCESSOR
    }
    assert unexpected == {}


def _is_missing(told: str) -> bool:
    """Whether a package that this environment does not have is all that is amiss."""
    kind, _, rest = told.partition(": ")
    if kind == "ModuleNotFoundError" and rest.startswith("No module named"):
        return rest.split("'")[1].partition(".")[0] not in ANYONES
    # Extras of FastMCP say which package they want.
    return kind == "ImportError" and "pip install" in rest


def test_no_example_with_a_successor_stays_behind(old: Path, moved: Path) -> None:
    for tree in TREES:
        for path in (moved / tree).rglob("*.py"):
            name = path.relative_to(moved / tree).as_posix()
            assert name in NO_SUCCESSOR or b"mcp.server.fastmcp" not in path.read_bytes(), name


def test_nearly_all_that_ask_are_rewritten(rewritten: Path) -> None:
    found = {
        (Path(file["path"]).stem, handler["name"]): handler
        for tree in TREES
        for file in json.loads((rewritten / f"{tree}.json").read_text())["files"]
        for handler in file["handlers"]
    }
    assert len(found) == 18
    left = {name for (_, name), handler in found.items() if not handler["rewritten"]}
    # It asks through an experimental task.
    assert left == {"handle_call_tool"}


# ── the servers do what they did ──────────────────────────────────────────────────────────────

DECLINED, CANCELLED = {"action": "decline"}, {"action": "cancel"}
SNIPPETS = "mcp-1.30.0/snippets/servers"
EVERYTHING = "mcp-1.30.0/servers/everything-server/mcp_everything_server/server.py"


def accepted(**content: Any) -> dict[str, Any]:
    return {"action": "accept", "content": content}


def sampled(text: str) -> dict[str, Any]:
    return {"role": "assistant", "model": "m", "content": {"type": "text", "text": text}}


def call(file: str, tool: str, args: dict[str, Any], *answers: dict[str, Any]) -> dict[str, Any]:
    return {"file": file, "tool": tool, "args": args, "answers": list(answers)}


CHRISTMAS = {"date": "2024-12-25", "time": "19:00", "party_size": 2}
DEFAULTS = {"name": "A", "age": 1, "score": 1.5, "status": "pending", "verified": False}
ENUMS = {
    "untitledSingle": "active", "titledSingle": "low", "untitledMulti": ["read"], "titledMulti": ["bug"],
    "legacyEnum": "small",
}  # fmt: skip
CALLS = [
    call(f"{SNIPPETS}/elicitation.py", "book_table", {**CHRISTMAS, "date": "2024-12-26"}),
    *(
        call(f"{SNIPPETS}/elicitation.py", "book_table", CHRISTMAS, answer)
        for answer in (
            accepted(checkAlternative=True, alternativeDate="2024-12-27"),
            accepted(checkAlternative=False, alternativeDate=""),
            DECLINED,
            CANCELLED,
        )
    ),
    *(
        call(f"{SNIPPETS}/elicitation.py", "secure_payment", {"amount": 9.5}, answer)
        for answer in ({"action": "accept"}, DECLINED, CANCELLED)
    ),
    *(
        call(f"{SNIPPETS}/elicitation_enum.py", "pick_color", {}, answer)
        for answer in (accepted(color="green"), DECLINED)
    ),
    call(f"{SNIPPETS}/sampling.py", "generate_poem", {"topic": "rain"}, sampled("drip")),
    call(EVERYTHING, "test_sampling", {"prompt": "hi"}, sampled("ho")),
    *(
        call(EVERYTHING, "test_elicitation", {"message": "who?"}, answer)
        for answer in (accepted(response="me"), DECLINED, CANCELLED)
    ),
    *(
        call(EVERYTHING, "test_elicitation_sep1034_defaults", {}, answer)
        for answer in (accepted(**DEFAULTS), DECLINED)
    ),
    *(
        call(EVERYTHING, "test_elicitation_sep1330_enums", {}, answer)
        for answer in (accepted(**ENUMS), CANCELLED)
    ),
    *(
        call("fastmcp-3.4.11/elicitation.py", "greet", {}, answer)
        for answer in (accepted(value="Ada"), DECLINED)
    ),
    *(
        call("fastmcp-3.4.11/elicitation.py", "survey", {}, answer)
        for answer in (accepted(favorite_color="red", lucky_number=7), CANCELLED)
    ),
]


@pytest.fixture(scope="module")
def before(old: Path) -> list[dict[str, Any]]:
    """What the old servers asked and gave under their own SDK."""
    calls = [{**c, "file": str(old / c["file"].replace("/", "/examples/", 1))} for c in CALLS]
    done = subprocess.run(
        [needs("fastmcp3"), HERE / "old_session.py"],
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("number", range(len(CALLS)), ids=[f"{c['tool']}-{i}" for i, c in enumerate(CALLS)])
async def test_the_rewritten_server_asks_and_gives_the_same(
    number: int, before: list[dict[str, Any]], rewritten: Path
) -> None:
    assert await _in_rounds(rewritten / CALLS[number]["file"], CALLS[number]) == before[number]


async def _in_rounds(path: Path, wanted: dict[str, Any]) -> dict[str, Any]:
    """The call in rounds on 2026-07-28, each served by a freshly imported copy of the module."""
    from mcp import Client, types

    asked: list[str] = []
    answers = list(wanted["answers"])
    further: dict[str, Any] = {}
    for _ in range(MAX_ROUNDS):
        server = _fresh(path)
        async with Client(
            server, mode="2026-07-28", elicitation_callback=_refuse, sampling_callback=_refuse
        ) as client:
            result = await client.session.call_tool(
                wanted["tool"], wanted["args"], allow_input_required=True, **further
            )
        if not isinstance(result, types.InputRequiredResult):
            texts = [c.text for c in result.content if isinstance(c, types.TextContent)]
            return {"asked": asked, "error": bool(result.is_error), "text": texts}
        responses = {}
        for key, request in (result.input_requests or {}).items():
            asked.append(_question(request))
            kind = (
                types.CreateMessageResult
                if request.method == "sampling/createMessage"
                else types.ElicitResult
            )
            responses[key] = kind.model_validate(answers.pop(0))
        further = {"input_responses": responses, "request_state": result.request_state}
    raise AssertionError("the call never ends")


async def _refuse(*_: Any) -> Any:
    raise AssertionError("pushed on 2026-07-28")


def _question(request: Any) -> str:
    params = request.params
    return str(
        params.messages[0].content.text if request.method == "sampling/createMessage" else params.message
    )


def _load(path: Path) -> Any:
    """A fresh copy of the module, as a part of its package if it is in one."""
    if not (path.parent / "__init__.py").exists():
        return drive.load(path)
    package = path.parent.name
    for name in [n for n in sys.modules if n.partition(".")[0] == package]:
        del sys.modules[name]
    sys.path.insert(0, str(path.parent.parent))
    try:
        return importlib.import_module(f"{package}.{path.stem}")
    finally:
        sys.path.pop(0)


def _fresh(path: Path) -> Any:
    """The server of a fresh copy of the module. All copies seal under one key, as the instances of a fleet do."""
    server = _load(path).mcp
    low = getattr(server, "_lowlevel_server", None) or server._mcp_server
    boundary = RequestStateBoundary(RequestStateSecurity(keys=[drive.KEY]), default_audience="example")
    low.middleware[:] = [boundary if isinstance(m, RequestStateBoundary) else m for m in low.middleware]
    return low
