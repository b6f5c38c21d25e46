"""Tokens that nobody sealed."""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Iterator


def mutants(token: str, foreign: list[str], count: int) -> Iterator[str]:
    """`count` of them, from one seed: changed, cut, extended, spliced, spelled differently."""
    rng = random.Random(20260728)
    alphabet = string.ascii_letters + string.digits + "-_"
    prefix, _, body = token.partition(".")
    for _ in range(count):
        how = rng.randrange(8)
        at = rng.randrange(len(body))
        other = rng.choice(foreign).partition(".")[2]
        if how == 0:
            yield prefix + "." + body[:at] + rng.choice(alphabet.replace(body[at], "")) + body[at + 1 :]
        elif how == 1:
            yield prefix + "." + body[:at]
        elif how == 2:
            yield token + "".join(rng.choices(alphabet, k=rng.randint(1, 6)))
        elif how == 3:
            cut = rng.randrange(1, min(len(body), len(other)))
            yield prefix + "." + body[:cut] + other[cut:]
        elif how == 4:
            yield prefix + "." + body[:at] + rng.choice("=+/ \n.é") + body[at:]
        elif how == 5:
            raw = bytearray(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
            raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
            yield prefix + "." + base64.urlsafe_b64encode(bytes(raw)).decode().rstrip("=")
        elif how == 6:
            yield rng.choice(["", "mr0.", "mr2.", "v1.", "MR1.", "mr1"]) + body
        else:
            swapped = list(body)
            second = rng.randrange(len(body))
            swapped[at], swapped[second] = swapped[second], swapped[at]
            yield prefix + "." + "".join(swapped)
