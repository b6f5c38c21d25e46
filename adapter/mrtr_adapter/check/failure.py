"""Why a server could not be checked."""

from __future__ import annotations


class CannotCheck(Exception):
    """What is in the way and what to do about it, in one line for the person at the terminal."""


class NoReply(Exception):
    """The server left a request without a reply; the message says which."""
