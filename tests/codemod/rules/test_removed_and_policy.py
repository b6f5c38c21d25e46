"""What the 2xx and 4xx rules say of whole files: of old servers, of migrated ones, and of code that is no
server."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from mrtr_codemod.check import Options, check
from mrtr_codemod.rules import all_rules
from mrtr_codemod.source import SourceFile

TESTS = Path(__file__).parents[2]
INSTALLED = Path(sysconfig.get_path("purelib"))
RULES = Options(select=frozenset(rule.code for rule in all_rules() if rule.code[4] in "24"))

CASES = {
    "cases/c01_mailbox_purge.py": ["MRTR404 23"],
    "cases/c06_warehouse.py": ["MRTR404 51"],
    "cases/c07_dns_zone.py": ["MRTR404 64"],
    "cases/c09_meeting_notes.py": ["MRTR206 26"],
    "cases/c13_workspace_report.py": ["MRTR206 21", "MRTR207 43"],
    "cases/c14_calendar_link.py": ["MRTR201 43", "MRTR203 48", "MRTR201 56", "MRTR203 60"],
    "cases/c15_tracker_oauth.py": ["MRTR202 36", "MRTR201 42"],
    "cases/c16_release_notes.py": ["MRTR206 33"],
    "cases/c17_triage_agent.py": ["MRTR206 41"],
    "cases/c18_scaffold.py": ["MRTR207 25"],
    "cases/c21_door_codes.py": ["MRTR404 42"],
    "cases/c24_snippets.py": ["MRTR404 25"],
    "cases/fastmcp/f28_research_desk.py": ["MRTR207 26", "MRTR206 36", "MRTR206 57", "MRTR206 60"],
    "golden/before.py": ["MRTR404 43", "MRTR404 73", "MRTR201 96", "MRTR203 99"],
}
"""Every finding in the first twenty-eight cases and the golden pair, each looked at."""

SDK = {
    "mcp/server/elicitation.py": {"MRTR201"},
    "mcp/server/mcpserver/context.py": {"MRTR201"},
    "mcp/server/session.py": {"MRTR201", "MRTR203", "MRTR206", "MRTR207"},
    "mcp/shared/peer.py": {"MRTR201"},
    "fastmcp/server/providers/proxy.py": {"MRTR201", "MRTR206", "MRTR207"},
}
"""The files of the SDKs that define, or pass on, what 2026-07-28 removed."""


def found(*sources: SourceFile) -> list[str]:
    report = check(sources, RULES)
    assert not report.failures
    return [f"{finding.rule} {finding.span.line}" for finding in report.findings]


def read(root: Path, *folders: str) -> Iterator[SourceFile]:
    for folder in folders:
        for path in sorted((root / folder).rglob("*.py")):
            yield SourceFile(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))


def cases() -> list[str]:
    numbered = [*TESTS.glob("cases/c*.py"), *TESTS.glob("cases/fastmcp/f2*.py")]
    return sorted(path.relative_to(TESTS).as_posix() for path in [*numbered, TESTS / "golden/before.py"])


@pytest.mark.parametrize("name", cases())
def test_an_old_server_gets_the_findings_that_were_judged_and_no_other(name: str) -> None:
    assert found(SourceFile(name, (TESTS / name).read_text(encoding="utf-8"))) == CASES.get(name, [])


def test_a_migrated_server_gets_no_finding() -> None:
    names = ("golden/after.py", "golden/mrtr_steps.py")
    assert found(*(SourceFile(name, (TESTS / name).read_text(encoding="utf-8")) for name in names)) == []


def test_the_clients_of_the_sdks_get_no_finding() -> None:
    assert found(*read(INSTALLED, "mcp/client", "fastmcp/client")) == []


def test_only_the_files_of_the_sdks_that_still_serve_older_protocols_are_found() -> None:
    report = check(read(INSTALLED, "mcp", "mcp_types", "fastmcp"), RULES)
    for finding in report.findings:
        assert finding.rule in SDK.get(finding.span.path, set()), finding


def test_packages_that_know_nothing_of_mcp_get_no_finding() -> None:
    assert (
        found(*read(INSTALLED, "pydantic", "starlette", "anyio", "click", "cryptography", "jsonschema")) == []
    )
