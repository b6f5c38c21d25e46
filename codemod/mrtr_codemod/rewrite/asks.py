"""The calls that push a request to the client, in the spellings of both SDKs, and what replaces each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import libcst as cst

from .refusal import Refusal


class Framework(Enum):
    MCP = "mcp"
    LOWLEVEL = "mcp-lowlevel"
    FASTMCP = "fastmcp"


class Reads(Enum):
    """The method of `Steps` that takes the answer."""

    FORM = "form"
    URL = "url"
    RAW = "raw"
    SAMPLE = "sample"
    SAMPLE_TOOLS = "sample_with_tools"
    ROOTS = "roots"


@dataclass(frozen=True)
class Spelling:
    """One way to ask: its parameters, and how to read the answer and build the request."""

    parameters: tuple[str, ...]
    reads: Reads
    request: str
    passes: tuple[str, ...] | None
    """The parameters that the request takes, by position; None: all that are given, except what only routed it."""


_SAMPLING = Spelling(("messages",), Reads.SAMPLE, "sample", None)
_SESSION = {
    "elicit": Spelling(
        ("message", "requested_schema"), Reads.RAW, "raw_form", ("message", "requested_schema")
    ),
    "elicit_form": Spelling(
        ("message", "requested_schema"), Reads.RAW, "raw_form", ("message", "requested_schema")
    ),
    "elicit_url": Spelling(("message", "url", "elicitation_id"), Reads.RAW, "url", ("message", "url")),
    "create_message": _SAMPLING,
    "list_roots": Spelling((), Reads.ROOTS, "roots", ()),
}
_MCP_CONTEXT = {
    "elicit": Spelling(("message", "schema"), Reads.FORM, "form", ("message", "schema")),
    "elicit_url": Spelling(("message", "url", "elicitation_id"), Reads.URL, "url", ("message", "url")),
}
_FASTMCP_CONTEXT = {
    "elicit": Spelling(("message", "response_type"), Reads.FORM, "form", ("message", "response_type")),
    "sample": _SAMPLING,
    "sample_step": _SAMPLING,
    "list_roots": Spelling((), Reads.ROOTS, "roots", ()),
}
FUNCTIONS = {
    "mcp.server.elicitation.elicit_with_validation": Spelling(
        ("session", "message", "schema"), Reads.FORM, "form", ("message", "schema")
    ),
    "mcp.server.elicitation.elicit_url": Spelling(
        ("session", "message", "url", "elicitation_id"), Reads.URL, "url", ("message", "url")
    ),
}
"""Functions of the SDK that ask on the session which they are given."""
_OLD_KEYWORDS = {"requestedSchema": "requested_schema"}
_DROPPED = {"related_request_id", "elicitation_id", "session"}


@dataclass(frozen=True)
class AskCall:
    """A call that asks. `arguments` hold the source nodes by parameter name, in evaluation order."""

    spelling: Spelling
    arguments: dict[str, cst.BaseExpression]
    positional: int
    each: cst.CompFor | None = None
    """It is asked once for each of some items, all at the same time."""

    @property
    def reads(self) -> Reads:
        tools = {"tools", "tool_choice"} & self.arguments.keys()
        return Reads.SAMPLE_TOOLS if tools and self.spelling.reads is Reads.SAMPLE else self.spelling.reads

    @property
    def labels(self) -> list[tuple[str, cst.BaseExpression]]:
        """Options of a form that its answer depends on too."""
        return [(n, v) for n, v in self.request_arguments() if n is not None and self.reads is Reads.FORM]

    @property
    def schema(self) -> cst.BaseExpression | None:
        return self.arguments.get("schema") or self.arguments.get("response_type")

    def request_arguments(self) -> list[tuple[str | None, cst.BaseExpression]]:
        """What the request is built from: (keyword or None, expression)."""
        if self.spelling.passes is not None:
            given = self.spelling.passes
            more = [(n, v) for n, v in self.arguments.items() if n not in given and n not in _DROPPED]
            return [*((None, self.arguments[name]) for name in given), *more]
        kept = [(name, value) for name, value in self.arguments.items() if name not in _DROPPED]
        return [(None if i < self.positional else name, value) for i, (name, value) in enumerate(kept)]

    def evaluated(self) -> list[cst.BaseExpression]:
        """The arguments that old and new code both evaluate."""
        return [value for _, value in self.request_arguments()]

    def dropped(self) -> list[cst.BaseExpression]:
        used = {id(value) for value in self.evaluated()}
        return [value for value in self.arguments.values() if id(value) not in used]


def dotted(node: cst.BaseExpression) -> str | None:
    """`a.b.c` or `a().b` as text, or None for anything but names, attributes and calls without arguments."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Call) and not node.args:
        called = dotted(node.func)
        return f"{called}()" if called else None
    if isinstance(node, cst.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr.value}" if base else None
    return None


@dataclass(frozen=True)
class Channel:
    """How one function reaches the client: its context (a local, or `get_context()`), its aliases for the session."""

    context: str
    framework: Framework
    sessions: frozenset[str] = frozenset()

    def spelling(self, method: cst.BaseExpression) -> Spelling | None:
        """The spelling of a bound method such as `ctx.elicit`, or None if it does not ask."""
        path = dotted(method)
        if path is None or "." not in path:
            return None
        owner, _, name = path.rpartition(".")
        if owner == self.context and self.framework is not Framework.LOWLEVEL:
            table = _FASTMCP_CONTEXT if self.framework is Framework.FASTMCP else _MCP_CONTEXT
            return table.get(name)
        if owner in self.session_paths:
            return _SESSION.get(name)
        return None

    @property
    def session_paths(self) -> set[str]:
        return {f"{self.context}.session", f"{self.context}.request_context.session", *self.sessions}


def bind(spelling: Spelling, args: list[cst.Arg]) -> AskCall:
    """Match the arguments of a call with the parameters of its spelling.

    Raises:
        Refusal: for starred arguments and missing ones.
    """
    bound: dict[str, cst.BaseExpression] = {}
    positional = 0
    for index, arg in enumerate(args):
        if arg.star:
            raise Refusal("dynamic-ask", "the ask takes starred arguments: spell them out")
        if arg.keyword is None:
            if index >= len(spelling.parameters):
                raise Refusal("dynamic-ask", "the ask takes more positional arguments than it has parameters")
            bound[spelling.parameters[index]] = arg.value
            positional += 1
        else:
            bound[arg.keyword.value] = arg.value
    bound = {_OLD_KEYWORDS.get(name, name): value for name, value in bound.items()}
    if "schema" in bound and "response_type" in spelling.parameters:
        bound["response_type"] = bound.pop("schema")
    if "response_type" in spelling.parameters:
        bound.setdefault("response_type", cst.Name("None"))
    missing = [name for name in spelling.passes or () if name not in bound]
    if missing:
        raise Refusal("dynamic-ask", f"the ask has no `{missing[0]}` argument: spell it out")
    return AskCall(spelling, bound, positional)
