"""What files for FastMCP 2 and 3 import, where FastMCP 4 has moved or removed it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mrtr_adapter.fastmcp.old_names import MOVED

NAMES = {
    "fastmcp.prompts.prompt": "Prompt",
    "fastmcp.resources.resource": "Resource",
    "fastmcp.server.auth.authorization": "AuthContext",
    "fastmcp.server.openapi": "RouteMap",
    "fastmcp.server.proxy": "ProxyClient",
    "fastmcp.server.sampling": "SamplingTool",
    "fastmcp.server.sampling.run": "SamplingResult",
    "fastmcp.server.sampling.sampling_tool": "SamplingTool",
    "fastmcp.tools.tool": "ToolResult",
}


def python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def allowing(code: str) -> str:
    return python(f"from mrtr_adapter.fastmcp.unchanged import allow_old_names; allow_old_names()\n{code}")


def test_each_old_module_can_be_imported() -> None:
    assert NAMES.keys() == MOVED.keys()
    allowing("".join(f"from {module} import {name}\n" for module, name in NAMES.items()))


def test_it_does_not_matter_which_comes_first() -> None:
    python(
        "import fastmcp\nfrom mrtr_adapter.fastmcp.unchanged import allow_old_names; allow_old_names()\n"
        "from fastmcp.server.sampling import SampleStep"
    )


def test_the_decorator_of_the_same_name_stays() -> None:
    assert allowing(
        "from fastmcp.tools.tool import Tool\nfrom fastmcp.tools import tool\nprint(type(tool).__name__)"
    ) == ("function\n")


def test_a_file_without_fastmcp_does_not_import_it() -> None:
    assert allowing("import json, sys; print('fastmcp' in sys.modules)") == "False\n"


@pytest.mark.parametrize("option", ["port=80", "nonsense=1"])
def test_an_option_that_is_none_of_ours_is_refused_as_before(option: str) -> None:
    printed = allowing(
        f"from fastmcp import FastMCP\ntry:\n    FastMCP('x', {option})\nexcept TypeError as e:\n    print(e)"
    )
    assert option.split("=")[0] in printed
