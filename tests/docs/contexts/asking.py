"""A context that can be asked, for blocks that only show how a line is written."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel


class Confirm(BaseModel):
    ok: bool


class Asked:
    """Keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def elicit(self, message: str, schema: type[BaseModel]) -> None:
        assert schema is Confirm
        self.asked.append(message)


def names() -> dict[str, Any]:
    return {"ctx": Asked(), "question": "Really?", "Confirm": Confirm}


def check(names: dict[str, Any]) -> None:
    assert names["ctx"].asked == ["Really?"]
