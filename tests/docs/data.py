"""Checks the blocks of the documentation that are data, by what reads such data."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any
from unittest import mock

import yaml

from mrtr_adapter.gateway.config import read_config
from mrtr_adapter.gateway.remote import Endpoint
from mrtr_adapter.gateway.settings import Settings
from mrtr_adapter.verify.cases import read_cases
from mrtr_codemod.config import find_config

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from docs.blocks import Block


def check_toml(text: str, folder: Path) -> None:
    """Configuration of the lint, or of a gateway."""
    if "[tool.mrtr" in text:
        (folder / "pyproject.toml").write_text(text)
        assert find_config(str(folder)).base == str(folder)
        (folder / "pyproject.toml").unlink()
        return
    file = folder / "gateway.toml"
    file.write_text(text)
    wanted = dict.fromkeys(re.findall(r"\$(\w+)", text), "x")
    with mock.patch.dict(os.environ, wanted):
        assert read_config(file, Settings(behind=Endpoint("http://127.0.0.1:1/mcp")))


def check_json(text: str, folder: Path) -> None:
    """Cases for `mrtr verify`, or JSON at all."""
    data = json.loads(text)
    if isinstance(data, dict) and "cases" in data:
        file = folder / "from-page.json"
        file.write_text(text)
        assert read_cases(file)


def commands_in_yaml(block: Block) -> Iterator[str]:
    """The `run:` steps of a workflow, in their order."""
    yield from _runs(yaml.safe_load(block.text))


def _runs(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == "run" and isinstance(inner, str):
                yield inner
            else:
                yield from _runs(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _runs(inner)
