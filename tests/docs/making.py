"""Makes the pages that say what the code says of itself: the rules, the commands, the functions.

    python tests/docs/making.py

writes them anew.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

import mrtr_adapter
from mrtr_adapter.cli import mrtr
from mrtr_adapter.fastmcp.unchanged import allow_old_names
from mrtr_adapter.recording.handler import ThisFlow
from mrtr_adapter.stores import Store
from mrtr_codemod.cli.rulebook import rulebook

PAGES = Path(__file__).parents[2] / "docs"
MADE = "<!-- Made by tests/docs/making.py; don't edit. -->\n"
GROUPS = {
    "0": "Suppressions",
    "1": "Asks",
    "2": "Removed or deprecated",
    "3": "Hazards of running a handler again",
    "4": "Policy",
}


def made() -> Mapping[str, str]:
    """The pages by name, as they come out now."""
    return {"rules.md": _rules(), "commands.md": _commands(), "api.md": _api()}


def _rules() -> str:
    lines = [MADE, "# The rules of `mrtr lint`\n"]
    lines.append("`mrtr explain MRTR303` shows the same in the terminal.\n")
    group = ""
    for code, rule in rulebook().items():
        if code[4] != group:
            group = code[4]
            lines.append(f"## {code[:5]}xx: {GROUPS[group]}\n")
        lines.append(f"### {code} {rule.name} ({rule.level.value})\n\n{rule.summary}\n")
        for title, body in rule.sections:
            lines.append(
                f"**{title}.** {body.strip()}\n" if "```" not in body else f"**{title}.**\n\n{body.strip()}\n"
            )
        lines.append(f"Reference: <{rule.reference}>\n")
    return "\n".join(lines)


def _commands() -> str:
    lines = [MADE, "# The commands\n", "`mrtr COMMAND --help` shows the same in the terminal.\n"]
    context = click.Context(mrtr, info_name="mrtr")
    for name in mrtr.list_commands(context):
        command = mrtr.get_command(context, name)
        assert command is not None
        lines += _command(command, click.Context(command, parent=context, info_name=name))
    return "\n".join(lines)


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield f"## {context.info_name}\n"
    yield f"`{usage}`\n"
    yield inspect.cleandoc(command.help or "").replace("\b\n", "") + "\n"
    yield "| option | |\n| --- | --- |"
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            option, text = (" ".join(part.split()).replace("|", "\\|") for part in record)
            yield f"| `{option}` | {text} |"
    yield ""


def _api() -> str:
    lines = [
        MADE,
        "# The functions\n",
        "All of them come `from mrtr_adapter import …`, unless another module is named.\n",
    ]
    for name in sorted(mrtr_adapter.__all__, key=str.lower):
        lines += _entry(name, getattr(mrtr_adapter, name))
        if name == "flow":
            lines += _members(ThisFlow)
    lines += ["## Elsewhere\n"]
    lines += _entry("mrtr_adapter.fastmcp.unchanged.allow_old_names", allow_old_names)
    lines += _entry("mrtr_adapter.stores.Store", Store)
    lines += _members(Store)
    return "\n".join(lines)


def _entry(name: str, value: Any) -> Iterator[str]:
    yield f"### {name}\n"
    if inspect.isroutine(value):
        yield f"`{_signature(name.rpartition('.')[2], value)}`\n"
    yield _described(value) + "\n"


def _members(kind: type) -> Iterator[str]:
    for name, member in vars(kind).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            yield f"- `{name}`: {_told(member)}"
        elif inspect.isroutine(member):
            yield f"- `{_signature(name, member)}`: {_told(member)}"
    yield ""


def _told(member: Any) -> str:
    return " ".join((inspect.getdoc(member) or "").split())


def _described(value: Any) -> str:
    """The docstring, its `Args` and `Raises` as lists."""
    text = inspect.getdoc(value) or ""
    parts = re.split(r"^(Args|Raises|Returns):\n", text, flags=re.MULTILINE)
    described = [_fenced(parts[0].strip())]
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        listed, _, rest = body.partition("\n\n")
        entries = re.split(r"\n(?=\S)", textwrap.dedent(listed).strip())
        items = [" ".join(entry.split()) for entry in entries]
        named = [re.sub(r"^([\w.*]+):", r"`\1`:", item) for item in items]
        described.append(f"{title}:\n\n" + "\n".join(f"- {item}" for item in named))
        if rest.strip():
            described.append(rest.strip())
    return "\n\n".join(part for part in described if part)


def _fenced(text: str) -> str:
    """With fences around the code that a docstring sets off by its indentation."""
    return re.sub(
        r"(?:^    .*\n?)+",
        lambda code: f"```python\n{textwrap.dedent(code[0]).rstrip()}\n```\n",
        text,
        flags=re.MULTILINE,
    )


def _signature(name: str, function: Any) -> str:
    node = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    kept = [argument for argument in node.args.args if argument.arg != "self"]
    node.args.args = kept
    arguments = ast.unparse(node.args)
    waiting = "await " if isinstance(node, ast.AsyncFunctionDef) else ""
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{waiting}{name}({arguments}){result}"


def main() -> None:
    for name, text in made().items():
        (PAGES / name).write_text(text)


if __name__ == "__main__":
    main()
