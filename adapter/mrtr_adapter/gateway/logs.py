"""What a gateway logs, on stderr: lines to read, or one JSON object a line for programs."""

from __future__ import annotations

import json
import logging
from datetime import datetime, timezone
from typing import Any

from opentelemetry import trace

from mrtr_adapter.serving.logs import LINES, log_to_stderr

TEXT, JSON = "text", "json"
FORMATS = (TEXT, JSON)

_OWN = frozenset(logging.makeLogRecord({}).__dict__) | {
    "message",
    "asctime",
    "taskName",
    "color_message",  # of uvicorn, for terminals
}
"""What every record has; anything else was given as `extra`."""


class JsonLines(logging.Formatter):
    """`time` (RFC 3339, UTC), `level`, `logger`, `message`, and what else a record was given: `error` with the
    traceback of an exception, `trace_id` and `span_id` inside a recorded span, and its `extra`."""

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, timezone.utc).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        entry |= {name: value for name, value in record.__dict__.items() if name not in _OWN}
        if record.exc_info:
            entry["error"] = self.formatException(record.exc_info)
        span = trace.get_current_span().get_span_context()
        if span.is_valid:
            entry |= {"trace_id": f"{span.trace_id:032x}", "span_id": f"{span.span_id:016x}"}
        return json.dumps(entry, ensure_ascii=False, default=str)


def log_as(format: str) -> None:
    """Log to stderr, in one of `FORMATS`; without a line for each request to an old server."""
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    log_to_stderr(lines=JsonLines() if format == JSON else LINES)
