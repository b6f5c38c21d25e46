"""Bytes of a Python source to its text, by the rules of PEP 263."""

from __future__ import annotations

import codecs
import re

_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK_OR_COMMENT = re.compile(rb"^[ \t\f]*(?:#|$)")
_FIRST_LINES = re.compile(rb"([^\r\n]*)(?:\r\n|\r|\n|\Z)([^\r\n]*)")
_WIDE_BOMS = {codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16"}
_UNSUITABLE = {"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"}
"""Text codecs that no source is written in; two of them take quadratic time."""


class UndecodableError(Exception):
    """The bytes are no Python source; the message says why, and what to do."""


def decode(data: bytes) -> str:
    """Return the text of a source, without its byte order mark and with its newlines as they are.

    Raises `UndecodableError` for binary data, an unknown or unsuitable encoding, and bytes outside of it.
    """
    for bom, name in _WIDE_BOMS.items():
        if data.startswith(bom):
            raise UndecodableError(f"is {name}, which Python does not read; save it as UTF-8")
    if b"\0" in data:
        raise UndecodableError("holds NUL bytes: it is binary data, not Python source")
    body = data.removeprefix(codecs.BOM_UTF8)
    encoding = _encoding(body, marked=len(body) != len(data))
    try:
        return body.decode(encoding)
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise UndecodableError(
            f"byte 0x{body[error.start]:02x} in line {line} is not {encoding}; "
            "declare the encoding in the first line (PEP 263) or save the file as UTF-8"
        ) from None


def _encoding(body: bytes, *, marked: bool) -> str:
    cookie = _cookie(body)
    if cookie is None:
        return "utf-8"
    encoding = _text_encoding(cookie)
    if marked and encoding != "utf-8":
        raise UndecodableError(f"has a UTF-8 byte order mark but declares {cookie!r}; remove one of the two")
    return encoding


def _cookie(body: bytes) -> str | None:
    found = _FIRST_LINES.match(body)
    first, second = found.groups() if found else (b"", b"")
    match = _COOKIE.match(first)
    if match is None and _BLANK_OR_COMMENT.match(first):
        match = _COOKIE.match(second)
    return match.group(1).decode("ascii", "replace") if match else None


def _text_encoding(cookie: str) -> str:
    # What an editor appends to a codec's name (utf-8-unix) is no part of it.
    normal = re.sub(r"-(unix|dos|mac)$", "", cookie.lower().replace("_", "-"))
    try:
        name = codecs.lookup(normal).name
        if name in _UNSUITABLE or not codecs.lookup(name)._is_text_encoding:
            raise LookupError
        b"".decode(name)
    except LookupError:
        raise UndecodableError(
            f"declares the encoding {cookie!r}, which Python does not know as text"
        ) from None
    return "utf-8" if name == "utf-8-sig" else name
