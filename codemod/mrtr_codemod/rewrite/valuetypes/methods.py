"""What builtin functions and the methods of builtin types return, and which of them only look."""

from __future__ import annotations

from .model import BOOL, FLOAT, INT, STR, Type

_STR_TO_STR = (
    "strip lstrip rstrip lower upper title capitalize casefold swapcase replace format join removeprefix removesuffix "
    "zfill ljust rjust center expandtabs translate format_map"
)
_STR_TO_LIST = "split rsplit splitlines"
_TEST = (
    "startswith endswith isdigit isalpha isalnum isidentifier islower isupper isspace isnumeric isdecimal istitle "
    "isprintable isascii issubset issuperset isdisjoint"
)

STRING_METHODS: dict[str, Type] = {
    **dict.fromkeys(_STR_TO_STR.split(), STR),
    **dict.fromkeys(_STR_TO_LIST.split(), Type("list", (STR,))),
    **dict.fromkeys(_TEST.split(), BOOL),
    **dict.fromkeys(["find", "rfind", "index", "rindex", "count"], INT),
    "partition": Type("tuple", (STR, STR, STR)),
    "rpartition": Type("tuple", (STR, STR, STR)),
    "encode": Type("bytes"),
}

_PATH_TO_PATH = (
    "resolve absolute expanduser joinpath with_suffix with_name with_stem relative_to readlink rename replace"
)
_PATH_TEST = (
    "exists is_file is_dir is_symlink is_absolute is_mount is_relative_to is_socket is_fifo match samefile"
)


def path_method(owner: Type, name: str) -> Type | None:
    """What a method of a `pathlib` type gives."""
    if name in _PATH_TO_PATH.split():
        return owner
    if name in _PATH_TEST.split():
        return BOOL
    return {
        "as_posix": STR, "as_uri": STR, "read_text": STR, "owner": STR, "group": STR, "read_bytes": Type("bytes"),
        "write_text": INT, "write_bytes": INT,
    }.get(name)  # fmt: skip


UNAMBIGUOUS = frozenset(
    f"{_STR_TO_STR} {_STR_TO_LIST} {_TEST} find rfind rindex partition rpartition encode decode hexdigest digest hex "
    "isoformat strftime timestamp as_posix with_suffix with_name relative_to joinpath is_absolute total_seconds "
    "model_dump model_dump_json model_json_schema bit_length quantize".split()
)
"""Methods that have no effect on any type that commonly has them."""

LOOKS_ONLY = UNAMBIGUOUS | frozenset(
    [
        "get",
        "keys",
        "values",
        "items",
        "count",
        "index",
        "copy",
        "union",
        "difference",
        "intersection",
        "symmetric_difference",
    ]
)
"""Methods that have no effect on builtin types; elsewhere `get` may be a network request."""

BUILTIN_RESULTS: dict[str, Type] = {
    "len": INT, "ord": INT, "hash": INT, "id": INT, "str": STR, "repr": STR, "chr": STR, "format": STR, "hex": STR,
    "bin": STR, "oct": STR, "ascii": STR, "input": STR, "int": INT, "float": FLOAT, "bool": BOOL, "any": BOOL,
    "all": BOOL, "isinstance": BOOL, "issubclass": BOOL, "callable": BOOL, "hasattr": BOOL, "bytes": Type("bytes"),
}  # fmt: skip

PURE_BUILTINS = frozenset(BUILTIN_RESULTS) - {"input"} | frozenset(
    [
        "abs",
        "min",
        "max",
        "sum",
        "round",
        "sorted",
        "list",
        "tuple",
        "dict",
        "set",
        "frozenset",
        "enumerate",
        "zip",
        "range",
        "reversed",
        "divmod",
        "pow",
        "type",
        "slice",
        "bytearray",
        "complex",
        "getattr",
    ]
)

PURE_MODULES = (
    "math.", "re.", "json.dumps", "json.loads", "textwrap.", "os.path.", "urllib.parse.", "html.", "string.",
    "decimal.", "fractions.", "statistics.", "unicodedata.", "itertools.", "operator.", "shlex.", "posixpath.",
    "pathlib.PurePath", "pathlib.PurePosixPath", "pathlib.Path", "datetime.timedelta", "datetime.date.fromisoformat",
    "datetime.datetime.fromisoformat", "base64.", "binascii.", "hashlib.", "uuid.UUID", "collections.Counter",
    "functools.reduce", "pydantic.create_model", "pydantic.Field", "mcp.types.", "mcp_types.", "dataclasses.replace",
    "dataclasses.asdict", "fastmcp.client.sampling.SamplingMessage", "copy.copy", "copy.deepcopy", "typing.cast",
)  # fmt: skip
"""Imported callables that neither change nor consult the world, by the start of their dotted origin."""
