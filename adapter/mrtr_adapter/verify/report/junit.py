"""The report as JUnit XML, which CI systems show: a difference is a failure, what could not be compared an error."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from mrtr_adapter.verify.report.outcome import UNSTEADY, Outcome
from mrtr_adapter.verify.runs import Difference
from mrtr_adapter.verify.verification import Finding

_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 can't hold, not even escaped."""


def render(outcome: Outcome) -> str:
    """One test suite, with a test case for each case."""
    suites = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(
        suites,
        "testsuite",
        name="mrtr verify",
        tests=str(len(outcome.findings)),
        failures=str(outcome.count("different")),
        errors=str(outcome.count("could not run") + outcome.count("unsteady")),
        skipped="0",
    )
    for finding in outcome.findings:
        _add(suite, outcome.file, finding)
    ElementTree.indent(suites)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"
    )


def _add(suite: ElementTree.Element, file: str, finding: Finding) -> None:
    case = ElementTree.SubElement(
        suite,
        "testcase",
        classname=_clean(f"{file}.{finding.case.request.target}"),
        name=_clean(finding.case.name),
    )
    if finding.reason is not None:
        ElementTree.SubElement(case, "error", message=_clean(finding.reason), type="could not run")
    elif finding.verdict == "different":
        first = next(each for found in finding.differences.values() for each in found)
        failure = ElementTree.SubElement(
            case, "failure", message=_clean(f"{first.what} differs"), type=first.kind
        )
        failure.text = _clean(
            "\n".join(_told(way, found) for way, found in finding.differences.items() if found)
        )
    elif finding.verdict == "unsteady":
        error = ElementTree.SubElement(case, "error", message=_clean(UNSTEADY), type="unsteady")
        error.text = _clean(_told("native again", finding.unsteady))
    if finding.hazards:
        told = ElementTree.SubElement(case, "system-out")
        told.text = _clean(
            "\n".join(f"{each.kind}, {each.way}: {each.what}: {each.how}" for each in finding.hazards)
        )


def _told(way: str, found: Sequence[Difference]) -> str:
    return "\n".join(f"{way}, {each.what}: natively {each.native!r}, here {each.other!r}" for each in found)


def _clean(text: str) -> str:
    return _NOT_IN_XML.sub("�", text)
