"""An old server that misbehaves when its one tool, `act`, is called: `python hostile_server.py HOW [FOLDER]`."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

FORM = {"type": "object", "properties": {"sure": {"type": "boolean"}}, "required": ["sure"]}


def write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def send(**message: Any) -> None:
    write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")


def result(text: str = "done") -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


def flood(number: int) -> None:
    for _ in range(20_000):
        write("no message at all, but a line\n")
    send(id=number, result=result())


def endless_line(number: int) -> None:
    while True:
        write("x" * 1_000_000)


def deep(number: int) -> None:
    write("[" * 100_000 + "\n")
    send(id=number, result=result())


def twice(number: int) -> None:
    send(id=number, result=result("first"))
    send(id=number, result=result("second"))


def wrong_ids(number: int) -> None:
    for wrong in ("x", None, number + 1000, [number], {"id": number}):
        send(id=wrong, result=result("not yours"))
    send(id=number, result=result())


def nonsense(number: int) -> None:
    send(method="notifications/progress", params=[1, 2])
    send(method="notifications/progress", params={"progressToken": "call", "progress": "much"})
    send(method={"tools": 1}, params={})
    send(id="a", method=7)
    send()
    send(id=number, result=result())


def strange_error(number: int) -> None:
    send(id=number, error={"code": "E_BROKEN", "message": {"why": "unknown"}})


def unheard_of(number: int) -> None:
    send(id="q", method="computer/destroy", params={})
    reply = json.loads(sys.stdin.readline())
    send(id=number, result=result(str(reply["error"]["code"])))


def asks_without_end(number: int) -> None:
    asked = {"jsonrpc": "2.0", "method": "elicitation/create"}
    write(
        "".join(
            json.dumps({**asked, "id": f"q{n}", "params": {"message": f"{n}?", "requestedSchema": FORM}})
            + "\n"
            for n in range(2000)
        )
    )
    time.sleep(600)


def malformed_question(number: int) -> None:
    send(id="q", method="elicitation/create", params={"message": 7, "requestedSchema": []})
    time.sleep(600)


def chatters(number: int) -> None:
    send(id="q", method="elicitation/create", params={"message": "Sure?", "requestedSchema": FORM})
    while not os.path.exists(f"{sys.argv[2]}/go"):
        time.sleep(0.01)
    for step in range(5000):
        send(
            method="notifications/progress",
            params={"progressToken": "call", "progress": step, "message": "x" * 1000},
        )
    open(f"{sys.argv[2]}/gone", "w").close()
    while json.loads(sys.stdin.readline()).get("id") != "q":
        pass
    send(id=number, result=result())


def dies_while_it_asks(number: int) -> None:
    send(id="q", method="elicitation/create", params={"message": "Sure?", "requestedSchema": FORM})
    os._exit(9)


def deaf(number: int) -> None:
    time.sleep(600)


ACTS = {
    act.__name__: act
    for act in (
        flood,
        endless_line,
        deep,
        twice,
        wrong_ids,
        nonsense,
        strange_error,
        unheard_of,
        asks_without_end,
        malformed_question,
        chatters,
        dies_while_it_asks,
        deaf,
    )
}
HELLO = {
    "protocolVersion": "2025-11-25",
    "serverInfo": {"name": "hostile", "version": "1"},
    "capabilities": {"tools": {}},
}


def main(how: str) -> None:
    for line in sys.stdin:
        message = json.loads(line)
        method, number = message.get("method"), message.get("id")
        if method == "initialize":
            if how == "mute":
                time.sleep(600)
            send(
                id=number,
                result=[] if how == "odd" else {**HELLO, "capabilities": 3} if how == "bare" else HELLO,
            )
        elif method == "notifications/initialized" and how == "hears_nothing":
            time.sleep(600)
        elif method == "tools/call":
            ACTS[how](number)
        elif method == "tools/list":
            send(id=number, result={"tools": [{"name": "act", "inputSchema": {"type": "object"}}]})
        elif number is not None:
            send(id=number, result={})


if __name__ == "__main__":
    main(sys.argv[1])
