"""What calls of imported things give."""

from __future__ import annotations

from .model import STR, Type

_RESULTS = {
    "uuid.uuid4": "uuid.UUID", "uuid.uuid1": "uuid.UUID", "uuid.UUID": "uuid.UUID",
    "decimal.Decimal": "decimal.Decimal", "datetime.timedelta": "datetime.timedelta", "datetime.date": "datetime.date",
    "datetime.datetime": "datetime.datetime", "datetime.datetime.now": "datetime.datetime",
    "datetime.datetime.utcnow": "datetime.datetime", "datetime.date.today": "datetime.date",
    "pathlib.Path": "pathlib.Path", "pathlib.PurePosixPath": "pathlib.PurePosixPath",
    "pathlib.PurePath": "pathlib.PurePath", "pathlib.Path.cwd": "pathlib.Path", "pathlib.Path.home": "pathlib.Path",
    "time.time": "float", "time.monotonic": "float", "time.perf_counter": "float", "time.strftime": "str",
    "time.time_ns": "int", "random.randint": "int", "random.random": "float", "random.randrange": "int",
    "secrets.randbelow": "int", "secrets.token_hex": "str", "secrets.token_urlsafe": "str", "os.getcwd": "str",
    "os.path.join": "str", "os.path.basename": "str", "os.path.abspath": "str", "os.path.exists": "bool",
    "os.path.getsize": "int", "json.dumps": "str", "re.sub": "str", "urllib.parse.quote": "str",
    "urllib.parse.unquote": "str", "urllib.parse.urlencode": "str", "textwrap.dedent": "str", "shlex.quote": "str",
    "fastmcp.client.sampling.SamplingMessage": "mcp.types.SamplingMessage",
    "math.ceil": "int", "math.floor": "int", "math.sqrt": "float",
}  # fmt: skip


def imported_result(origin: str) -> Type | None:
    """What a call of something imported gives."""
    if origin in _RESULTS:
        return Type(_RESULTS[origin])
    tail = origin.rpartition(".")[2]
    if origin.startswith(("mcp.types.", "mcp_types.", "fastmcp.server.")) and tail[:1].isupper():
        return Type(f"mcp.types.{tail}") if origin.startswith("mcp") else None
    if origin == "os.listdir":
        return Type("list", (STR,))
    return None
