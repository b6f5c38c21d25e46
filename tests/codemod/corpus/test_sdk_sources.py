"""Every ask in the sources, examples and tests of `mcp` 1.30 and FastMCP 3.4 is found, and none is invented.

The asks are counted here by their spelling alone, which in these trees is enough, as one can see by looking.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from mrtr_codemod.check import check
from mrtr_codemod.source import SourceFile
from needs import needs

METHODS = {
    "elicit",
    "elicit_form",
    "elicit_url",
    "elicit_as_task",
    "create_message",
    "create_message_as_task",
    "list_roots",
    "sample",
    "sample_step",
}
FUNCTIONS = {"elicit_with_validation", "elicit_url"}
KINDS = {
    "ElicitRequest",
    "CreateMessageRequest",
    "ListRootsRequest",
    "ElicitResult",
    "CreateMessageResult",
    "CreateMessageResultWithTools",
    "ListRootsResult",
}
ASKS = (
    "MRTR101",
    "MRTR102",
    "MRTR103",
    "MRTR104",
    "MRTR111",
    "MRTR112",
    "MRTR113",
    "MRTR114",
    "MRTR116",
    "MRTR117",
)


def spelled_like_an_ask(node: ast.Call) -> bool:
    if isinstance(node.func, ast.Attribute):
        if node.func.attr == "send_request":
            return bool(KINDS & set(names_in(node)))
        return node.func.attr in METHODS
    return isinstance(node.func, ast.Name) and node.func.id.lstrip("_") in FUNCTIONS


def names_in(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute):
            yield part.attr
        elif isinstance(part, ast.Name):
            yield part.id


@pytest.mark.parametrize(("tree", "least"), [("mcp-1.30.0", 70), ("fastmcp-3.4.11", 110)])
def test_every_ask_of_an_sdk_tree_is_found_and_none_invented(tree: str, least: int) -> None:
    root = Path(needs("sdk_sources")) / tree
    sources = [
        SourceFile(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))
        for path in sorted(root.rglob("*.py"))
    ]
    counted = {
        (source.path, node.lineno)
        for source in sources
        for node in ast.walk(ast.parse(source.text))
        if isinstance(node, ast.Call) and spelled_like_an_ask(node)
    }
    report = check(sources)
    found = {(finding.span.path, finding.span.line) for finding in report.findings if finding.rule in ASKS}
    assert len(counted) >= least
    assert found == counted
    assert not report.failures
