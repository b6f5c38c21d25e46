"""An old server in plain Python: 2025-11-25 over stdio, no SDK, everything written down in a journal file.

`python old_server.py JOURNAL` appends a line for each thing that it does, with its process id in front. With `--roots`
it asks for the client's roots right after it has started, as many do, with `--roots-twice` once more when it has them,
and with `--roots-withdrawn` it does not wait for them; with `--roots-everywhere` it asks in lists and calls,
whatever the client has declared, and goes on without them if it gets none. With `--steady` it does not announce that
its list of tools may change.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from contextlib import suppress
from itertools import count
from typing import Any

TOOLS: list[dict[str, Any]] = [
    {"name": "whoami", "annotations": {"readOnlyHint": True}},
    {"name": "pay", "title": "Pay", "icons": [{"src": "https://example.com/pay.png"}]},
    {"name": "look", "annotations": {"readOnlyHint": True}},
    {"name": "three", "annotations": {"idempotentHint": True}},
    {"name": "impatient"},
    {"name": "sleep"},
    {"name": "tell"},
    {"name": "die"},
    {"name": "page"},
    {"name": "long", "execution": {"taskSupport": "required"}},
    {"name": "where"},
]
FORM = {"type": "object", "properties": {"sure": {"type": "boolean"}}, "required": ["sure"]}

_ids = count(1)
_answers: dict[str, Any] = {}
_arrived = threading.Condition()
_writing = threading.Lock()
_declared: dict[str, Any] = {}
_opened_pages: set[str] = set()
_roots: list[str] = []
_learned = threading.Event()


def note(text: str) -> None:
    with open(sys.argv[1], "a") as journal:
        journal.write(f"{os.getpid()} {text}\n")


def send(**message: Any) -> None:
    with _writing:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def ask(message: str) -> dict[str, Any]:
    return wait_for(begin(message))


def begin(message: str) -> str:
    return request("elicitation/create", params={"message": message, "requestedSchema": FORM})


def request(method: str, **more: Any) -> str:
    identity = f"ask-{next(_ids)}"
    send(id=identity, method=method, **more)
    return identity


def look_for_roots() -> None:
    if "--roots-everywhere" in sys.argv[2:]:
        with suppress(RuntimeError):
            learn_roots()


def wants_roots() -> bool:
    return bool({"--roots", "--roots-twice"} & set(sys.argv[2:])) and "roots" in _declared


def withdraw() -> None:
    send(method="notifications/cancelled", params={"requestId": request("roots/list")})


def learn_roots() -> None:
    if "--roots-twice" in sys.argv[2:]:
        wait_for(request("roots/list"))
    _roots.extend(root["uri"] for root in wait_for(request("roots/list"))["roots"])
    _learned.set()


def wait_for(identity: str) -> dict[str, Any]:
    with _arrived:
        _arrived.wait_for(lambda: identity in _answers)
        reply = _answers[identity]
    if "error" in reply:
        raise RuntimeError(reply["error"]["message"])
    return dict(reply["result"])


class Refused(Exception):
    def __init__(self, code: int, message: str, data: Any) -> None:
        self.error = {"code": code, "message": message, "data": data}


def sure(answer: dict[str, Any]) -> bool:
    return bool(answer["action"] == "accept" and answer["content"]["sure"])


def call(name: str, arguments: dict[str, Any], meta: dict[str, Any]) -> str:
    if name == "whoami":
        return str(os.getpid())
    if name == "pay":
        note(f"reserved {arguments['amount']}")
        first = sure(ask(f"Pay {arguments['amount']}?"))
        second = first and sure(ask("Really?"))
        if second:
            note(f"paid {arguments['amount']}")
        return "paid" if second else "not paid"
    if name == "look":
        return f"seen: {sure(ask('May I look?'))}"
    if name == "three":
        asked = [begin(f"Question {number}") for number in (1, 2, 3)]
        return " ".join(str(sure(wait_for(identity))) for identity in asked)
    if name == "impatient":
        begin("Never mind?")
        time.sleep(0.3)
        return "went on without you"
    if name == "sleep":
        time.sleep(arguments["seconds"])
        return "slept"
    if name == "tell":
        for step in (1, 2):
            if "progressToken" in meta:
                progress = {
                    "progressToken": meta["progressToken"],
                    "progress": step,
                    "total": 2,
                    "message": f"step {step}",
                }
                send(method="notifications/progress", params=progress)
            send(method="notifications/message", params={"level": "warning", "data": f"at {step}"})
        return "told"
    if name == "die":
        note("died")
        os._exit(7)
    if name in ("where", "where_unlisted"):
        look_for_roots()
        if wants_roots():
            _learned.wait(10)
        note("looked")
        return " ".join(_roots) or "nowhere"
    if name == "page":
        url = "https://example.com/login"
        if url not in _opened_pages:
            _opened_pages.add(url)
            page = {"mode": "url", "url": url, "message": "Log in", "elicitationId": f"e{os.getpid()}"}
            raise Refused(-32042, "Log in first", {"elicitations": [page]})
        return "logged in"
    if name == "long":
        raise Refused(-32601, "this tool wants to be called as a task", None)
    raise Refused(-32602, f"no tool {name}", {"tool": name})


def handle(message: dict[str, Any]) -> None:
    try:
        send(id=message["id"], result=result_of(message["method"], message.get("params") or {}))
    except Refused as refused:
        send(id=message["id"], error=refused.error)
    except RuntimeError as error:
        text = {"type": "text", "text": f"could not ask: {error}"}
        send(id=message["id"], result={"content": [text], "isError": True})


def result_of(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        _declared.update(params["capabilities"])
        return {
            "protocolVersion": "2025-06-18",
            "serverInfo": {"name": "old", "title": "Old server", "version": "1.2"},
            "instructions": "Ask me.",
            "capabilities": {
                "tools": {"listChanged": "--steady" not in sys.argv[2:]},
                "resources": {"subscribe": True},
                "prompts": {},
                "logging": {},
            },
        }
    if method == "tools/list":
        look_for_roots()
        shown = TOOLS if "elicitation" in _declared else [tool for tool in TOOLS if tool["name"] == "whoami"]
        start = int(params.get("cursor", 0))
        more = {"nextCursor": str(start + 5)} if start + 5 < len(shown) else {}
        return {
            "tools": [{"inputSchema": {"type": "object"}, **tool} for tool in shown[start : start + 5]],
            **more,
        }
    if method == "tools/call":
        if "task" in params:
            return {
                "task": {"taskId": "1", "status": "working", "createdAt": "", "lastUpdatedAt": "", "ttl": 1}
            }
        text = call(params["name"], params.get("arguments") or {}, params.get("_meta") or {})
        return {
            "content": [{"type": "text", "text": text, "annotations": {"audience": ["user"]}}],
            "structuredContent": {"text": text},
            "_meta": {"example.com/pid": os.getpid()},
        }
    if method == "prompts/get":
        raise Refused(-32602, f"no prompt {params['name']}", None)
    if method == "prompts/list":
        return {"prompts": [{"name": "letter"}]}
    if method == "resources/list":
        return {"resources": []}
    if method == "resources/templates/list":
        return {"resourceTemplates": []}
    if method == "resources/subscribe":
        threading.Timer(
            0.1, send, (), {"method": "notifications/resources/updated", "params": params}
        ).start()
    return {}


def main() -> None:
    note("started")
    for line in sys.stdin:
        message = json.loads(line)
        if "method" not in message:
            with _arrived:
                _answers[message["id"]] = message
                _arrived.notify_all()
        elif "id" in message:
            threading.Thread(target=handle, args=(message,), daemon=True).start()
        elif message["method"] == "notifications/initialized" and "--roots-withdrawn" in sys.argv[2:]:
            withdraw()
        elif message["method"] == "notifications/initialized" and wants_roots():
            threading.Thread(target=learn_roots, daemon=True).start()
    note("ended")


if __name__ == "__main__":
    main()
