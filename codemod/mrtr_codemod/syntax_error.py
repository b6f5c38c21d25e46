"""Why Python can't parse a source, and in which line."""

from __future__ import annotations


def described(error: SyntaxError) -> str:
    """In a few words, without the name that the parser gives a source that has none."""
    message = error.msg or "invalid syntax"
    if message.startswith(("Missing parentheses in call to", "multiple exception types must")):
        message += " (is this Python 2?)"
    return f"syntax error on line {error.lineno}: {message}" if error.lineno else f"syntax error: {message}"
