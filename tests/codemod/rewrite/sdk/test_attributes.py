"""Attributes of SDK types are renamed by the type of their owner; one that can't be told is reported, not guessed."""

from __future__ import annotations

import pytest

from codemod.rewrite.sdk.moving import becomes, moved, stays, told
from mrtr_codemod.rewrite.sdk.classes import MEMBERS
from mrtr_codemod.rewrite.sdk.kinds import parsed
from mrtr_codemod.rewrite.sdk.models import CAMEL, MODELS, snake

HEAD = """\
from mcp import ClientSession, types
from mcp.server.fastmcp import Context
from mcp.types import CallToolResult, ImageContent, TextContent, Tool


"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(r: CallToolResult): return r.isError", "def f(r: CallToolResult): return r.is_error"),
        ("def f(r: 'CallToolResult | None'): return r.isError", "def f(r: 'CallToolResult | None'): return r.is_error"),
        ("t = Tool(name='x', inputSchema={})", "t = Tool(name='x', input_schema={})"),
        ("t = types.Tool(name='x')\nt.inputSchema", "t = types.Tool(name='x')\nt.input_schema"),
        ("def f(ts: list[Tool]): return [t.inputSchema for t in ts]",
         "def f(ts: list[Tool]): return [t.input_schema for t in ts]"),
        ("def f(ts: dict[str, Tool]):\n    for n, t in ts.items(): print(t.inputSchema)",
         "def f(ts: dict[str, Tool]):\n    for n, t in ts.items(): print(t.input_schema)"),
        ("async def f(s: ClientSession): return (await s.list_tools()).tools[0].inputSchema",
         "async def f(s: ClientSession): return (await s.list_tools()).tools[0].input_schema"),
        ("async def f(s: ClientSession):\n    r = await s.call_tool('x')\n    if r.isError: r.content[0].mimeType",
         "async def f(s: ClientSession):\n    r = await s.call_tool('x')\n    if r.is_error: r.content[0].mime_type"),
        ("def f(c):\n    if isinstance(c, ImageContent): return c.mimeType",
         "def f(c):\n    if isinstance(c, ImageContent): return c.mime_type"),
        ("def f(c): return isinstance(c, ImageContent) and c.mimeType",
         "def f(c): return isinstance(c, ImageContent) and c.mime_type"),
        ("def f(c):\n    match c:\n        case ImageContent(): return c.mimeType",
         "def f(c):\n    match c:\n        case ImageContent(): return c.mime_type"),
        ("class A:\n    def __init__(self): self.s: ClientSession | None = None\n"
         "    async def f(self): return (await self.s.initialize()).serverInfo",
         "class A:\n    def __init__(self): self.s: ClientSession | None = None\n"
         "    async def f(self): return (await self.s.initialize()).server_info"),
        ("async def f(ctx: Context): return await ctx.session.elicit_form('m', requestedSchema={})",
         "async def f(ctx: Context): return await ctx.session.elicit_form('m', requested_schema={})"),
        ("async def f(ctx: Context): return ctx.request_context.meta.progressToken",
         'async def f(ctx: Context): return ctx.request_context.meta.get("progress_token")'),
        ("def f(r: CallToolResult): return getattr(r, 'isError', False)",
         "def f(r: CallToolResult): return getattr(r, 'is_error', False)"),
        ("def f(t: Tool): return t.model_dump(exclude_none=True)",
         "def f(t: Tool): return t.model_dump(exclude_none=True, by_alias=True)"),
    ],
)  # fmt: skip
def test_by_the_type_of_the_owner(before: str, after: str) -> None:
    head = HEAD.replace("fastmcp", "mcpserver")
    assert moved(f"{HEAD}{before}\n").source == f"{head}{after}\n"


@pytest.mark.parametrize(
    "source",
    [
        "def f(r): return r.isError",
        "def f(r: CallToolResult):\n    r = other()\n    return r.isError",
        "def f(r: CallToolResult, c):\n    if c:\n        r = other()\n    return r.isError",
        "def f(r): return getattr(r, 'isError', False)",
    ],
)
def test_what_can_not_be_told_is_reported(source: str) -> None:
    found = moved(f"from mcp.types import CallToolResult\n\n\n{source}\n")
    assert found.source.endswith(f"{source}\n")
    assert [note for note in told(found) if "is_error" in note]


@pytest.mark.parametrize(
    "source",
    [
        "import vendor\n\nvendor.result.isError",
        "class Own:\n    isError = False\n    def f(self): return self.isError",
        "class Own:\n    isError: bool\n\n\ndef f(o: Own): return o.isError",
        "Own(inputSchema={})",
    ],
)
def test_what_is_of_others_is_left_alone_without_a_word(source: str) -> None:
    assert stays(f"from mcp.types import Tool\n\n\nprint(Tool)\n{source}\n").notes == ()


def test_a_line_tells_where() -> None:
    found = stays("from mcp.types import Tool\n\n\ndef f(t):\n    return Tool, t.inputSchema\n")
    assert told(found) == (
        "line 5: `t.inputSchema`: if this is a type of the SDK, it is `.input_schema` now",
    )


def test_unions_are_no_wrappers_any_more() -> None:
    becomes(
        """\
        import mcp.types as types
        from mcp.types import JSONRPCMessage, PingRequest


        def f(message: types.ServerNotification, raw: str):
            return types.ClientRequest(PingRequest()), message.root, JSONRPCMessage.model_validate_json(raw)
        """,
        """\
        import mcp.types as types
        from mcp.types import PingRequest


        def f(message: types.ServerNotification, raw: str):
            return PingRequest(), message, types.jsonrpc_message_adapter.validate_json(raw)
        """,
    )


def test_uris_are_strings() -> None:
    becomes(
        """\
        from mcp.types import Resource
        from pydantic import AnyUrl


        def f(uri: AnyUrl):
            return Resource(name="a", uri=AnyUrl("test://a/b")), Resource(name="b", uri=uri), uri
        """,
        """\
        from mcp.types import Resource
        from pydantic import AnyUrl


        def f(uri: AnyUrl):
            return Resource(name="a", uri="test://a/b"), Resource(name="b", uri=str(uri)), uri
        """,
    )


def test_errors_take_their_parts() -> None:
    becomes(
        """\
        from mcp.shared.exceptions import McpError
        from mcp.types import ErrorData


        def f(data):
            if data:
                raise McpError(data)
            raise McpError(ErrorData(code=1, message="m"))
        """,
        """\
        from mcp.shared.exceptions import MCPError


        def f(data):
            if data:
                raise MCPError.from_error_data(data)
            raise MCPError(code=1, message="m")
        """,
    )


def test_the_tables_agree_with_the_sdk() -> None:
    import mcp_types
    from pydantic import BaseModel

    known = {n: m for n, m in vars(mcp_types).items() if isinstance(m, type) and issubclass(m, BaseModel)}
    fields = {name for model in known.values() for name in model.model_fields}
    assert {name for name in CAMEL if snake(name) not in fields} == set()
    wrong = {
        f"{name}.{old}" for name, old_fields in MODELS.items() if name in known
        for old in old_fields if snake(old) not in known[name].model_fields
    }  # fmt: skip
    assert wrong == set()


def test_members_lead_to_known_types() -> None:
    known = {*MODELS, *MEMBERS, "RequestParams.Meta", "ElicitResult", "GetPromptResult", "ReadResourceResult",
             "ListRootsResult", "Prompt", "Root"}  # fmt: skip
    for members in MEMBERS.values():
        for text in members.values():
            for kind in parsed(text):
                inner = kind.removeprefix("list[").removesuffix("]")
                assert parsed(inner) <= known
