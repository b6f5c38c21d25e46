"""What `mrtr wrap` says to somebody who holds it wrong."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from mrtr_adapter.cli.wrap import wrap
from mrtr_adapter.gateway.child import Command
from mrtr_adapter.gateway.config import read_config
from mrtr_adapter.gateway.remote import Endpoint
from mrtr_adapter.gateway.settings import Settings

TOKENS = ("--issuer", "https://login.example.com", "--audience", "desk")
PYTHON = ("--", sys.executable, "-c", "print('no MCP')")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "give the old server, either as a command"),
        (("--url", "https://old/mcp", *PYTHON), "and not both"),
        (("--url", "ftp://old"), "no http or https URL"),
        (("--", "no-such-command-anywhere"), "there is no command no-such-command-anywhere"),
        (("--env", "NO_SUCH_VARIABLE_HERE", *PYTHON), "give NO_SUCH_VARIABLE_HERE=VALUE"),
        (("--header", "Authorization", "--url", "https://old/mcp"), "is no header"),
        (("--header", "A: b", *PYTHON), "is for a server behind --url"),
        (("--replay", "all,none", *PYTHON), "can't be combined"),
        (("--trust-header", "X-User", *PYTHON), "give --http HOST:PORT as well"),
        (("--jwks", "keys.json", *PYTHON), "give all of --jwks"),
        (
            (*TOKENS, "--jwks", "no-such-file.json", *PYTHON),
            "--jwks no-such-file.json can't be read: No such file",
        ),
        ((*TOKENS, "--jwks", "https://login.example.com/jwks", *PYTHON), "give --http HOST:PORT as well"),
        (("--config", "servers.toml", "--http", "127.0.0.1:0", *PYTHON), "leave out the command"),
        (
            ("--config", "no-such-file.toml", "--http", "127.0.0.1:0"),
            "no-such-file.toml can't be read: No such",
        ),
        (("--store", "mongo://x", *PYTHON), "mongo"),
        (("--", sys.executable, "-c", "raise SystemExit(3)"), "has ended with status 3"),
        (("--url", "http://127.0.0.1:9/mcp"), "127.0.0.1:9"),
    ],
)
def test_bad_input_is_one_line_that_says_what_to_do(arguments: tuple[str, ...], reason: str) -> None:
    run = CliRunner().invoke(wrap, arguments)
    last = run.stderr.strip().splitlines()[-1]
    assert run.exit_code == 2
    assert last.startswith("mrtr wrap: ")
    assert reason in last
    assert "Traceback" not in run.output


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "[servers.b]\nurl = 'https://b/mcp'\n\n[servers.a]\nurl = 'https://old/mcp'\nholds = 3\n",
            "servers.toml, line 6: servers.a.holds: there is no such field; did you mean hold?",
        ),
        (
            "[servers.a]\nurl = 'https://a/mcp'\nhold = 'long'\n",
            'servers.toml, line 3: servers.a.hold: must be a number, not "long"',
        ),
        ("[server.a]\nurl = 'https://a/mcp'\n", "servers.toml: servers: is missing"),
        ("\n[servers.a]\n", "servers.toml, line 2, [servers.a]: give the old server"),
        ("[servers.'a/b']\nurl = 'https://old/mcp'\n", "a name is letters"),
        (
            "[servers.a]\nurl = 'https://a/mcp'\nheader = ['Authorization: Bearer $NO_SUCH_TOKEN']\n",
            "[servers.a]: there is no variable NO_SUCH_TOKEN",
        ),
        ("[servers", "is not TOML: Expected ']' at the end of a table declaration (at"),
        ("a = " + "[" * 100_000, "servers.toml is not TOML: "),
        ("a = " + "9" * 5_000, "servers.toml is not TOML: Exceeds the limit"),
        ("", "servers: is missing"),
        (
            "[servers.a]\nreplay = 4\n",
            "servers.toml, line 2: servers.a.replay: must be a string or a list, not 4",
        ),
        ("[servers.a]\nsessions = 0\n", "servers.toml, line 2: servers.a.sessions: must be at least 1"),
        ("servers = 3\n", "servers.toml: servers: must be a table, not 3"),
        (
            "[servers.a]\nurl = 'https://old/mcp'\naudience = 'desk'\n",
            "[servers.a]: to verify access tokens give all",
        ),
    ],
)
def test_a_bad_file_says_where(text: str, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "servers.toml"
    file.write_text(text)
    run = CliRunner().invoke(wrap, ["--config", str(file), "--http", "127.0.0.1:0"])
    assert (run.exit_code, reason in run.stderr) == (2, True), run.stderr


def test_a_file_with_several_mistakes_tells_each_in_a_line(tmp_path: Path) -> None:
    file = tmp_path / "servers.toml"
    file.write_text("[servers.a]\nurl = 3\ntimeout = 0\n[servers.b]\nzzz = 1\n")
    run = CliRunner().invoke(wrap, ["--config", str(file), "--http", "127.0.0.1:0"])
    start = f"mrtr wrap: {file}, line"
    assert run.stderr.splitlines()[:2] == [
        f"{start} 2: servers.a.url: must be a string, not 3",
        f"{start} 3: servers.a.timeout: must be more than 0",
    ]
    assert run.stderr.splitlines()[2].startswith(
        f"{start} 5: servers.b.zzz: there is no such field; there are "
    )


def test_secrets_of_a_file_come_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TICKETS_TOKEN", "t0k3n")
    file = tmp_path / "servers.toml"
    file.write_text(
        """
        [servers.tickets]
        url = "https://tickets.example.com/mcp"
        header = ["Authorization: Bearer $TICKETS_TOKEN"]
        [servers.files]
        command = ["python"]
        env = { API_KEY = "$TICKETS_TOKEN", PLAIN = "value" }
        """
    )
    servers = read_config(file, Settings(Command(())))
    tickets, files = (servers[f"/{name}/mcp"].behind for name in ("tickets", "files"))
    assert isinstance(tickets, Endpoint)
    assert isinstance(files, Command)
    assert tickets.headers == {"Authorization": "Bearer t0k3n"}
    assert files.environment == {"API_KEY": "t0k3n", "PLAIN": "value"}
    assert "t0k3n" not in repr(servers)
