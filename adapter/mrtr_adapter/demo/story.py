"""The story that `mrtr demo` tells, and checks while it happens."""

from __future__ import annotations

import json
import secrets

from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolResult,
    ElicitRequest,
    InputRequiredResult,
    TextContent,
)

from mrtr_adapter.demo import telling
from mrtr_adapter.demo.albums import PHOTOS, Albums
from mrtr_adapter.demo.caller import Answers, Caller, Outcome
from mrtr_adapter.demo.instance import Instance
from mrtr_adapter.demo.promise import NotHeld, hold
from mrtr_adapter.demo.users import ENVIRONMENT as USERS
from mrtr_adapter.sealing.keys import ENVIRONMENT as KEYS
from mrtr_adapter.sealing.keys import new_key

TOOL, ALBUM, OTHER_ALBUM = "delete_album", "summer", "winter"
FIRST: Answers = {"sure": {"delete": True}}
SECOND: Answers = {"typed": {"name": ALBUM}}
WOULD_DELETE_THE_OTHER: Answers = {"typed": {"name": OTHER_ALBUM}}


class Story:
    """Alice deletes an album by way of two servers, of which one is killed; Bob tries to take part."""

    def __init__(self, albums: Albums) -> None:
        self.albums = albums
        self.alice = Caller("Alice", secrets.token_urlsafe(16))
        self.bob = Caller("Bob", secrets.token_urlsafe(16))

    @property
    def environment(self) -> dict[str, str]:
        """What all instances are given."""
        return {
            KEYS: new_key(),
            USERS: json.dumps({caller.name: caller.token for caller in (self.alice, self.bob)}),
            "MRTR_DEMO_ALBUMS": str(self.albums.folder),
        }

    async def unfold(self, first: Instance, second: Instance) -> None:
        """Go through it all.

        Raises:
            NotHeld: something did not go as it must.
        """
        telling.prose(
            f"Two processes serve it: {first} and {second}. They share a key for sealing, and nothing else. "
            f"The album {ALBUM!r} has {PHOTOS} photos."
        )
        telling.title("Round 1: the call, and the first question")
        state = await self._round(first, "sure", None, None)

        telling.event(f"SIGKILL -> {first}: gone, with all that it had in memory.")
        first.kill()

        telling.title("Round 2: the first answer, and the second question")
        telling.prose(f"{second} has never heard of this call. All that it needs comes with it.")
        state = await self._round(second, "typed", FIRST, state)

        telling.title("In between: three tries to get round the second question")
        await self._misuse(second, state)

        telling.title("Round 3: the second answer, and the result")
        await self._finish(second, state)

    async def _round(self, instance: Instance, key: str, answers: Answers | None, state: str | None) -> str:
        """One round that ends with the question `key`; the state that came with it."""
        self._tell_call(instance, answers, state)
        result = await self.alice.call(instance.url, TOOL, {"album": ALBUM}, answers, state)
        if not isinstance(result, InputRequiredResult):
            raise NotHeld(f"{instance} was to ask {key!r} but answered {_text(result)!r}")
        question = (result.input_requests or {}).get(key)
        if not isinstance(question, ElicitRequest) or result.request_state is None:
            raise NotHeld(f"{instance} was to ask {key!r} but asked {list(result.input_requests or {})}")
        telling.step(f"{instance} -> Alice's client: input required")
        telling.fact("question", f"{key}: {question.params.message}")
        telling.fact("requestState", telling.state(result.request_state))
        self._untouched()
        return result.request_state

    async def _misuse(self, instance: Instance, state: str) -> None:
        telling.step(f"Each goes to {instance} with all answers in it. If the state passed, photos would go:")
        middle = len(state) // 2
        tampered = state[:middle] + ("A" if state[middle] != "A" else "B") + state[middle + 1 :]
        await self._refused("one character of it changed", instance, self.alice, ALBUM, SECOND, tampered)
        other = f"the same state for album {OTHER_ALBUM!r}"
        await self._refused(other, instance, self.alice, OTHER_ALBUM, WOULD_DELETE_THE_OTHER, state)
        await self._refused("Alice's state, sent by Bob", instance, self.bob, ALBUM, SECOND, state)
        self._untouched()

    async def _refused(
        self, attempt: str, instance: Instance, caller: Caller, album: str, answers: Answers, state: str
    ) -> None:
        outcome = await caller.call(instance.url, TOOL, {"album": album}, answers, state)
        if not isinstance(outcome, MCPError) or outcome.error.code != INVALID_PARAMS:
            raise NotHeld(f"{attempt}: {instance} was to refuse it and answered {_text(outcome)!r}")
        telling.refused(attempt, f"refused: {outcome.error.code} {outcome.error.message}")

    async def _finish(self, instance: Instance, state: str) -> None:
        self._tell_call(instance, SECOND, state)
        result = await self.alice.call(instance.url, TOOL, {"album": ALBUM}, SECOND, state)
        telling.step(f"{instance} -> Alice's client: the result")
        telling.fact("text", _text(result))
        telling.fact("photos left", str(self.albums.left(ALBUM)))
        hold(_text(result) == f"Deleted {PHOTOS} photos of {ALBUM!r}.", f"the result was {_text(result)!r}")
        hold(self.albums.left(ALBUM) == 0, f"{self.albums.left(ALBUM)} photos are left after the result")
        hold(self.albums.left(OTHER_ALBUM) == PHOTOS, f"photos of {OTHER_ALBUM!r} were deleted as well")

    def _tell_call(self, instance: Instance, answers: Answers | None, state: str | None) -> None:
        telling.step(f"Alice's client -> {instance}: tools/call")
        telling.fact("arguments", json.dumps({"album": ALBUM}))
        for key, content in (answers or {}).items():
            telling.fact("answer", f"{key}: accept {json.dumps(content)}")
        if state is not None:
            telling.fact("requestState", f"{telling.state(state)}, as it came")

    def _untouched(self) -> None:
        left = self.albums.left(ALBUM), self.albums.left(OTHER_ALBUM)
        telling.fact("photos left", str(left[0]))
        hold(left == (PHOTOS, PHOTOS), f"photos were deleted before both answers were in: {left} are left")


def _text(outcome: Outcome) -> str:
    if (
        isinstance(outcome, CallToolResult)
        and outcome.content
        and isinstance(outcome.content[0], TextContent)
    ):
        return outcome.content[0].text
    return str(outcome)
