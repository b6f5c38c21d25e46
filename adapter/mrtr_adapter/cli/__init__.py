"""The command `mrtr`: one group, whose subcommands are imported only when one is called.

`mrtr --help` therefore imports neither mcp nor libcst.
"""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

import click


class LazyCommand(NamedTuple):
    """Where a subcommand is defined (`module:attribute`) and its line in `mrtr --help`."""

    target: str
    summary: str


COMMANDS = {
    "check": LazyCommand("mrtr_adapter.cli.check:check", "See whether a live server conducts MRTR well."),
    "demo": LazyCommand("mrtr_adapter.cli.demo:demo", "See a flow survive the death of its server."),
    "explain": LazyCommand("mrtr_codemod.cli.explain:explain", "Explain a rule of the lint."),
    "keygen": LazyCommand("mrtr_adapter.cli.keygen:keygen", "Make a key for sealing requestState."),
    "lint": LazyCommand("mrtr_codemod.cli.lint:lint", "Find what protocol 2026-07-28 breaks in a repo."),
    "rewrite": LazyCommand("mrtr_codemod.cli.rewrite:rewrite", "Turn handlers that ask into explicit steps."),
    "rules": LazyCommand("mrtr_codemod.cli.rules:rules", "List the rules of the lint."),
    "run": LazyCommand("mrtr_adapter.cli.run:run", "Adapt a server file and serve it."),
    "verify": LazyCommand(
        "mrtr_adapter.cli.verify:verify", "Compare a server with itself, native and adapted."
    ),
    "wrap": LazyCommand("mrtr_adapter.cli.wrap:wrap", "Serve an old server, in any language, unmodified."),
}


class LazyGroup(click.Group):
    """A click group over `COMMANDS`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module, _, attribute = entry.target.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name].summary) for name in self.list_commands(ctx)])


@click.group(cls=LazyGroup)
@click.version_option(package_name="mrtr")
def mrtr() -> None:
    """Run, lint and rewrite interactive MCP servers for protocol 2026-07-28."""
