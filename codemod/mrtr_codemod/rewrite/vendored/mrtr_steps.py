"""Explicit steps: a handler asks the client, ends, and is entered again with the answers (MCP 2026-07-28).

What must survive between the rounds is one `Step` model per resume point. It travels in `requestState`, which the
server seals; together with it travel the keys that were asked for, so an answer counts only if its question was.
`Steps` reads both and this round's answers. Vendored by `mrtr rewrite`; it needs nothing but `mcp` >= 2.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar, overload

from mcp import MCPError
from mcp.server.elicitation import (
    AcceptedElicitation,
    AcceptedUrlElicitation,
    CancelledElicitation,
    DeclinedElicitation,
    UrlElicitationResult,
    render_elicitation_schema,
)
from mcp.types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    ClientCapabilities,
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    CreateMessageResultWithTools,
    ElicitationCapability,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    ElicitResult,
    FormElicitationCapability,
    InputRequest,
    InputRequiredResult,
    ListRootsRequest,
    ListRootsResult,
    MissingRequiredClientCapabilityErrorData,
    RootsCapability,
    SamplingCapability,
    SamplingMessage,
    SamplingToolsCapability,
    UrlElicitationCapability,
)
from pydantic import BaseModel, ConfigDict, ValidationError
from typing_extensions import Self, TypeAliasType

ItemT = TypeVar("ItemT")
SchemaT = TypeVar("SchemaT", bound=BaseModel)
A = TypeVar("A", bound="Step")
B = TypeVar("B", bound="Step")
C = TypeVar("C", bound="Step")
D = TypeVar("D", bound="Step")
TakenT = TypeVar("TakenT", ElicitResult, CreateMessageResult, ListRootsResult)

Answer = TypeAliasType(
    "Answer",
    AcceptedElicitation[SchemaT] | DeclinedElicitation | CancelledElicitation,
    type_params=(SchemaT,),
)
"""What a form was answered with."""

FIRST_VERSION = "2026-07-28"
MAX_ROUNDS = 40
"""Rounds after which a call is ended, so that a handler that never stops asking does not run for ever. Clients end one
after 10, unless they were told to go on for longer."""


class Step(BaseModel):
    """A resume point: the locals that the code after it still needs. `step` tells a handler's points apart."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        ser_json_inf_nan="constants",
        ser_json_bytes="base64",
        val_json_bytes="base64",
    )
    step: str


class CannotAsk(MCPError):
    """This client can't be asked. Catching it is no consent: let it through."""


class Steps:
    """One round of one handler.

    Args:
        ctx: the handler's context, or the request context of the low-level server; None outside of a request.
        params: the request's params; only the low-level server needs them.

    Raises:
        MCPError: -32602 if the state that came back is not one that this code wrote.
    """

    def __init__(self, ctx: Any, params: Any = None) -> None:
        source = ctx if params is None else params
        self._session = ctx.session if ctx is not None else None
        self._answers: dict[str, Any] = {}
        self._points: list[dict[str, Any]] = []
        self._round = 1
        self._unentered = False
        self._restarted: dict[str, Any] = {}
        self.resuming = False
        """True in the rounds that go on where an earlier one left off."""
        self.asking = False
        """True once this round has ended in a question."""
        if source is not None and source.request_state is not None:
            self._restore(source.request_state, source.input_responses or {})

    def _restore(self, state: str, given: dict[str, Any]) -> None:
        try:
            saved = json.loads(state)
            self._points, self._round = list(saved["points"]), saved["round"] + 1
            answers = {key: given[key] for key in saved["asked"] if key in given}
            if saved["restart"]:
                self._restarted = answers
                return
        except (ValueError, KeyError, TypeError) as error:
            raise _foreign_state() from error
        self._answers = answers
        self.resuming = self._unentered = True

    @overload
    def resume(self, a: type[A], /) -> A | None: ...
    @overload
    def resume(self, a: type[A], b: type[B], /) -> A | B | None: ...
    @overload
    def resume(self, a: type[A], b: type[B], c: type[C], /) -> A | B | C | None: ...
    @overload
    def resume(self, a: type[A], b: type[B], c: type[C], d: type[D], /) -> A | B | C | D | None: ...
    @overload
    def resume(self, *steps: type[Step]) -> Any: ...
    def resume(self, *steps: type[Step]) -> Any:
        """The step where this round goes on, or None in the first round.

        Raises:
            MCPError: -32602 if the state that came back belongs to none of `steps`.
        """
        if not self._points:
            return None
        point = self._points[0]
        try:
            model = next(step for step in steps if _name(step) == point["step"])
            return model.model_validate_json(json.dumps(point))
        except (StopIteration, KeyError, TypeError, ValidationError) as error:
            raise _foreign_state() from error

    def form(self, key: str, schema: type[SchemaT]) -> Answer[SchemaT] | None:
        """The answer to the form under `key`, or None: not asked yet, left out, or not what the schema asks for."""
        answer = self.raw(key)
        if answer is None:
            return None
        if answer.action == "decline":
            return DeclinedElicitation()
        if answer.action == "cancel":
            return CancelledElicitation()
        try:
            return AcceptedElicitation(data=schema.model_validate(answer.content))
        except ValidationError:
            return None

    def url(self, key: str) -> UrlElicitationResult | None:
        """The answer to the URL request under `key`; accept means that the user agreed to open it, no more."""
        answer = self.raw(key)
        if answer is None:
            return None
        if answer.action == "accept":
            return AcceptedUrlElicitation()
        return DeclinedElicitation() if answer.action == "decline" else CancelledElicitation()

    def raw(self, key: str) -> ElicitResult | None:
        """The answer under `key` as the client sent it, its content unchecked."""
        return self._taken(key, ElicitResult)

    def sample(self, key: str) -> CreateMessageResult | None:
        """What the client's model said to the request under `key`."""
        return self._taken(key, CreateMessageResult)

    def sample_with_tools(self, key: str) -> CreateMessageResultWithTools | None:
        """As `sample`, for a request that offered tools."""
        answer = self._answers.pop(key, None)
        if isinstance(answer, (CreateMessageResult, CreateMessageResultWithTools)):
            return CreateMessageResultWithTools.model_validate(answer.model_dump())
        return None

    def roots(self, key: str) -> ListRootsResult | None:
        """The roots that the client listed."""
        return self._taken(key, ListRootsResult)

    def _taken(self, key: str, kind: type[TakenT]) -> TakenT | None:
        # An answer is used up: a loop that comes by again asks again.
        answer = self._answers.pop(key, None)
        return answer if isinstance(answer, kind) else None

    def ask(self, state: Step | None = None, /, **requests: InputRequest) -> InputRequiredResult:
        """End the round: the client answers `requests` and calls again, which resumes at `state`.

        Raises:
            CannotAsk: the client did not declare what a request needs (-32021), or speaks an older protocol.
            TypeError: a local in `state` would not come back from JSON as it is.
        """
        return self._ended(requests, [] if state is None else [_saved(state)])

    def restart(self, **requests: InputRequest) -> InputRequiredResult:
        """End the call: the client answers `requests` and calls again, which runs the handler from its top.

        Raises:
            CannotAsk: as for `ask`.
            MCPError: the user has already refused one of `requests`.
        """
        for key in requests:
            answer = self._restarted.get(key)
            if isinstance(answer, ElicitResult) and answer.action != "accept":
                raise MCPError(INVALID_REQUEST, f"The user did not agree ({answer.action})")
        return self._ended(requests, [], restart=True)

    def _ended(
        self, requests: dict[str, InputRequest], points: list[dict[str, Any]], *, restart: bool = False
    ) -> InputRequiredResult:
        if self._session is None:
            raise CannotAsk(
                INVALID_REQUEST, "This handler was called outside of a request, so there is nobody to ask."
            )
        # Under the adapter, older clients are asked all the same: it pushes what is returned here.
        pushed = getattr(self._session, "pushes_steps", False)
        if self._session.protocol_version < FIRST_VERSION and not pushed:
            raise CannotAsk(
                INVALID_PARAMS,
                f"This handler asks the client, which needs MCP {FIRST_VERSION}; this connection speaks "
                f"{self._session.protocol_version}. Use a newer client, or serve old ones through `mrtr run`.",
            )
        for key, request in requests.items():
            _require(self._session.client_capabilities, key, request)
        if self._round > MAX_ROUNDS:
            raise CannotAsk(
                INVALID_PARAMS,
                f"This call has asked {MAX_ROUNDS} times and is ended. Ask for several things in one round, "
                "or raise MAX_ROUNDS in mrtr_steps.py.",
            )
        self.asking = True
        saved = {"round": self._round, "asked": list(requests), "points": points, "restart": restart}
        return InputRequiredResult(input_requests=requests, request_state=json.dumps(saved))

    def inner(self, at: type[Step] | None = None) -> Self:
        """The steps of a function that is called at the point `at` and may ask as well.

        The first such call of a resumed round goes on where the function left off; later ones begin anew. Without
        `at` the function's steps are the handler's own.
        """
        inner = object.__new__(self._inside())
        inner.__dict__.update(
            self.__dict__, _answers={}, _points=[], _unentered=False, resuming=False, asking=False
        )
        here = at is None or (self._points and self._points[0].get("step") == _name(at))
        if self._unentered and here:
            inner.__dict__.update(_answers=self._answers, _unentered=True, resuming=True)
            inner._points = self._points if at is None else self._points[1:]
            self._unentered = False
        return inner

    def _inside(self) -> type[Self]:
        return type(self)

    def pass_on(self, state: Step | None, asked: InputRequiredResult) -> InputRequiredResult:
        """End the round with what an inner function `asked`; the retry comes back to it through `state`."""
        self.asking = True
        if state is None:
            return asked
        saved = json.loads(asked.request_state or "{}")
        if saved["restart"]:
            return asked
        saved["points"] = [_saved(state), *saved["points"]]
        return asked.model_copy(update={"request_state": json.dumps(saved)})


def form(message: str, schema: type[BaseModel]) -> ElicitRequest:
    """A form for the user, with the fields of `schema`."""
    return raw_form(message, render_elicitation_schema(schema))


def raw_form(message: str, schema: dict[str, Any]) -> ElicitRequest:
    """A form for the user, its fields given as JSON Schema."""
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def url(message: str, url: str) -> ElicitRequest:
    """A page for the user to open."""
    return ElicitRequest(params=ElicitRequestURLParams(message=message, url=url))


def sample(messages: list[SamplingMessage], **options: Any) -> CreateMessageRequest:
    """A completion by the client's model; `options` are those of `create_message`."""
    return CreateMessageRequest(params=CreateMessageRequestParams(messages=messages, **options))


def roots() -> ListRootsRequest:
    """The list of the client's roots."""
    return ListRootsRequest()


def _name(step: type[Step]) -> str:
    return str(step.model_fields["step"].default)


def _saved(state: Step) -> dict[str, Any]:
    """The state as inert data, once it is sure that it reads back the same."""
    text = state.model_dump_json()
    back = type(state).model_validate_json(text)
    for name, value in state.__dict__.items():
        if value == value and getattr(back, name) != value:
            raise TypeError(
                f"`{name}` of {type(state).__name__} does not come back from JSON as it is: {value!r}"
            )
    saved: dict[str, Any] = json.loads(text)
    return saved


def _foreign_state() -> MCPError:
    return MCPError(INVALID_PARAMS, "Invalid requestState: it was not written by this version of the handler")


def _require(declared: ClientCapabilities | None, key: str, request: InputRequest) -> None:
    missing = _missing(declared or ClientCapabilities(), request)
    if missing is not None:
        data = MissingRequiredClientCapabilityErrorData(required_capabilities=missing)
        raise CannotAsk(
            MISSING_REQUIRED_CLIENT_CAPABILITY,
            f"The client did not declare the capability that the request {key!r} needs",
            data.model_dump(by_alias=True, mode="json", exclude_none=True),
        )


def _missing(declared: ClientCapabilities, request: InputRequest) -> ClientCapabilities | None:
    """What `request` needs beyond `declared`. A bare `elicitation: {}` means forms only."""
    if isinstance(request, ElicitRequest):
        modes = declared.elicitation
        if isinstance(request.params, ElicitRequestURLParams):
            if modes is not None and modes.url is not None:
                return None
            return ClientCapabilities(elicitation=ElicitationCapability(url=UrlElicitationCapability()))
        if modes is not None and (modes.form is not None or modes.url is None):
            return None
        return ClientCapabilities(elicitation=ElicitationCapability(form=FormElicitationCapability()))
    if isinstance(request, CreateMessageRequest):
        tools = request.params.tools is not None or request.params.tool_choice is not None
        if declared.sampling is not None and (not tools or declared.sampling.tools is not None):
            return None
        return ClientCapabilities(
            sampling=SamplingCapability(tools=SamplingToolsCapability() if tools else None)
        )
    return None if declared.roots is not None else ClientCapabilities(roots=RootsCapability())


def numbered(items: Iterable[ItemT], start: int) -> Iterator[tuple[int, ItemT]]:
    """The items from number `start` on, each with its number: a loop that a later round takes up again."""
    return islice(enumerate(items), start, None)
