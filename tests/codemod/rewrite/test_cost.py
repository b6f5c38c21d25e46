"""A file that can't ask costs a look at its bytes, and no libcst parse."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest

from mrtr_codemod.rewrite.file import Options, may_ask, rewrite_file


def test_a_file_without_asks_is_not_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "plain.py"
    path.write_text("from mcp.server.mcpserver import MCPServer\n\nmcp = MCPServer('x')\n" * 50)

    def parsed(*_: object) -> None:
        raise AssertionError("libcst was asked to parse")

    monkeypatch.setattr(cst, "parse_module", parsed)
    assert rewrite_file(path, Options(lambda v: True)).handlers == ()


@pytest.mark.parametrize(
    "text", [b"await ctx.elicit(", b"ctx.session.list_roots()", b"raise UrlElicitationRequiredError("]
)
def test_what_could_ask_is_looked_at(text: bytes) -> None:
    assert may_ask(text)


@pytest.mark.parametrize("text", [b"solicited", b"resample(x)", b"# nothing"])
def test_words_that_only_look_like_it_do_not_count(text: bytes) -> None:
    assert not may_ask(text)
