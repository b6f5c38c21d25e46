"""What a handler does to the world in one round, as far as it can be seen.

A replay repeats what stands above an ask, once in every round, so it is named: to the log, with file and line, once
for each handler.
"""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass

from mrtr_adapter.engine.suspension import effect_refused

logger = logging.getLogger("mrtr")

_MAKES = frozenset({"open", "os.mkdir", "os.symlink", "os.link"})
_REMOVES = frozenset({"os.remove", "os.rmdir", "shutil.rmtree"})
_STARTS = frozenset({"os.fork", "os.posix_spawn", "os.spawn", "subprocess.Popen"})
_KILLS = frozenset({"os.kill", "os.killpg"})
_MAX_SEEN = 100
_MAX_TOLD = 5

_reported: set[str] = set()


@dataclass(frozen=True)
class Effect:
    """One effect: the audit event, what it was done to, and the handler's own line that led to it."""

    event: str
    what: str
    file: str
    line: int

    @property
    def place(self) -> str:
        """The event and its line, without what it was done to: an answer may be in that."""
        return f"{self.event} ({os.path.basename(self.file)}:{self.line})"

    def __str__(self) -> str:
        return f"{self.event} {self.what} ({os.path.basename(self.file)}:{self.line})"


class Effects:
    """The effects of one round, in order."""

    def __init__(self) -> None:
        self.seen: list[Effect] = []
        self._made: set[str] = set()
        self._started = False
        self._clearing = False

    def note(self, effect: Effect) -> None:
        if len(self.seen) < _MAX_SEEN:
            self.seen.append(effect)
        if effect.event in _MAKES:
            self._made.add(os.path.abspath(effect.what))
        self._started = self._started or effect.event in _STARTS

    def tidies(self, event: str, what: str, *, relative: bool) -> bool:
        """Whether this takes away what the handler itself made in this round: its temporary files, its processes.

        `relative` tells that the path is relative to an open folder, as it is inside `shutil.rmtree`.
        """
        if event in _KILLS:
            return self._started
        if event not in _REMOVES:
            return False
        if relative:
            return self._clearing
        path = os.path.abspath(what)
        own = any(path == made or path.startswith(made + os.sep) for made in self._made)
        self._clearing = self._clearing or (own and event == "shutil.rmtree")
        return own

    def report(self, handler: str, policy: str) -> None:
        """Tell of effects that stand above an ask: `warn` once for each handler, `refuse` the call, or `ignore` it.

        Raises:
            MCPError: the policy is to refuse.
        """
        if not self.seen or policy == "ignore":
            return
        if policy == "refuse":
            raise effect_refused(
                f"{handler} did this before it had its answer, and would do it again in each round: "
                f"{self._places()}. Move it below the question, wrap it in memo() or once(), or allow it with "
                f"on_effect={{{handler.partition(' ')[2]!r}: 'ignore'}}",
                list(map(str, self.seen[:_MAX_TOLD])),
            )
        if handler in _reported:
            return
        _reported.add(handler)
        logger.warning(
            "%s did %d things before it had its answer, and does them again in each round: %s. Move them below the "
            "question, or wrap them in memo() or once()",
            handler,
            len(self.seen),
            self._places(),
        )

    def _places(self) -> str:
        return "; ".join(effect.place for effect in self.seen[:_MAX_TOLD])
