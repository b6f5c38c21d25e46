"""An exact verdict of the lint says what `mrtr rewrite` does, and an estimate hardly ever anything else."""

from __future__ import annotations

from pathlib import Path

import pytest

from codemod.rewrite import test_refusals as refusals
from codemod.rewrite.rewriting import HEADER
from mrtr_codemod.check import Options as CheckOptions
from mrtr_codemod.check import check
from mrtr_codemod.model import Verdict
from mrtr_codemod.rewrite.file import Options, rewrite_file
from mrtr_codemod.rewrite.followed import Followed
from mrtr_codemod.rewrite.sdk import memory
from mrtr_codemod.rewrite.sdk.names import GONE, PUT_BACK
from mrtr_codemod.rewrite.verdicts import Level
from mrtr_codemod.rules import all_rules
from mrtr_codemod.source import SourceFile

ROOT = Path(__file__).parents[2]
FILES = sorted(
    [
        *(ROOT / "tests" / "cases").rglob("*.py"),
        *(p for p in (ROOT / "samples").rglob("*.py") if "rewritten" not in p.parts),
        ROOT / "tests" / "golden" / "before.py",
    ]
)
LEVELS = {Verdict.REWRITE_SAFE: Level.SAFE, Verdict.REWRITE_REVIEW: Level.REVIEW}
UNSEEN = {"f37_signal_box": {"Closure.run"}, "MRTR101": {"delete"}}
"""Handlers that the lint leaves out, though the rewrite knows them: the method of a tool that is a class, and one that
serves both eras already."""
MISJUDGED = {
    "c14_calendar_link": {
        "link_and_share"
    },  # rewritten, it would look for something in another process's memory
    "c21_door_codes": {"reset_all"},  # the local that is no secret by its name is made by `secrets`
    "server": {"list_repositories"},  # what is read again is nothing but a file
}
"""Handlers of cases and samples whose estimated verdict is another one."""
OLD = "from mcp.server.fastmcp import Context, FastMCP\nfrom pydantic import BaseModel\n\nmcp = FastMCP('old')\n"
SCHEMA = "\n\nclass Ok(BaseModel):\n    ok: bool\n\n\n"
ASK = (
    "@mcp.tool()\nasync def handler({given}) -> str:\n    {first}\n"
    "    return (await {by}.elicit('Sure?', Ok)).action\n"
)
MOVED = ("Server.experimental", memory.ORIGIN)
"""What is gone and can't be imported, and what has a successor where it is used in the usual way."""


def linted(path: Path) -> dict[str, Verdict | None]:
    report = check([SourceFile(path.as_posix(), path.read_text())], CheckOptions(exact=True))
    assert not report.failures
    return {handler.name: handler.verdict for handler in report.handlers}


def estimated(path: Path) -> dict[str, Verdict | None]:
    """What is said without asking the rewrite."""
    return {h.name: h.verdict for h in check([SourceFile(path.as_posix(), path.read_text())]).handlers}


def rewritten(path: Path) -> dict[str, Level]:
    followed = Followed.of_sources([SourceFile(path.as_posix(), path.read_text())])
    result = rewrite_file(path, Options(lambda verdict: True, followed=followed))
    return {verdict.name: verdict.level for verdict in result.handlers}


def agree(path: Path) -> dict[str, Verdict | None]:
    """Check that both say the same, and return the verdicts."""
    verdicts, levels = linted(path), rewritten(path)
    unseen = UNSEEN.get(path.stem.partition(" ")[0], set()) - verdicts.keys()
    # The handlers that take the place of the low-level server's decorators.
    levels = {n if n in verdicts else n.removeprefix("on_"): level for n, level in levels.items()}
    assert {n: LEVELS.get(v, Level.MANUAL) for n, v in verdicts.items() if v} == {
        n: level for n, level in levels.items() if n not in unseen
    }
    return verdicts


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_on_every_case_and_sample(path: Path) -> None:
    verdicts = agree(path)
    guessed = estimated(path)
    differ = {name for name, verdict in verdicts.items() if guessed[name] != verdict}
    assert differ <= MISJUDGED.get(path.stem, set())


@pytest.mark.parametrize("rule", refusals.CASES)
def test_on_what_the_rewrite_refuses(tmp_path: Path, rule: str) -> None:
    (tmp_path / "server.py").write_text(
        HEADER
        + "REGISTRY: dict[str, list[int]] = {}\n\n\nasync def stream():\n    yield 'a'\n\n\n"
        + refusals.handler(refusals.CASES[rule])
    )
    assert set(agree(tmp_path / "server.py").values()) <= {
        Verdict.ADAPTER,
        Verdict.ADAPTER_MEMO,
        Verdict.BY_HAND,
    }


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_on_the_examples_of_every_rule(tmp_path: Path, rule) -> None:  # type: ignore[no-untyped-def]
    for number, source in enumerate(s for s in [*rule.valid, *rule.invalid] if isinstance(s, str)):
        path = tmp_path / f"{rule.code} {number}.py"
        path.write_text(source)
        agree(path)


@pytest.mark.parametrize(
    ("given", "first", "by", "verdict"),
    [
        ("ctx: Context = None", "ctx = ctx or mcp.get_context()", "ctx", Verdict.REWRITE_SAFE),
        ("ctx: Context", "context = ctx or mcp.get_context()", "context", Verdict.REWRITE_SAFE),
        ("", "ctx = mcp.get_context()", "ctx", Verdict.REWRITE_SAFE),
        ("", "pass", "mcp.get_context()", Verdict.REWRITE_SAFE),
    ],
)
def test_on_contexts_of_the_old_sdk(
    tmp_path: Path, given: str, first: str, by: str, verdict: Verdict
) -> None:
    path = tmp_path / "server.py"
    path.write_text(OLD + SCHEMA + ASK.format(given=given, first=first, by=by))
    assert agree(path) == {"handler": verdict}


def test_what_is_left_for_review_is_neither_called_manual_nor_marked_in_an_old_file(tmp_path: Path) -> None:
    path = tmp_path / "server.py"
    first = "context = ctx or mcp.get_context()\n    print(open('log', 'w').write('asked'))"
    path.write_text(OLD + SCHEMA + ASK.format(given="ctx: Context", first=first, by="context"))
    result = rewrite_file(path, Options(lambda verdict: verdict.level is Level.SAFE))
    assert [(v.level, v.rule, v.line, v.changed) for v in result.handlers] == [(Level.REVIEW, "", 12, False)]
    assert not result.outputs


@pytest.mark.parametrize("name", sorted(n for n in GONE if not n.endswith(MOVED)))
def test_what_no_new_sdk_serves_stays_behind_the_gateway(tmp_path: Path, name: str) -> None:
    module, _, last = name.rpartition(".")
    path = tmp_path / "server.py"
    path.write_text(
        f"from {module} import {last}\n{OLD}{SCHEMA}"
        + ASK.format(given="ctx: Context", first="pass", by="ctx")
    )
    put_back = name.startswith(PUT_BACK)
    assert (agree(path) == {"handler": Verdict.GATEWAY}) == (not put_back)
    assert (estimated(path) == {"handler": Verdict.GATEWAY}) == (not put_back)


@pytest.mark.parametrize(
    ("top", "first"),
    [
        ("mcp._mcp_server.experimental.enable_tasks()", "pass"),
        ("pass", "await ctx.request_context.experimental.run_task(print)"),
        ("pass", "ctx.session.experimental.check_tasks()"),
    ],
)
def test_experimental_tasks_stay_behind_the_gateway(tmp_path: Path, top: str, first: str) -> None:
    path = tmp_path / "server.py"
    path.write_text(f"{OLD}{top}\n{SCHEMA}" + ASK.format(given="ctx: Context", first=first, by="ctx"))
    assert agree(path) == estimated(path) == {"handler": Verdict.GATEWAY}
    kept = path.read_text()
    result = rewrite_file(path, Options(lambda verdict: True))
    (verdict,) = result.handlers
    assert verdict.rule == "gone-from-sdk"
    marker = f"# mrtr: manual[gone-from-sdk] {verdict.reason}\n".encode()
    assert result.outputs[0].after.replace(marker, b"") == kept.encode()


def test_a_notebook_is_not_rewritten() -> None:
    source = SourceFile(
        "server.ipynb", HEADER + refusals.TOOL + "    return (await ctx.elicit('Sure?', Ok)).action\n"
    )
    (handler,) = check([source], CheckOptions(exact=True)).handlers
    assert (handler.verdict, handler.reason) == (Verdict.ADAPTER, "`mrtr rewrite` does not read it")
