"""Asks behind another file are seen, and their handlers left to the adapter with the reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from mrtr_codemod.cli.rewrite import rewrite

from .rewriting import HEADER

HELPER = (
    "from mcp.server.mcpserver import Context\nfrom pydantic import BaseModel\n\n\n"
    "class Sure(BaseModel):\n    ok: bool\n\n\n"
    'async def sure(ctx: Context, what: str) -> bool:\n    return (await ctx.elicit(what, Sure)).action == "accept"\n'
)
SERVER = (
    HEADER.replace("from pydantic", "from helpers import sure\nfrom pydantic")
    + "@mcp.tool()\nasync def handler(name: str, ctx: Context) -> str:\n    return str(await sure(ctx, name))\n"
)


def test_a_helper_in_another_file_leaves_its_caller_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "helpers.py").write_text(HELPER)
    (tmp_path / "server.py").write_text(SERVER)
    CliRunner().invoke(rewrite, [".", "--write", "--unsafe"], catch_exceptions=False)
    assert (tmp_path / "helpers.py").read_text() == HELPER
    text = (tmp_path / "server.py").read_text()
    marker = next(line for line in text.splitlines(keepends=True) if "# mrtr: manual[unfollowed-ask]" in line)
    assert text.replace(marker, "") == SERVER
    CliRunner().invoke(rewrite, [".", "--write", "--unsafe"], catch_exceptions=False)
    assert (tmp_path / "server.py").read_text() == text
