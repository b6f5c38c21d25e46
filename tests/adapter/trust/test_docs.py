"""What the documents say holds: their example runs, their tests exist, their figures are the defaults."""

from __future__ import annotations

import inspect
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ToolAnnotations
from pydantic import BaseModel

import mrtr_adapter
from adapter.rounds import KEY, YES, always, play_tool
from adapter.servers import Ok
from mrtr_adapter import adapt
from mrtr_adapter.engine import suspension
from mrtr_adapter.engine.terms import Terms
from mrtr_adapter.stores.memory import MemoryStore

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[3]
REPLAY = (ROOT / "docs" / "replay.md").read_text()
THREATS = (ROOT / "docs" / "threat-model.md").read_text()


class Receipt(BaseModel):
    number: int


async def test_the_example_does_what_its_comments_say() -> None:
    done: list[str] = []
    store = MemoryStore()

    async def fetch_rate(currency: str) -> Decimal:
        done.append(f"fetched {currency}")
        return Decimal("1.1")

    def charge(card: str, amount: Decimal) -> Receipt:
        done.append(f"charged {amount} to {card}")
        return Receipt(number=7)

    def notify(receipt: Receipt) -> None:
        done.append(f"notified of {receipt.number}")

    def make() -> MCPServer:
        names: dict[str, Any] = {
            "mcp": MCPServer("bank"),
            "ToolAnnotations": ToolAnnotations,
            "Decimal": Decimal,
            "Context": Context,
            "Confirm": Ok,
            "fetch_rate": fetch_rate,
            "charge": charge,
            "notify": notify,
        }
        example = re.search(r"```python\n(.*?)```", REPLAY, re.DOTALL)
        assert example is not None
        exec(example[1], names)
        return adapt(names["mcp"], keys=[KEY], store=store)

    played = await play_tool(make, "pay", always(YES), {"card": "1234", "amount": "20"})
    assert played.text == "Paid, accept"
    assert played.asked[0].startswith("Pay 22.0 at ")
    assert played.asked[1] == "Print receipt 7?"
    assert done == ["fetched EUR", "charged 20 to 1234", "notified of 7"]


def test_every_test_that_the_threat_model_names_exists() -> None:
    named = re.findall(r"`([\w./]+/?test_\w+\.py)`", THREATS)
    assert len(named) > 20
    missing = {path for path in named if not (ROOT / "tests" / "adapter" / path).is_file()}
    assert missing == set()


def test_the_bounds_in_the_table_are_the_defaults() -> None:
    table = dict(re.findall(r"^\| `(\w+)` \| (\d+)", REPLAY, re.MULTILINE))
    defaults = Terms()
    assert table.pop("ttl") == "600"
    assert {name: float(value) for name, value in table.items()} == {
        name: float(getattr(defaults, name)) for name in table
    }
    assert len(table) == 4


def test_every_reason_on_the_wire_is_explained_and_no_other() -> None:
    raised = set(re.findall(r'"reason": "(\w+)"', inspect.getsource(suspension))) | {"store_unavailable"}
    explained = set(re.findall(r"`(\w+)`", re.findall(r"\| `data\.reason`.*?\n\n", REPLAY, re.DOTALL)[0]))
    assert raised <= explained
    assert explained - raised == set()


def test_what_the_documents_import_is_exported() -> None:
    for names in re.findall(r"from mrtr_adapter import (.+)", REPLAY):
        for name in names.split(", "):
            assert name in mrtr_adapter.__all__
            assert callable(getattr(mrtr_adapter, name))
