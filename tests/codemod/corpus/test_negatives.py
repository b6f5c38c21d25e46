"""No ask and no hazard is invented: in the standard library, in the installed SDKs, in this project itself."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from mrtr_codemod.check import check
from mrtr_codemod.model import Finding, Report
from mrtr_codemod.source import SourceFile

REPOSITORY = Path(__file__).parents[3]
LIBRARY = Path(sysconfig.get_path("stdlib"))
INSTALLED = Path(sysconfig.get_path("purelib"))

# Every finding of the 1xx and 3xx rules that was looked at: each is an ask, and stands for the reason given.
OWN = {
    "adapter/mrtr_adapter/demo/sample": "the servers of `mrtr demo` are written the old way on purpose",
    "adapter/mrtr_adapter/fastmcp/elicitation.py": "gives FastMCP handlers back the ask that the adapter catches",
    "adapter/mrtr_adapter/fastmcp/roots.py": "gives FastMCP 4 handlers back `ctx.list_roots`",
    "adapter/mrtr_adapter/fastmcp/sampling/step.py": "gives FastMCP 4 handlers back `ctx.sample`",
    "adapter/mrtr_adapter/binding/legacy.py": "pushes what a migrated handler asks, on legacy connections only",
    "adapter/mrtr_adapter/engine/session.py": "the session that turns asks into questions overrides them",
}
MCP = {
    "mcp/server/elicitation.py": "what `Context.elicit` and `Context.elicit_url` are made of",
    "mcp/server/mcpserver/context.py": "the asks of the context themselves",
    "mcp/server/mcpserver/resolve.py": "`Resolve` asks for its parameters on legacy connections",
    "mcp/server/session.py": "the asks of the session themselves",
}
FASTMCP = {
    "fastmcp/server/context.py": "the ask of the context itself",
    "fastmcp/server/providers/proxy.py": "a proxy passes on what the server behind it asks",
}


def python_files(root: Path, *packages: str) -> Iterator[SourceFile]:
    for package in packages:
        for path in sorted((root / package).rglob("*.py")):
            name = path.relative_to(root).as_posix()
            if "site-packages" in name or name.startswith("test/"):
                continue
            try:
                yield SourceFile(name, path.read_text(encoding="utf-8"))
            except UnicodeDecodeError:
                continue  # the standard library tests odd encodings


def asks_and_hazards(report: Report) -> list[Finding]:
    return [finding for finding in report.findings if finding.rule.startswith(("MRTR1", "MRTR3"))]


def test_the_standard_library_never_asks() -> None:
    report = check(python_files(LIBRARY, "."))
    assert report.files > 200
    assert asks_and_hazards(report) == []


@pytest.mark.parametrize(("package", "judged"), [("mcp", MCP), ("fastmcp", FASTMCP)])
def test_an_installed_sdk_holds_no_other_asks_than_its_own(package: str, judged: dict[str, str]) -> None:
    report = check(python_files(INSTALLED, package))
    assert not report.failures
    found = asks_and_hazards(report)
    assert {finding.span.path for finding in found} == set(judged)
    assert {finding.rule for finding in found} <= {"MRTR101", "MRTR102", "MRTR103", "MRTR104"}


def test_this_project_asks_only_where_it_means_to() -> None:
    report = check(python_files(REPOSITORY, "adapter", "codemod"))
    assert not report.failures
    found = {finding.span.path for finding in asks_and_hazards(report)}
    assert [path for path in found if not path.startswith(tuple(OWN))] == []
    assert not [finding for finding in report.findings if finding.rule.startswith("MRTR11")]
