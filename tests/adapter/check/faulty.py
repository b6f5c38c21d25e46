"""A small 2026-07-28 server written by hand, which does everything right but for the one fault in its path.

    POST /FAULT/mcp

`POST //mcp` has no fault. It knows nothing of any SDK, so that each mistake that a server can make can be made.
"""

from __future__ import annotations

import base64
import hmac
import json
import time
from dataclasses import dataclass, field
from typing import Any

from cryptography.fernet import Fernet, InvalidToken
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

META = "io.modelcontextprotocol/"
LIFETIME = 600
CONFIRM = {
    "type": "object",
    "properties": {"sure": {"type": "boolean"}},
    "required": ["sure"],
}
NESTED = {"type": "object", "properties": {"who": {"type": "object", "properties": {}}}, "required": []}
SCHEMA = {"type": "object", "properties": {"thing": {"type": "string"}}, "required": ["thing"]}
TOOLS = ("sell", "buy", "visit", "peek")
SECRET = Fernet.generate_key()
FERNET = Fernet(SECRET)


class Refused(Exception):
    """Ends the request with a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        self.error = {"code": code, "message": message, **({} if data is None else {"data": data})}


@dataclass
class Clock:
    """The time as all servers see it. A test may turn it forward."""

    ahead: float = 0.0

    def now(self) -> float:
        return time.time() + self.ahead


@dataclass
class Faulty:
    """One request at a server with one fault."""

    fault: str
    clock: Clock
    user: str
    body: dict[str, Any]
    memory: dict[str, Any]
    pushed: list[str] = field(default_factory=list)

    @property
    def params(self) -> dict[str, Any]:
        found: dict[str, Any] = self.body.get("params", {})
        return found

    @property
    def declared(self) -> dict[str, Any]:
        found: dict[str, Any] = self.params.get("_meta", {}).get(f"{META}clientCapabilities", {})
        return found

    def has(self, *faults: str) -> bool:
        return self.fault in faults

    def serve(self) -> dict[str, Any]:
        """The result.

        Raises:
            Refused: there is none.
        """
        self._check_envelope()
        method = self.body["method"]
        if method == "server/discover":
            supported = [] if self.has("discover") else {"supportedVersions": ["2026-07-28"]}
            return self._complete({**dict(supported), "capabilities": {"tools": {}}})
        if method == "tools/list":
            if self.has("other-methods-never-ask") and "requestState" in self.params:
                return {"resultType": "input_required", "requestState": "list"}
            listed = self._complete({"tools": [self._listed(name) for name in TOOLS]})
            if self.has("result-type"):
                del listed["resultType"]
            return listed
        if method == "tools/call":
            return self._call(self.params["name"], self.params.get("arguments", {}))
        raise Refused(-32600 if self.has("unknown-method") else -32601, "Method not found")

    def _check_envelope(self) -> None:
        meta = self.params.get("_meta", {})
        version = meta.get(f"{META}protocolVersion")
        if version is None and not self.has("envelope-required"):
            raise Refused(-32602, "Invalid params: _meta")
        if version not in (None, "2026-07-28") and not self.has("unknown-version"):
            raise Refused(-32022, "Unsupported protocol version", {"supported": ["2026-07-28"]})

    def _listed(self, name: str) -> dict[str, Any]:
        return {"name": name, "inputSchema": SCHEMA, "annotations": {"readOnlyHint": name == "peek"}}

    def _complete(self, result: dict[str, Any]) -> dict[str, Any]:
        return {"resultType": "complete", **result}

    def _text(self, text: str, *, is_error: bool = False) -> dict[str, Any]:
        return self._complete({"content": [{"type": "text", "text": text}], "isError": is_error})

    def _call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if name not in TOOLS and not self.has("unknown-tool"):
            raise Refused(-32602, f"Unknown tool: {name}")
        if name == "peek":
            return self._text(arguments["thing"])
        if self.has("nothing-pushed") and "requestState" not in self.params:
            self.pushed.append("elicitation/create")
        answers = self.params.get("inputResponses")
        state = self.params.get("requestState")
        if state is None and not (answers and self.has("answer-needs-its-state")):
            return self._ask(name, arguments)
        if state is not None:
            self._check_state(state, name, arguments)
        return self._go_on(name, arguments, answers or {})

    # -- asking ------------------------------------------------------------------------------------------------

    def _questions(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if name == "visit":
            page: dict[str, Any] = {"mode": "url", "message": "Log in", "url": "https://example.com/login"}
            if self.has("page-has-url"):
                page["elicitationId"] = "1"
            return {"login": {"method": "elicitation/create", "params": page}}
        form = {
            "message": f"{name} {arguments.get('thing')}?",
            "requestedSchema": NESTED if self.has("form-is-flat") else CONFIRM,
        }
        method = "user/ask" if self.has("ask-kinds") else "elicitation/create"
        key = "sure"
        if self.has("ask-keys"):
            self.memory["asked"] = self.memory.get("asked", 0) + 1
            key = f"sure-{self.memory['asked']}"
        asked = {key: {"method": method, "params": form}}
        return asked if name == "buy" else {**asked, "where": {"method": "roots/list"}}

    def _ask(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        mode = "url" if name == "visit" else "form"
        if not self._may_ask(mode):
            if self.has("undeclared-never-goes-on"):
                return self._text("done all the same")
            if self.has("nothing-removed"):
                raise Refused(-32042, "URL elicitation required")
            raise Refused(-32021, "Not declared", {"requiredCapabilities": {"elicitation": {mode: {}}}})
        result: dict[str, Any] = {"resultType": "input_required"}
        if self.has("round-has-content"):
            return result
        result["inputRequests"] = self._questions(name, arguments)
        result["requestState"] = self._seal(name, arguments)
        self.memory["id"] = self.body["id"]
        return result

    def _may_ask(self, mode: str) -> bool:
        if self.has("undeclared-never-asked"):
            return True
        elicitation = self.declared.get("elicitation")
        if elicitation is None:
            return False
        if self.has("other-mode-never-asked"):
            return True
        by_default = not elicitation and mode == "form" and not self.has("empty-means-form")
        return mode in elicitation or by_default

    # -- the state ---------------------------------------------------------------------------------------------

    def _claims(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        claims: dict[str, Any] = {"step": 1}
        if not self.has("state-bound-to-tool"):
            claims["tool"] = name
        if not self.has("state-bound-to-arguments"):
            claims["arguments"] = arguments
        if not self.has("state-bound-to-user"):
            claims["user"] = self.user
        return claims

    def _seal(self, name: str, arguments: dict[str, Any]) -> str:
        claims = {**self._claims(name, arguments), "until": self.clock.now() + LIFETIME}
        if self.has("state-is-small"):
            claims["filling"] = "x" * 20_000
        text = json.dumps(claims)
        legible = base64.urlsafe_b64encode(text.encode()).decode()
        if self.has("forged-state-refused"):
            return legible
        if self.has("state-is-sealed"):
            return f"{legible}.{_signature(legible)}"
        return FERNET.encrypt(text.encode()).decode()

    def _check_state(self, state: str, name: str, arguments: dict[str, Any]) -> None:
        if self.has("changed-state-refused", "cut-state-refused"):
            return
        if self.has("retry-under-new-id") and self.body["id"] != self.memory["id"]:
            raise Refused(-32602, "Unknown request")
        try:
            claims = self._opened(state)
        except (InvalidToken, ValueError):
            raise Refused(-32602, "Invalid requestState") from None
        until = claims.pop("until", 0)
        claims.pop("filling", None)
        expired = until < self.clock.now() and not self.has("state-expires")
        fits = "step" in claims if self.has("forged-state-refused") else self._fits(claims, name, arguments)
        if expired or not fits:
            raise Refused(-32602, "Invalid requestState")

    def _opened(self, state: str) -> dict[str, Any]:
        if self.has("state-is-sealed"):
            state, _, signature = state.partition(".")
            if not hmac.compare_digest(signature, _signature(state)):
                raise ValueError(state)
        legible = self.has("forged-state-refused", "state-is-sealed")
        claims = json.loads(base64.urlsafe_b64decode(state) if legible else FERNET.decrypt(state))
        if not isinstance(claims, dict):
            raise ValueError(state)
        return claims

    def _fits(self, claims: dict[str, Any], name: str, arguments: dict[str, Any]) -> bool:
        return claims == self._claims(name, arguments)

    # -- the answers -------------------------------------------------------------------------------------------

    def _go_on(self, name: str, arguments: dict[str, Any], answers: Any) -> dict[str, Any]:
        questions = self._questions(name, arguments)
        if self.has("ask-keys"):
            questions = dict(zip(answers, questions.values(), strict=False))
        if self.has("call-ends"):
            return self._ask(name, arguments)
        if self.has("answers-belong-to-keys"):
            answers = dict(zip(questions, sorted(answers.values(), key=lambda a: "roots" in a), strict=False))
        if self.has("extra-answer-ignored") and answers.keys() - questions.keys():
            raise Refused(-32602, "Unknown answer")
        if not questions.keys() <= answers.keys():
            if self.has("missing-answer-asked-again"):
                raise Refused(-32602, "Missing answer")
            return self._ask(name, arguments)
        for key, question in questions.items():
            self._check_answer(question, answers[key])
        self.memory["served"] = self.memory.get("served", 0) + 1
        count = f" for the {self.memory['served']}th time" if self.has("same-retry-same-outcome") else ""
        return self._text(f"{name}: done{count}")

    def _check_answer(self, question: dict[str, Any], answer: Any) -> None:
        if not isinstance(answer, dict):
            if self.has("malformed-answer-refused"):
                return
            raise Refused(-32602, "Malformed answer")
        if ("roots" if question["method"] == "roots/list" else "action") not in answer:
            if self.has("wrong-kind-refused"):
                return
            raise Refused(-32602, "An answer of another kind")
        if question["method"] == "roots/list":
            return
        if answer["action"] not in ("accept", "decline", "cancel") and not self.has("unknown-action-refused"):
            raise Refused(-32602, "Unknown action")
        schema = question.get("params", {}).get("requestedSchema", {})
        lacks = set(schema.get("required", [])) - set(answer.get("content") or {})
        if answer["action"] == "accept" and lacks and not self.has("broken-content-refused"):
            raise Refused(-32602, "Content breaks the schema")


def _signature(text: str) -> str:
    return hmac.new(SECRET, text.encode(), "sha256").hexdigest()


def application(clock: Clock) -> Starlette:
    """All faults, each at a path of its own."""
    memories: dict[str, dict[str, Any]] = {}

    async def endpoint(request: Request) -> Response:
        body = json.loads(await request.body())
        if "method" not in body:
            return Response(status_code=202)
        fault = request.path_params["fault"]
        user = request.headers.get("authorization", "")
        faulty = Faulty(fault, clock, user, body, memories.setdefault(fault, {}))
        try:
            reply: dict[str, Any] = {"result": faulty.serve()}
        except Refused as refused:
            reply = {"error": refused.error}
        message = {"jsonrpc": "2.0", "id": body["id"], **reply}
        return _stream(faulty.pushed, message) if faulty.pushed else JSONResponse(message)

    return Starlette(routes=[Route("/{fault}/mcp", endpoint, methods=["POST"])])


def _stream(pushed: list[str], message: dict[str, Any]) -> Response:
    asked = [{"jsonrpc": "2.0", "id": f"push-{n}", "method": m, "params": {}} for n, m in enumerate(pushed)]
    events = "".join(f"event: message\r\ndata: {json.dumps(item)}\r\n\r\n" for item in [*asked, message])
    return Response(events, media_type="text/event-stream")
