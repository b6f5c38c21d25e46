"""The support module goes where the code that imports it finds it, however that is started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mrtr_codemod.rewrite.file import FileResult, Options, rewrite_file
from mrtr_codemod.rewrite.place import support_place

SERVER = """\
from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

mcp = MCPServer("test")


class Ok(BaseModel):
    ok: bool


@mcp.tool()
async def first(name: str, ctx: Context) -> str:
    answer = await ctx.elicit(f"{name}?", Ok)
    return answer.action


@mcp.tool()
async def second(name: str, ctx: Context) -> str:
    answer = await ctx.elicit(f"{name}?", Ok)
    again = await ctx.elicit(f"{name}, {answer.action}?", Ok)
    return again.action


def main() -> None:
    mcp.run()


if __name__ == "__main__":
    main()
"""
FASTMCP = SERVER.replace(
    "mcp.server.mcpserver import Context, MCPServer", "fastmcp import Context, FastMCP"
).replace("MCPServer(", "FastMCP(")
BY_PATH = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
sys.path[0] = sys.argv[1].rpartition("/")[0]  # as `mcp run` and `fastmcp run` do
spec = spec_from_file_location("server_module", sys.argv[1])
module = sys.modules["server_module"] = module_from_spec(spec)
spec.loader.exec_module(module)
module.mcp.run()
"""
AS_COMMAND = """
import sys
from importlib.metadata import EntryPoint
EntryPoint("desk", sys.argv[1], "console_scripts").load()()
"""
STARTS = {
    "python FILE": ["{file}"],
    "python -m": ["-m", "{module}"],
    "mcp run": ["-c", BY_PATH, "{file}"],
    "mrtr run": ["-m", "mrtr_adapter.cli", "run", "{file}"],
    "entry point": ["-c", AS_COMMAND, "{module}:main"],
}
IN_PACKAGE = ["python -m", "mrtr run", "entry point"]


def made(root: Path, file: str, source: str) -> Path:
    path = root / file
    path.parent.mkdir(parents=True, exist_ok=True)
    for folder in path.relative_to(root).parents[:-1]:
        (root / folder / "__init__.py").touch()
    path.write_text(source)
    return path


def rewritten(path: Path) -> FileResult:
    """The file rewritten handler by handler, as in two runs."""
    for names in ({"first"}, {"second"}):
        result = rewrite_file(path, Options(lambda verdict, names=names: verdict.name in names))  # type: ignore[misc]
        assert result.problem is None
        assert [v.name for v in result.handlers if v.changed] == list(names)
        for output in result.outputs:
            output.path.write_bytes(output.after)
    return result


def starts(root: Path, file: str, how: str) -> str:
    """What goes wrong when the server is started and finds its stdin closed."""
    module = file.removesuffix(".py").replace("/", ".")
    command = [part.format(file=file, module=module) if len(part) < 40 else part for part in STARTS[how]]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *command],
        cwd=root,
        input="",
        capture_output=True,
        text=True,
        timeout=60,
    )
    return "" if done.returncode == 0 else done.stderr


@pytest.mark.parametrize("how", STARTS)
@pytest.mark.parametrize(
    ("file", "source"),
    [("desk/server.py", SERVER), ("desk/inner/server.py", FASTMCP)],
    ids=["mcp", "fastmcp"],
)
def test_a_server_in_a_package_starts_in_every_way_it_did(
    tmp_path: Path, source: str, file: str, how: str
) -> None:
    path = made(tmp_path, file, source)
    assert starts(tmp_path, file, how) == ""
    rewritten(path)
    assert starts(tmp_path, file, how) == ""


@pytest.mark.parametrize("how", STARTS)
@pytest.mark.parametrize("kin", ["from .kin import NAME", "import desk.kin"])
def test_one_that_imports_its_kin_starts_in_the_ways_it_did(tmp_path: Path, kin: str, how: str) -> None:
    made(tmp_path, "desk/kin.py", "NAME = 1\n")
    path = made(tmp_path, "desk/server.py", f"{kin}\n{SERVER}")
    assert (starts(tmp_path, "desk/server.py", how) == "") == (how in IN_PACKAGE)
    rewritten(path)
    assert (starts(tmp_path, "desk/server.py", how) == "") == (how in IN_PACKAGE)


@pytest.mark.parametrize(
    ("file", "source", "place", "prefix", "both_ways"),
    [
        ("server.py", SERVER, "", "", False),
        ("server.py", f"from .kin import NAME\n{SERVER}", "", ".", False),
        ("desk/inner/tools.py", "from mcp.server.mcpserver import Context\n", "desk", "..", False),
        ("desk/inner/tools.py", f"from ..main import mcp\n{SERVER}", "desk", "..", False),
        ("desk/inner/tools.py", f"from desk.main import mcp\n{SERVER}", "desk", "desk.", False),
        ("desk/inner/tools.py", f"import desk.main\n{SERVER}", "desk", "desk.", False),
        ("desk/inner/server.py", SERVER, "desk/inner", ".", True),
        ("desk/server.py", f"def late():\n    from .kin import NAME\n{SERVER}", "desk", ".", True),
        ("desk/server.py", "mcp = build()\nmcp.run()\n", "desk", ".", True),
    ],
)
def test_where_it_goes(
    tmp_path: Path, file: str, source: str, place: str, prefix: str, both_ways: bool
) -> None:
    found = support_place(made(tmp_path, file, source), source.encode())
    assert (found.directory, found.prefix, found.both_ways) == (tmp_path / place, prefix, both_ways)


@pytest.mark.parametrize(
    ("imported", "prefix", "top"),
    [
        ("from desk.server import mcp", "..", "src/desk"),
        ("import desk.server", "..", "src/desk"),
        ("from src.desk.server import mcp", "...", "src"),
        ("from ..server import mcp", "...", "src"),
    ],
)
def test_a_stray_init_in_the_folder_that_imports_count_from_makes_no_package_of_it(
    tmp_path: Path, imported: str, prefix: str, top: str
) -> None:
    tools = tmp_path / "src/desk/tools"
    tools.mkdir(parents=True)
    for folder in (tools, tools.parent, tools.parent.parent):
        (folder / "__init__.py").touch()
    (tools.parent / "main.py").write_text(imported)
    place = support_place(tools / "deleting.py", b"mcp = 1\n")
    assert (place.prefix, place.directory) == (prefix, tmp_path / top)
