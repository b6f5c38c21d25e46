"""An ask is found however it is written, and what only looks like one is left alone."""

from __future__ import annotations

import textwrap

import pytest

from mrtr_codemod.check import check
from mrtr_codemod.source import SourceFile

ASKS = frozenset({"MRTR101", "MRTR102", "MRTR103", "MRTR104", "MRTR121", "MRTR122"})
HEAD = "from fastmcp import Context\nasync def f(ctx: Context):\n"

ONE_FILE = {
    "spaces around the dot": "    await ctx . elicit('?', bool)  # ask\n",
    "a line ends after the dot": "    await ctx.\\\n  elicit('?', bool)  # ask above\n",
    "letters that Python reads as others": "    await ctx.ｅlicit('?', bool)  # ask\n",
    "a chain of names": "    a = ctx\n    b = a.elicit\n    c = b\n    await c('?', bool)  # ask\n",
    "several names at once": "    a, b = 1, ctx.sample\n    await b('?')  # ask\n",
    "a name for sampling": "    ask = ctx.sample\n    await ask('?')  # ask\n",
    "named in passing": "    (a := ctx.elicit)\n    await a('?', bool)  # ask\n",
    "in a list": "    a = [ctx.elicit]\n    await a[0]('?', bool)  # ask\n",
    "in a dict": "    a = {'x': ctx.elicit}\n    await a.get('x')('?', bool)  # ask\n",
    "partial": "    import functools\n    await functools.partial(ctx.elicit, '?')(bool)  # ask\n",
    "getattr": "    await getattr(ctx, 'elicit')('?', bool)  # ask\n",
    "getattr of any name": "    name = str()\n    await getattr(ctx, name)('?', bool)  # ask\n",
    "taken from its class": "    await Context.elicit(ctx, '?', bool)  # ask\n",
    "lambda": "    a = lambda q: ctx.elicit(q, bool)  # ask\n",
    "comprehension": "    [await ctx.elicit(q, bool) for q in 'ab']  # ask\n",
    "f-string": "    return f'{await ctx.elicit(str(), bool)}'  # ask\n",
    "assertion": "    assert await ctx.elicit('?', bool)  # ask\n",
    "condition of a loop": "    while (a := await ctx.elicit('?', bool)).action != 'accept':  # ask\n        pass\n",
    "guard of a case": "    match ctx:\n        case x if await ctx.elicit('?', bool):  # ask\n            pass\n",
    "nested function": "    def g():\n        def h():\n            return ctx.elicit('?', bool)  # ask\n",
    "async generator": "    async def g():\n        yield await ctx.elicit('?', bool)  # ask\n",
    "a name used in a nested function": "    a = ctx.elicit\n    async def g():\n        await a('?', bool)  # ask\n",
    "its own name, by itself": "    elicit = ctx.elicit\n    def g():\n        return elicit('?', bool)  # ask\n",
}
NONE = {
    "prose and strings": "    '''ctx.elicit('?')'''\n    # ctx.elicit('?')\n    return 'ctx.elicit(1)'\n",
    "a class of the repo": "class Needs:\n    def elicit(self, q): ...\nneeds = Needs()\nneeds.elicit('?')\n",
    "another protocol": "import anthropic\nanthropic.Client().messages.create_message()\n",
    "a look at the method": "import inspect\ninspect.signature(Context.elicit)\n",
    "random.sample": "import random\ndef g(ctx: Context):\n    random.sample([ctx], 1)\n    pick = random.sample\n",
    "the client's side": (
        "from mcp import ClientSession\nfrom mcp.shared.context import RequestContext\n"
        "async def g(context: RequestContext[ClientSession, None]):\n    await context.session.list_roots()\n"
    ),
}
FILES = {
    "star import, and a class in between": {
        "base.py": """
            from mcp.server.fastmcp import Context as Ctx
            Alias = Ctx
            class Base:
                def __init__(self, c: Ctx):
                    self.c = c
                    self.ask = c.elicit
                @property
                def asker(self):
                    return self.c.elicit
        """,
        "user.py": """
            from base import *
            class Sub(Base):
                async def run(self):
                    await self.ask("?", bool)  # ask
                    await self.asker("?", bool)  # ask
            async def g(c: "Alias | None" = None):
                await c.elicit("?", bool)  # ask
        """,
    },
    "what gives an ask, under another name": {
        "give.py": "from fastmcp import Context\ndef give(c: Context):\n    return c.elicit\n",
        "user.py": """
            from fastmcp import Context
            from give import give as g
            async def f(c: Context):
                await g(c)("?", bool)  # ask
        """,
    },
    "a function of the SDK, under another name": {
        "page.py": """
            from mcp.server.elicitation import elicit_url as open_page
            async def f(session):
                await open_page(session, "?", "http://x", "1")  # ask
        """,
    },
    "imports in every layout": {
        "pkg/__init__.py": "from ._inner import Context  # re-exported\n",
        "pkg/_inner.py": """
            try:
                from fastmcp import Context
            except ImportError:
                from mcp.server.fastmcp import Context
            async def agreed(ctx, q):
                return await ctx.elicit(q, bool)  # ask
        """,
        "pkg/a.py": "from pkg \\\n    import Context\nfrom pkg import (  # (one)\n    _inner,  # two)\n)\n"
        "async def f(c: Context):\n    return await _inner.agreed(c, '?')\n",
        "pkg/b.py": "import sys; from pkg._inner import agreed\nimport pkg\n"
        "async def f(c: pkg.Context):\n    return await agreed(c, '?')\n",
    },
    "servers and sessions of its own": {
        "own.py": """
            from mcp.server.lowlevel import Server
            from mcp.server.session import ServerSession
            class Mine(Server):
                async def go(self):
                    await self.request_context.session.list_roots()  # ask
            class Session(ServerSession):
                async def go(self):
                    await self.create_message([], max_tokens=1)  # ask
                    await super().elicit("?", {})  # ask
        """,
    },
}


def asks(*sources: SourceFile) -> set[tuple[str, int]]:
    report = check(sources)
    assert not report.failures
    return {(f.span.path, f.span.line) for f in report.findings if f.rule in ASKS}


def expected(path: str, text: str) -> set[tuple[str, int]]:
    lines = text.split("\n")
    marked = {(path, number) for number, line in enumerate(lines, 1) if line.endswith("# ask")}
    return marked | {
        (path, number - 1) for number, line in enumerate(lines, 1) if line.endswith("# ask above")
    }


@pytest.mark.parametrize("body", ONE_FILE.values(), ids=ONE_FILE.keys())
def test_an_ask_is_found_by_itself(body: str) -> None:
    text = HEAD + body
    assert asks(SourceFile("server.py", text)) == expected("server.py", text) != set()


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_an_ask_is_found_whatever_ends_a_line(newline: str) -> None:
    text = HEAD + "\tawait ctx.elicit('?', bool)\n"
    assert asks(SourceFile("server.py", text.replace("    ", "\t").replace("\n", newline))) == {
        ("server.py", 3)
    }


@pytest.mark.parametrize("text", NONE.values(), ids=NONE.keys())
def test_no_ask_is_invented(text: str) -> None:
    source = HEAD + text if text.startswith(" ") else f"from fastmcp import Context\n{text}"
    assert asks(SourceFile("server.py", source)) == set()


@pytest.mark.parametrize("files", FILES.values(), ids=FILES.keys())
def test_an_ask_is_found_through_other_files(files: dict[str, str]) -> None:
    texts = {path: textwrap.dedent(text) for path, text in files.items()}
    wanted = {place for path, text in texts.items() for place in expected(path, text)}
    assert asks(*(SourceFile(path, text) for path, text in texts.items())) == wanted != set()


def test_every_way_into_a_helper_is_followed() -> None:
    texts = {path: textwrap.dedent(text) for path, text in FILES["imports in every layout"].items()}
    for path in ("pkg/a.py", "pkg/b.py"):
        texts[path] = f"from fastmcp import FastMCP\nmcp = FastMCP('x')\n{texts[path]}mcp.tool(f)\n"
    handlers = check([SourceFile(path, text) for path, text in texts.items()]).handlers
    assert [handler.span.path for handler in handlers] == ["pkg/a.py", "pkg/b.py"]
