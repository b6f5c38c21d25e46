"""What a gateway logs for programs to read."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.trace import NonRecordingSpan, SpanContext

from gateway.behind import OLD_SERVER, SHARED_KEY, Journal
from gateway.instance import Instance
from mrtr_adapter.gateway.logs import JsonLines
from mrtr_adapter.gateway.stderr import Stderr

CHATTY = f"""
import sys
print("good morning", file=sys.stderr)
sys.argv[0] = {str(OLD_SERVER)!r}
exec(compile(open({str(OLD_SERVER)!r}).read(), {str(OLD_SERVER)!r}, "exec"))
"""


def entry(record: logging.LogRecord) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(JsonLines().format(record))
    return found


def test_each_line_is_an_object_also_what_the_old_server_prints(journal: Journal, tmp_path: Path) -> None:
    script = tmp_path / "chatty.py"
    script.write_text(CHATTY)
    options = ("--log-format", "json", "--", sys.executable, str(script), str(journal.path))
    with Instance(tmp_path / "log", options, {"MRTR_KEYS": SHARED_KEY[0]}) as gateway:
        gateway.call("look", {})
    entries = [json.loads(line) for line in gateway.output().splitlines()]
    assert all({"time", "level", "logger", "message"} <= set(one) for one in entries)
    heard = [one for one in entries if one["logger"] == "mrtr.behind"]
    assert {one["message"] for one in heard} == {"good morning"}
    assert {one["pid"] for one in heard} <= journal.pids
    assert any("asks sure" in one["message"] for one in entries)


def test_an_error_stays_on_its_line() -> None:
    try:
        raise ValueError("two\nlines")
    except ValueError:
        record = logging.LogRecord("mrtr", logging.ERROR, __file__, 1, "it %s", ("failed",), sys.exc_info())
    record.path = "/mcp"
    assert "\n" not in JsonLines().format(record)
    found = entry(record)
    assert (found["level"], found["message"], found["path"]) == ("error", "it failed", "/mcp")
    assert "ValueError: two\nlines" in found["error"]
    assert found["time"].endswith("+00:00")


def test_a_line_names_the_trace_that_it_belongs_to() -> None:
    span = NonRecordingSpan(SpanContext(trace_id=0xABC, span_id=0xDEF, is_remote=False))
    with trace.use_span(span):
        found = entry(logging.LogRecord("mrtr", logging.INFO, __file__, 1, "here", (), None))
    assert (found["trace_id"], found["span_id"]) == (f"{0xABC:032x}", f"{0xDEF:016x}")


@pytest.mark.anyio
async def test_a_line_without_end_is_logged_in_pieces(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "mrtr.behind")
    stderr = asyncio.StreamReader()
    stderr.feed_data(b"x" * 100_000 + b"\nthe end")
    stderr.feed_eof()
    await Stderr(stderr, 7, logged=True).relay()
    pieces = [record.getMessage() for record in caplog.records]
    assert "".join(pieces) == "x" * 100_000 + "the end"
    assert max(map(len, pieces)) <= 16 * 1024
