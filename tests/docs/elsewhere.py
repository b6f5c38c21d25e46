"""Blocks that no page's test runs, since something else does already."""

from __future__ import annotations

from typing import NamedTuple


class Elsewhere(NamedTuple):
    """Where a block is run: a test as `tests/FILE.py::NAME`, or words that stand in `.ci/run`."""

    block: tuple[str, str]
    """The page, and the first line of the block."""
    by: str
    why: str


ELSEWHERE = [
    Elsewhere(
        ("docs/deploying.md", "events {}"),
        "tests/docs/test_deploying.py::test_rounds_go_to_every_instance_and_none_fails",
        "the test puts it in front of two instances",
    ),
    Elsewhere(
        ("docs/verify.md", "mrtr verify server.py --record cases.json"),
        "tests/adapter/verify/test_record.py::test_in_a_terminal_the_time_of_the_person_does_not_count",
        "asks whoever sits at the terminal",
    ),
    Elsewhere(
        ("docs/telemetry.md", "from opentelemetry import metrics"),
        "tests/adapter/telemetry/test_docs.py::test_prometheus_gets_all_of_the_metrics_by_the_block_on_the_page",
        "a process has one meter provider, so the test runs it in one of its own",
    ),
    Elsewhere(
        ("docs/quick-start.md", "$ python3 -m venv .venv && . .venv/bin/activate && pip install ."),
        "pip install -e '.[test]'",
        "it is what CI does",
    ),
    Elsewhere(
        ("docs/lint.md", "repos:"),
        "tests/codemod/cli/test_hook.py::test_the_hook_runs_a_command_that_exists",
        "the test runs the hook as it is declared",
    ),
    Elsewhere(
        ("README.md", "$ python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/mrtr demo"),
        "tests/adapter/cli/test_demo.py::test_rounds_are_served_by_two_processes",
        "installs packages; the demo itself is run by the test, an installation by CI",
    ),
    Elsewhere(
        ("README.md", "$ python3 -m venv .venv && .venv/bin/pip install -e '.[test]' && .venv/bin/pytest"),
        "pip install -e '.[test]'",
        "it is what CI does",
    ),
]
