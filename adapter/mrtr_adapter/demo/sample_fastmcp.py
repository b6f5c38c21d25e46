"""The same server as people wrote it for FastMCP 2 and 3: it asks for plain values in the middle of its work.

The albums are folders below `MRTR_DEMO_ALBUMS`; who may call is in `MRTR_DEMO_USERS`.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from fastmcp import Context, FastMCP
from fastmcp.server.auth.providers.jwt import StaticTokenVerifier

FOLDER = Path(os.environ["MRTR_DEMO_ALBUMS"])
ALBUMS = {folder.name: folder for folder in FOLDER.iterdir()}
USERS = json.loads(os.environ["MRTR_DEMO_USERS"])

server = FastMCP(
    "albums",
    auth=StaticTokenVerifier({token: {"client_id": name, "scopes": []} for name, token in USERS.items()}),
)


@dataclass
class Sure:
    delete: bool


@dataclass
class Typed:
    name: str


@server.tool
async def delete_album(album: str, ctx: Context) -> str:
    photos = list(ALBUMS[album].iterdir())

    sure = await ctx.elicit(f"Delete the {len(photos)} photos of {album!r}?", response_type=Sure)
    if sure.action != "accept" or not sure.data.delete:
        return "Nothing was deleted."

    typed = await ctx.elicit("There is no way back. Type the album's name to go on.", response_type=Typed)
    if typed.action != "accept" or typed.data.name != album:
        return "Nothing was deleted."

    for photo in photos:
        photo.unlink()
    return f"Deleted {len(photos)} photos of {album!r}."
