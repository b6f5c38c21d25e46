"""Why a handler stays as it is."""

from __future__ import annotations


class Refusal(Exception):
    """This handler can't be split soundly, and stays byte-identical.

    `rule` is a word that the reports group by; `reason` says what stands in the way and what to do about it.
    """

    def __init__(self, rule: str, reason: str) -> None:
        super().__init__(f"{rule}: {reason}")
        self.rule = rule
        self.reason = reason
