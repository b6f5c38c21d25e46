"""A look-up by session is found however its key is written."""

from __future__ import annotations

import pytest

from mrtr_codemod.check import check
from mrtr_codemod.source import SourceFile

HEAD = "from fastmcp import Context\nSTORE = {}\nasync def f(ctx: Context):\n"
BY_SESSION = [
    "    return STORE[ctx.session_id]\n",
    "    return STORE[\n        ctx.session_id\n    ]\n",
    "    return STORE.get(ctx.session_id, 'none')\n",
    "    STORE.setdefault(ctx.client_id, []).append(1)\n",
    "    return STORE[f'user:{ctx.session_id}']\n",
    "    return STORE[('page', ctx.session_id)]\n",
    "    return STORE[id(ctx.session)]\n",
    "    return STORE.pop(id(ctx.session))\n",
    "    key = ctx.session_id\n    return STORE[key]\n",
    "    key: str = ctx.session_id or 'none'\n    return STORE.get(key)\n",
    "    a, key = 1, ctx.client_id\n    return STORE[key]\n",
    "    if key := ctx.session_id:\n        return STORE[f'{key}!']\n",
    "    client_id = ctx.client_id\n    return STORE['x'][client_id]\n",
]
NOT_BY_SESSION = [
    "    return {'session_id': ctx.session_id}\n",
    "    return [ctx.session_id]\n",
    "    return STORE.get('session_id'), ctx.session_id\n",
    "    return STORE[str(ctx)], print(ctx.session_id)\n",
    "    return dict(client_id=ctx.client_id)['client_id']\n",
]


def places(body: str) -> list[int]:
    report = check([SourceFile("server.py", HEAD + body)])
    return [finding.span.line for finding in report.findings if finding.rule == "MRTR310"]


@pytest.mark.parametrize("body", BY_SESSION)
def test_a_look_up_by_session_is_found(body: str) -> None:
    assert len(places(body)) == 1


@pytest.mark.parametrize("body", NOT_BY_SESSION)
def test_a_mention_of_a_session_is_no_look_up(body: str) -> None:
    assert places(body) == []
