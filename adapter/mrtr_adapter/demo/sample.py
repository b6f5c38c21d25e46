"""A server as they were written for a 2025-11-25 session: its tool asks in the middle of its work, and knows nothing
of rounds, state or keys.

The albums are folders below `MRTR_DEMO_ALBUMS`; who may call is in `MRTR_DEMO_USERS`.
"""

from __future__ import annotations

import os
from pathlib import Path

from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import Context, MCPServer
from pydantic import AnyHttpUrl, BaseModel

from mrtr_adapter.demo.users import Users

FOLDER = Path(os.environ["MRTR_DEMO_ALBUMS"])
ALBUMS = {folder.name: folder for folder in FOLDER.iterdir()}

server = MCPServer(
    "albums",
    auth=AuthSettings(issuer_url=AnyHttpUrl("http://127.0.0.1"), resource_server_url=None),
    token_verifier=Users.from_environment(),
)


class Sure(BaseModel):
    delete: bool


class Typed(BaseModel):
    name: str


@server.tool()
async def delete_album(album: str, ctx: Context) -> str:
    photos = list(ALBUMS[album].iterdir())

    sure = await ctx.elicit(f"Delete the {len(photos)} photos of {album!r}?", Sure)
    if sure.action != "accept" or not sure.data.delete:
        return "Nothing was deleted."

    typed = await ctx.elicit("There is no way back. Type the album's name to go on.", Typed)
    if typed.action != "accept" or typed.data.name != album:
        return "Nothing was deleted."

    for photo in photos:
        photo.unlink()
    return f"Deleted {len(photos)} photos of {album!r}."
