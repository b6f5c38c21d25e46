"""Helpers that ask from other files: lifted with all their callers, or left alone with them."""

from __future__ import annotations

import importlib
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mrtr_codemod.cli.rewrite import rewrite

from . import bare

ASKS = """\
from typing import TypeVar

from mcp.server.mcpserver import Context
from pydantic import BaseModel

T = TypeVar("T", bound=BaseModel)


class Ok(BaseModel):
    ok: bool


class Text(BaseModel):
    text: str


async def sure(ctx: Context, what: str) -> bool:
    reply = await ctx.elicit(what, Ok)
    return reply.action == "accept" and reply.data.ok


async def filled(ctx: Context, what: str, schema: type[T]) -> T | None:
    reply = await ctx.elicit(what, schema)
    return reply.data if reply.action == "accept" else None
"""
DESK = """\
from asks import Text, filled
from asks import sure as agreed
from mcp.server.mcpserver import Context


class Desk:
    def __init__(self, name: str) -> None:
        self.name = name

    async def title(self, ctx: Context, size: int) -> Text | None:
        title = await filled(ctx, f"Title of {size}", Text)
        if title is None or not await agreed(ctx, f"{self.name}: {title.text}?"):
            return None
        return title


MAIN = Desk("main")
"""
SERVER = """\
import asks
from desk import MAIN
from mcp.server.mcpserver import Context, MCPServer

mcp = MCPServer("test")
EFFECTS: list[str] = []


@mcp.tool()
async def handler(name: str, items: list[str], ctx: Context) -> str:
    title = await MAIN.title(ctx, len(name))
    if title is None:
        return "none"
    EFFECTS.append(title.text)
    for item in items:
        if await asks.sure(ctx, f"And {item}?"):
            EFFECTS.append(item)
    return title.text
"""
FILES = {"asks.py": ASKS, "desk.py": DESK, "server.py": SERVER}
ARGUMENTS: dict[str, Any] = {"name": "ada", "items": ["x", "y"]}


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(repo: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(rewrite, [".", "--unsafe", *arguments], catch_exceptions=False)
    return result.stderr


def texts(repo: Path) -> dict[str, str]:
    return {p.relative_to(repo).as_posix(): p.read_text() for p in sorted(repo.rglob("*.py"))}


def loader(directory: Path, main: str = "server") -> Any:
    """Makes fresh copies of all modules in a directory."""

    def fresh() -> dict[str, Any]:
        tops = {p.stem for p in directory.glob("*.py")} | {p.name for p in directory.iterdir() if p.is_dir()}
        for name in [n for n in sys.modules if n.partition(".")[0] in tops]:
            del sys.modules[name]
        sys.path.insert(0, str(directory))
        importlib.invalidate_caches()
        try:
            return vars(importlib.import_module(main))
        finally:
            sys.path.remove(str(directory))

    return fresh


def same(repo: Path, files: dict[str, str], main: str = "server") -> dict[str, str]:
    """Check that the handler of a rewritten repo does what it did; its files."""
    before = repo.parent / f"{repo.name}_before"
    write(repo, files)
    shutil.copytree(repo, before)
    assert "1 of 1 handlers that ask rewritten" in run("--write")
    for seed in range(6):
        old = bare.native(loader(before, main), ARGUMENTS, seed)
        assert bare.in_rounds(loader(repo, main), ARGUMENTS, seed, spoil=seed % 3 == 0) == old
    after = texts(repo)
    run("--write", "--force")
    assert texts(repo) == after, "a second run changes nothing"
    return after


def test_helpers_are_lifted_through_files_objects_and_aliases(repo: Path) -> None:
    after = same(repo, FILES)
    assert (
        "async def sure(ctx: Context, what: str, *, steps: Steps) -> bool | InputRequiredResult:"
        in after["asks.py"]
    )
    assert "await agreed(" in after["desk.py"]
    assert "await MAIN.title(ctx, len(name), steps=steps.inner(HandlerTitle))" in after["server.py"]
    assert "title: Text" in after["server.py"], "a class of another file is carried by its name"
    assert "_in_steps" not in "".join(after.values())


def test_modules_of_a_package_take_the_steps_from_its_top(repo: Path) -> None:
    files = {
        "app/__init__.py": "",
        "app/shared/__init__.py": "",
        "app/shared/asks.py": ASKS,
        "app/server.py": SERVER.replace("import asks\nfrom desk", "from .shared import asks\nfrom .desk"),
        "app/desk.py": DESK.replace("from asks", "from .shared.asks"),
    }
    after = same(repo, files, "app.server")
    assert "from ..mrtr_steps import Steps, form" in after["app/shared/asks.py"]
    assert "from .mrtr_steps import" in after["app/server.py"]
    assert "from .shared.asks import Text" in after["app/server.py"]
    assert [name for name in after if "mrtr_steps" in name] == ["app/mrtr_steps.py"]


def test_a_script_takes_the_steps_from_the_package_that_it_uses(repo: Path) -> None:
    files = {
        "kit/__init__.py": "",
        "kit/asks.py": ASKS,
        "kit/desk.py": DESK.replace("from asks", "from .asks"),
        "server.py": SERVER.replace("import asks\nfrom desk", "from kit import asks\nfrom kit.desk"),
    }
    after = same(repo, files)
    assert "from kit.mrtr_steps import" in after["server.py"]
    assert [name for name in after if "mrtr_steps" in name] == ["kit/mrtr_steps.py"]


def test_what_another_file_still_uses_keeps_its_form_beside_a_twin(repo: Path) -> None:
    other = (
        "import asks\n\n\nasync def later(ctx: object) -> None:\n    await asks.filled(ctx, '?', asks.Ok)\n"
    )
    after = same(repo, {**FILES, "other.py": other})
    assert after["other.py"] == other
    assert (
        "async def filled(ctx: Context, what: str, schema: type[T]) -> T | None:\n    reply = await"
        in after["asks.py"]
    )
    assert "async def filled_in_steps(" in after["asks.py"]
    assert "from asks import Text, filled_in_steps\n" in after["desk.py"]


def test_a_twin_is_imported_as_its_function_was_past_a_stray_init(repo: Path) -> None:
    files = {
        "src/__init__.py": "",
        "src/app/__init__.py": "",
        "src/app/asks.py": ASKS,
        "src/app/desk.py": DESK.replace("from asks", "from app.asks"),
        "src/app/server.py": "import json\n"
        + SERVER.replace("import asks\nfrom desk", "from app import asks\nfrom app.desk"),
        "other.py": "from app.asks import filled\n\nprint(filled)\n",
    }
    write(repo, files)
    assert "1 of 1 handlers that ask rewritten" in run("--write")
    assert "from app.asks import Text, filled_in_steps\n" in texts(repo)["src/app/desk.py"]
    loader(repo / "src", "app.server")()


def test_tests_of_a_package_stand_in_no_way_of_it(repo: Path) -> None:
    tests = (
        "from app.asks import Ok, filled\nfrom app.server import handler\n\n\n"
        "async def test_it(ctx: object) -> None:\n"
        "    assert await filled(ctx, '?', Ok)\n    assert await handler('ada', [], ctx) == 'none'\n"
    )
    files = {
        "app/__init__.py": "",
        "app/asks.py": ASKS,
        "app/server.py": SERVER.replace("import asks\nfrom desk", "from app import asks\nfrom app.desk"),
        "app/desk.py": DESK.replace("from asks", "from app.asks"),
        "tests/__init__.py": "",
        "tests/test_server.py": tests,
    }
    after = same(repo, files, "app.server")
    assert after["tests/test_server.py"] == tests
    assert "async def filled_in_steps(" in after["app/asks.py"], "beside the one that the tests use"


def test_a_chain_that_can_not_be_split_in_one_place_stays_as_a_whole(repo: Path) -> None:
    stuck = DESK.replace(
        "        title = await", "        with open(self.name) as log:\n            title = await"
    )
    files = {**FILES, "desk.py": stuck}
    write(repo, files)
    assert "resource-held: in `title`: " in run("--write")
    marked = texts(repo)
    assert {n: t for n, t in marked.items() if n != "server.py"} == {
        n: t for n, t in files.items() if n != "server.py"
    }
    assert "\n# mrtr: manual[resource-held] in `title`" in marked["server.py"]
    run("--write", "--force")
    assert texts(repo) == marked


@pytest.mark.parametrize(("agreed", "changed"), [("y", {"asks.py", "desk.py", "server.py"}), ("n", set())])
def test_who_agrees_to_a_handler_agrees_to_its_helpers(repo: Path, agreed: str, changed: set[str]) -> None:
    write(repo, FILES)
    result = CliRunner().invoke(rewrite, [".", "--interactive"], input=f"{agreed}\n", catch_exceptions=False)
    assert result.stdout.count("+++ b/asks.py") == 1, "the change of each file is shown once"
    assert {name for name, text in FILES.items() if texts(repo)[name] != text} == changed


def test_the_report_names_the_files_of_the_helpers(repo: Path) -> None:
    write(repo, FILES)
    result = CliRunner().invoke(rewrite, [".", "--unsafe", "--report", "json"], catch_exceptions=False)
    told = {Path(file["path"]).name: file["changed"] for file in json.loads(result.stdout)["files"]}
    assert told == {"asks.py": True, "desk.py": True, "server.py": True}


def test_an_object_that_may_be_of_several_classes_stays(repo: Path) -> None:
    quiet = "\n\nclass Quiet(Desk):\n    async def title(self, ctx: Context, size: int) -> None:\n        return None\n"
    write(repo, {**FILES, "desk.py": DESK + quiet})
    assert "1 stay" in run("--write")


def test_an_object_of_the_call_that_changes_while_it_asks_stays(repo: Path) -> None:
    keeps = DESK.replace(
        "    async def", "    def rename(self, name: str) -> None:\n        self.name = name\n\n    async def"
    )
    server = SERVER.replace("from desk import MAIN", "from desk import Desk").replace(
        "    title = await MAIN", "    desk = Desk(name)\n    title = await desk"
    )
    write(repo, {**FILES, "desk.py": keeps, "server.py": server})
    assert "object-changed: `desk` changes in a method that asks" in run()


@pytest.mark.parametrize("call", ["asyncio.gather(sure(ctx, 'a'), sure(ctx, 'b'))", "run(sure)"])
def test_a_helper_of_another_file_that_is_passed_on_stays(repo: Path, call: str) -> None:
    server = (
        "import asyncio\n\nfrom asks import sure\nfrom mcp.server.mcpserver import Context, MCPServer\n\n"
        "mcp = MCPServer('test')\n\n\nasync def run(function):\n    return await function(None, 'x')\n\n\n"
        f"@mcp.tool()\nasync def handler(name: str, ctx: Context) -> str:\n    return str(await {call})\n"
    )
    write(repo, {"asks.py": ASKS, "server.py": server})
    assert "1 stay" in run("--write")
    assert texts(repo)["asks.py"] == ASKS


def test_what_a_function_of_another_file_changes_rides_in_the_state(repo: Path) -> None:
    server = (
        "import work\nfrom asks import sure\nfrom mcp.server.mcpserver import Context, MCPServer\n"
        "from work import grow\n\nmcp = MCPServer('test')\nEFFECTS: list[str] = []\n\n\n"
        "@mcp.tool()\nasync def handler(name: str, items: list[str], ctx: Context) -> str:\n"
        "    grow(items, name)\n    work.more(items)\n    ok = await sure(ctx, f'{len(items)}?')\n"
        "    return f'{items} {ok}'\n"
    )
    work = (
        "def grow(target: list[str], name: str) -> None:\n    more(target)\n    target.append(name)\n\n\n"
        "def more(target: list[str]) -> None:\n    target.insert(0, 'more')\n"
    )
    after = same(repo, {"asks.py": ASKS, "work.py": work, "server.py": server})
    assert "    items: list[str]\n" in after["server.py"]
    assert after["work.py"] == work


STORE = """\
PENDING: dict[str, str] = {}


class Shelf:
    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    def put(self, key: str) -> None:
        self.kept[key] = key

    def take(self, key: str) -> str:
        return self.kept.pop(key)


SHELF = Shelf()


def put(key: str) -> None:
    PENDING[key] = key


def take(key: str) -> str:
    return PENDING.pop(key)
"""


@pytest.mark.parametrize(
    ("imported", "before", "after"),
    [
        ("import store", "store.put(name)", "store.take(name)"),
        ("from store import put, take", "put(name)", "take(name)"),
        ("from store import PENDING, take", "PENDING[name] = name", "take(name)"),
        ("from store import SHELF", "SHELF.put(name)", "SHELF.take(name)"),
    ],
)
def test_what_another_file_keeps_in_memory_is_not_relied_on(
    repo: Path, imported: str, before: str, after: str
) -> None:
    server = (
        f"{imported}\nfrom asks import sure\nfrom mcp.server.mcpserver import Context, MCPServer\n\n"
        "mcp = MCPServer('test')\n\n\n@mcp.tool()\nasync def handler(name: str, ctx: Context) -> str:\n"
        f"    {before}\n    ok = await sure(ctx, name)\n    return f'{{ok}} {{{after}}}'\n"
    )
    write(repo, {"asks.py": ASKS, "store.py": STORE, "server.py": server})
    told = run()
    assert "process-memory" in told
    assert "is changed before the ask and read after it, maybe in another process" in told
