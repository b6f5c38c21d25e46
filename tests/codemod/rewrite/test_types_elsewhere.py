"""Types of locals that the file itself does not tell: other files, what functions return, stubs by way of `jedi`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mrtr_codemod.rewrite.engine import Engine, Part
from mrtr_codemod.rewrite.followed import Followed
from mrtr_codemod.rewrite.module_view import ModuleView
from mrtr_codemod.rewrite.valuetypes.stubs import stubbed_result

from .rewriting import HEADER, rewritten
from .test_shapes import TOOL

USED = "    effect(name)\n    answer = await ctx.elicit(f'{value}?', Ok)\n    return f'{value} {answer.action}'\n"


def body(value: str, *, imports: str = "") -> str:
    return (
        HEADER.replace("import uuid\n", f"import uuid\n{imports}\n") + TOOL + f"    value = {value}\n" + USED
    )


def carried(source: str) -> str:
    """The annotation of the only local that is carried."""
    result = rewritten(source)
    assert [v.rule for v in result.handlers] == [""], result.handlers
    return result.after.partition("    value: ")[2].partition("\n")[0]


@pytest.mark.parametrize(
    ("origin", "type_"),
    [
        ("getpass.getuser", "str"),
        ("os.cpu_count", "int | None"),
        ("zlib.crc32", "int"),
        ("platform.node", "str"),
    ],
)
def test_what_a_function_outside_gives_is_looked_up(origin: str, type_: str) -> None:
    call = f"{origin}()" if origin != "zlib.crc32" else "zlib.crc32(name.encode())"
    assert carried(body(call, imports=f"import {origin.partition('.')[0]}")) == type_


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        ("Path(name).resolve()", "Path"),
        ("Path(name).expanduser().absolute()", "Path"),
        ("Path.home().joinpath(name).with_suffix('.txt')", "Path"),
        ("(Path.cwd() / name).parent.relative_to('/')", "Path"),
        ("Path(name).resolve().is_file()", "bool"),
        ("Path(name).read_text()", "str"),
    ],
)
def test_what_the_methods_of_a_path_give_is_known(value: str, type_: str) -> None:
    assert carried(body(value, imports="from pathlib import Path")) == type_


@pytest.mark.parametrize(
    "origin", ["os.getenv", "json.load", "time.localtime", "random.choice", "no.such.thing"]
)
def test_what_is_not_said_in_plain_words_is_not_guessed(origin: str) -> None:
    assert stubbed_result(origin) is None


def test_a_function_without_annotation_gives_what_all_of_its_returns_give() -> None:
    helpers = (
        "def first(name: str):\n    if effect(name):\n        return [name]\n    return None\n\n\n"
        "def last(name: str):\n    if effect(name):\n        return len(name)\n\n\n"
        "def open_ended(name):\n    return name\n\n\n"
    )
    for call, type_ in (("first(name)", "list[str] | None"), ("last(name)", "int | None")):
        assert carried(body(call).replace("@mcp", f"{helpers}@mcp")) == type_
    (verdict,) = rewritten(body("open_ended(effect(name))").replace("@mcp", f"{helpers}@mcp")).handlers
    assert verdict.rule == "untyped-local"


@pytest.mark.parametrize("imports", ["from texts import LIMITS, NAME", "import texts"])
def test_values_that_another_file_defines_are_known(imports: str) -> None:
    texts = "NAME = 'Who is {0}?'\nLIMITS: list[int] = [1, 2]\nCHANGED = 1\nCHANGED = '2'\n"
    prefix = "texts." if "import texts" in imports else ""
    for value, type_ in (
        (f"{prefix}NAME.format(effect(name))", "str"),
        (f"{prefix}LIMITS[effect('')]", "int"),
    ):
        files = {"texts.py": texts, "server.py": body(value, imports=f"\n{imports}")}
        followed = Followed.of(files)
        part = Part.told(ModuleView.of(files["server.py"]), followed, "server.py", "", 100)
        (result,) = Engine([part]).run(lambda verdict: True)
        assert f"    value: {type_}\n" in result.after, result.handlers


def test_classes_and_functions_of_other_files_are_known() -> None:
    models = (
        "from __future__ import annotations\n\nfrom dataclasses import dataclass\n\n\n"
        "@dataclass\nclass Row:\n    name: str\n    size: int\n\n\n"
        "def load(name: str) -> list[Row]:\n    return [Row(name, 1)]\n"
    )
    source = body("load(name)", imports="\nfrom models import load")
    followed = Followed.of({"models.py": models, "server.py": source})
    part = Part.told(ModuleView.of(source), followed, "server.py", "", 100)
    (result,) = Engine([part]).run(lambda verdict: True)
    assert "    value: list[Row]\n" in result.after
    assert "from models import Row, load\n" in result.after


@pytest.mark.parametrize(
    ("value", "objection"),
    [
        ("name if effect(name) else uuid.uuid4()", "can't tell str from uuid.UUID"),
        ("[name] if effect(name) else {name}", "can't tell list[str] from set[str]"),
        ("{(name, 1): effect(name)}", "tuple[str, int] as a key"),
    ],
)
def test_what_json_writes_alike_is_not_carried(value: str, objection: str) -> None:
    (verdict,) = rewritten(body(value)).handlers
    assert verdict.rule == "uncarriable-local"
    assert objection in verdict.reason


def test_jedi_is_loaded_for_a_file_that_needs_it_only() -> None:
    script = (
        "import sys\nfrom mrtr_codemod.rewrite.engine import rewrite_module\n"
        "from mrtr_codemod.rewrite.module_view import ModuleView\n"
        "rewrite_module(ModuleView.of(sys.stdin.read()), lambda v: True)\nprint('jedi' in sys.modules)"
    )
    golden = Path(__file__).parents[2] / "golden" / "before.py"
    for source, loaded in ((golden.read_text(), "False"), (body("asyncio.get_running_loop()"), "True")):
        command = [sys.executable, "-c", script]
        done = subprocess.run(command, input=source, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == loaded
