"""An import leads to the file of the repo that Python would import, also where the folders tell it badly."""

from __future__ import annotations

import pytest

from mrtr_codemod.check import check
from mrtr_codemod.names.imports import ModuleIndex
from mrtr_codemod.source import SourceFile

_HELPER = (
    "from fastmcp import Context\n"
    "async def sure(ctx: Context):\n"
    "    return (await ctx.elicit('Sure?', bool)).action == 'accept'\n"
)
_SERVER = "from fastmcp import FastMCP\nmcp = FastMCP('desk')\n"


def _tools(package: str) -> str:
    return (
        f"from fastmcp import Context\nfrom {package}server import mcp\nfrom {package}common.asking import sure\n"
        "@mcp.tool\nasync def delete(ctx: Context):\n    return await sure(ctx)\n"
    )


@pytest.mark.parametrize("stray", [[], ["src/__init__.py"], ["src/__init__.py", "__init__.py"]])
@pytest.mark.parametrize("package", ["desk.", "src.desk."])
def test_a_handler_in_src_is_found_whether_or_not_src_looks_like_a_package(
    package: str, stray: list[str]
) -> None:
    inside = ["src/desk/__init__.py", "src/desk/common/__init__.py", "src/desk/tools/__init__.py"]
    report = check(
        [
            *(SourceFile(path, "") for path in (*stray, *inside)),
            SourceFile("src/desk/server.py", _SERVER),
            SourceFile("src/desk/common/asking.py", _HELPER),
            SourceFile("src/desk/tools/deleting.py", _tools(package)),
        ]
    )
    assert [handler.name for handler in report.handlers] == ["delete"]


@pytest.mark.parametrize("stray", [[], ["server/__init__.py"]])
def test_a_module_below_the_folder_that_a_script_is_started_in_finds_its_neighbours(stray: list[str]) -> None:
    index = ModuleIndex([*stray, "server/main.py", "server/common/asking.py", "server/tools/deleting.py"])
    assert index.find("common.asking", "server/tools/deleting.py") == "server/common/asking.py"


@pytest.mark.parametrize(
    ("dotted", "path"),
    [
        ("redis", "app/redis.py"),
        ("mcp.types", "app/mcp/types.py"),
        ("fastmcp.server", "app/fastmcp/server/__init__.py"),
        ("logging.handlers", "app/logging/handlers.py"),
    ],
)
def test_a_library_is_not_taken_for_a_module_of_a_package_around_the_file(dotted: str, path: str) -> None:
    index = ModuleIndex(["app/__init__.py", "app/tools/__init__.py", path])
    assert index.find(dotted, "app/tools/deleting.py") is None


def test_what_lies_on_the_path_goes_before_what_lies_in_a_package() -> None:
    index = ModuleIndex(["common/asking.py", "app/__init__.py", "app/common/asking.py", "app/tools/x.py"])
    assert index.find("common.asking", "app/tools/x.py") == "common/asking.py"
