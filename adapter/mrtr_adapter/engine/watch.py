"""The audit hook (PEP 578) that sees the effects of handlers, in their tasks and threads as well.

Once a round has ended, it stops every effect of the handler that is still running, and of its tasks that have asked,
even beyond its end: one that has swallowed its cancellation must not do without an answer what it asked about.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from mrtr_adapter.engine.effects import Effect
from mrtr_adapter.engine.enclosed import enclosing
from mrtr_adapter.engine.flows import Flow, current
from mrtr_adapter.engine.halt import stopped
from mrtr_adapter.engine.site import is_machinery
from mrtr_adapter.engine.suspension import Suspension

logger = logging.getLogger("mrtr")

Describe = Callable[[tuple[Any, ...]], "str | None"]
"""Of the arguments of an event: what it is done to, or None if it is no effect."""

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_LOGGING = os.path.dirname(logging.__file__)


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if event not in _WATCHED:
        return
    flow: Flow | None = current.get()
    if flow is None or (flow.halt.over and stopped.get() is not flow.halt):
        return
    enclosure = enclosing.get()
    if enclosure is not None and (enclosure.kind == "once" or not flow.halt.called):
        return
    effect = effect_of(event, args)
    if effect is None:
        return
    relative = event in ("os.remove", "os.rmdir") and len(args) > 1 and args[1] not in (None, -1)
    if flow.halt.called and not flow.effects.tidies(event, effect.what, relative=relative):
        logger.warning("%s went on after it had asked; %s was stopped", flow.name, effect.place)
        raise Suspension
    flow.effects.note(effect)


def effect_of(event: str, args: tuple[Any, ...]) -> Effect | None:
    """What an audit event does to the world; None if it does nothing, or is the doing of an import or of logging."""
    describe = _WATCHED.get(event)
    what = describe(args) if describe is not None else None
    site = _handler_line() if what is not None else None
    return None if what is None or site is None else Effect(event, what, *site)


def _handler_line() -> tuple[str, int] | None:
    """The innermost line of the handler's own code; None if the event is the doing of an import or of logging."""
    line = ("<thread>", 0)
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(("<frozen importlib", _LOGGING)):
            return None
        if not is_machinery(name):
            return name, frame.f_lineno
        frame = frame.f_back
    return line


def _opened(args: tuple[Any, ...]) -> str | None:
    path, mode, flags = (*args, None, None, None)[:3]
    by_mode = isinstance(mode, str) and any(letter in mode for letter in "wax+")
    writes = by_mode or (mode is None and bool((flags or 0) & _WRITING))
    return _text(path) if writes and not isinstance(path, int) else None


def _first(args: tuple[Any, ...]) -> str:
    return _text(args[0]) if args else ""


def _second(args: tuple[Any, ...]) -> str:
    return _text(args[1]) if len(args) > 1 else ""


def _nothing(args: tuple[Any, ...]) -> str:
    """The arguments may be secret."""
    return ""


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return os.fsdecode(value)
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    return value if isinstance(value, str) else repr(value)


_TO_FILES = (
    *("os.chmod", "os.chown", "os.link", "os.mkdir", "os.remove", "os.removexattr", "os.rename", "os.rmdir"),
    *("os.setxattr", "os.symlink", "os.truncate", "shutil.rmtree", "sqlite3.connect"),
)
_BY_FIRST = (
    *_TO_FILES,
    *("os.exec", "os.posix_spawn", "os.startfile", "subprocess.Popen"),
    *("os.kill", "os.killpg", "os.putenv", "os.unsetenv"),
)
_BY_PEER = (
    "ftplib.connect",
    "imaplib.open",
    "poplib.connect",
    "smtplib.connect",
    "socket.connect",
    "socket.sendto",
)
_BY_NAME = ("os.fork", "os.forkpty", "os.spawn", "os.system", "pty.spawn", "smtplib.send")

_WATCHED: dict[str, Describe] = {
    "open": _opened,
    **dict.fromkeys(_BY_FIRST, _first),
    **dict.fromkeys(_BY_PEER, _second),
    **dict.fromkeys(_BY_NAME, _nothing),
}

TO_FILES = frozenset({"open", *_TO_FILES})
"""Events that are done to a file or folder, whose path they name."""

_installed = False


def install() -> None:
    """Watch from now on. An audit hook can't be taken out again; outside a flow it costs one look-up an event."""
    global _installed
    if not _installed:
        _installed = True
        sys.addaudithook(_hook)
