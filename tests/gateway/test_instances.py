"""Gateways over HTTP, as processes: several of one service, killed ones, and whom they tell apart."""

from __future__ import annotations

import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from gateway.behind import OLD_SERVER, Journal
from gateway.instance import Instance, gone

KEY = {"MRTR_KEYS": "a-key-that-two-gateways-share-of-32-bytes-and-more"}


def gateway(journal: Journal, name: str, *options: str) -> Instance:
    log = journal.path.with_name(f"{name}.log")
    return Instance(log, (*options, "--", sys.executable, str(OLD_SERVER), str(journal.path)), KEY)


def said(reply: dict[str, object]) -> str:
    return str(reply["result"]["content"][0]["text"])  # type: ignore[index]


def test_a_state_resumes_on_another_instance_after_the_first_was_killed(journal: Journal) -> None:
    with gateway(journal, "a") as first, gateway(journal, "b") as second:
        safe, unsafe = first.call("look", {}), first.call("pay", {"amount": 5})
        first.kill()
        assert said(second.agree("look", {}, safe)) == "seen: True"
        error = second.agree("pay", {"amount": 5}, unsafe)["error"]
    assert error["data"] == {"reason": "call_lost"}
    assert journal.acts == ["reserved 5"]


def test_a_killed_gateway_leaves_no_children(journal: Journal) -> None:
    with gateway(journal, "a") as instance:
        instance.call("pay", {"amount": 5})
        stubborn = journal.pids
        for pid in stubborn:
            os.kill(pid, signal.SIGSTOP)  # so that they can't notice the end of their stdin by themselves
        instance.kill()
        assert all(gone(pid) for pid in stubborn)


@pytest.mark.parametrize("way", ["kill", "terminate"])
def test_what_a_child_has_started_ends_with_the_gateway(way: str, journal: Journal, tmp_path: Path) -> None:
    launcher, started = tmp_path / "launcher.py", tmp_path / "pids"
    launcher.write_text(
        f"""
import subprocess, sys
stubborn = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
child = subprocess.Popen([sys.executable, "-c", stubborn], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
open({str(started)!r}, "a").write(f"{{child.pid}}\\n")
subprocess.run([sys.executable, {str(OLD_SERVER)!r}, *sys.argv[1:]])
"""
    )
    options = ("--", sys.executable, str(launcher), str(journal.path))
    with Instance(tmp_path / "log", options, KEY) as instance:
        instance.call("pay", {"amount": 5})
        assert instance.process is not None
        instance.kill() if way == "kill" else instance.process.terminate()
    pids = [int(line) for line in started.read_text().split()]
    assert pids
    assert all(gone(pid) for pid in [*pids, *journal.pids])


def test_sigterm_lets_a_running_call_end(journal: Journal) -> None:
    with gateway(journal, "a") as instance, ThreadPoolExecutor() as threads:
        assert instance.process is not None
        running = threads.submit(instance.call, "sleep", {"seconds": 1.5})
        instance.await_work()
        instance.process.terminate()
        assert said(running.result()) == "slept"
        assert instance.process.wait(30) == 0
    assert all(gone(pid) for pid in journal.pids)


def test_users_of_a_trusted_header_are_apart(journal: Journal) -> None:
    ada, bob = {"X-User": "ada"}, {"X-User": "bob"}
    with gateway(journal, "a", "--trust-header", "X-User") as instance:
        asked = instance.call("look", {}, ada)
        assert "Invalid or expired requestState" in instance.agree("look", {}, asked, bob)["error"]["message"]
        assert said(instance.agree("look", {}, asked, ada)) == "seen: True"
        assert said(instance.call("whoami", {}, ada)) != said(instance.call("whoami", {}, bob))
        assert "X-User" in instance.call("whoami", {})["error"]["message"]


def test_an_older_session_is_of_the_user_who_used_it_first(journal: Journal) -> None:
    with gateway(journal, "a", "--trust-header", "X-User") as instance:
        url = f"http://127.0.0.1:{instance.port}/mcp"
        headers = {"Accept": "application/json, text/event-stream", "X-User": "ada"}
        params = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "by-hand", "version": "1"},
        }
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
        opened = httpx2.post(url, json=hello, headers=headers)
        headers["Mcp-Session-Id"] = opened.headers["Mcp-Session-Id"]
        httpx2.post(url, json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=headers)
        call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "whoami"}}
        assert "structuredContent" in httpx2.post(url, json=call, headers=headers, timeout=30).text
        stolen = httpx2.post(url, json=call, headers={**headers, "X-User": "bob"}, timeout=30).text
    assert "belongs to another user" in stolen


def test_health_tells_what_there_is(journal: Journal) -> None:
    with gateway(journal, "a") as instance:
        instance.call("pay", {"amount": 5})
        status, health = instance.health()
    assert (status, health["status"], health["servers"]["/mcp"]["status"]) == (200, "ok", "ok")
    assert health["servers"]["/mcp"]["held"] == 1


def test_a_request_with_a_foreign_host_is_refused(journal: Journal) -> None:
    with gateway(journal, "a") as instance:
        reply = httpx2.post(
            f"http://127.0.0.1:{instance.port}/mcp", json={}, headers={"Host": "evil.example.com"}
        )
    assert reply.status_code in (403, 421)


def test_a_file_names_several_servers_behind_paths(journal: Journal, tmp_path: Path) -> None:
    file = tmp_path / "servers.toml"
    command = f'command = ["{sys.executable}", "{OLD_SERVER}", "{journal.path}"]'
    file.write_text(f'[servers.one]\n{command}\n[servers.two]\n{command}\nreplay = "none"\nhold = 0\n')
    with Instance(tmp_path / "log", ("--config", str(file)), KEY, path="/one/mcp") as instance:
        asked = instance.call("look", {})
        assert said(instance.agree("look", {}, asked)) == "seen: True"
        instance.path = "/two/mcp"
        assert instance.call("look", {})["error"]["data"] == {"reason": "cannot_wait"}
        other = instance.agree("look", {}, asked)["error"]
    assert other["message"] == "Invalid or expired requestState"


def test_only_named_variables_reach_the_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "env.py"
    script.write_text(
        "import json, os, sys\nopen(sys.argv[1], 'w').write(json.dumps(dict(os.environ)))\nsys.exit(3)\n"
    )
    monkeypatch.setenv("SECRET_OF_THE_GATEWAY", "1")
    monkeypatch.setenv("WANTED", "2")
    seen = tmp_path / "seen"
    options = ("--env", "WANTED", "--env", "GIVEN=3", "--", sys.executable, str(script), str(seen))
    with pytest.raises(RuntimeError, match="has ended with status 3"):
        Instance(tmp_path / "log", options).__enter__()
    environment = seen.read_text()
    assert '"WANTED": "2"' in environment
    assert '"GIVEN": "3"' in environment
    assert "SECRET_OF_THE_GATEWAY" not in environment
