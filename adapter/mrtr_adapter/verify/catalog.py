"""What a server has, by its own lists."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mrtr_adapter.verify.cases import Case
from mrtr_adapter.verify.processes import Broken, TimedOut, perform
from mrtr_adapter.verify.refusal import CannotVerify
from mrtr_adapter.verify.scratch import Source
from mrtr_adapter.verify.stage import Setting
from mrtr_adapter.verify.wire import Work


@dataclass(frozen=True)
class Catalog:
    """Tools, prompts, resources and templates as on the wire; None for what the server does not list at all."""

    file: Path
    tools: list[dict[str, Any]] | None
    prompts: list[dict[str, Any]] | None
    resources: list[dict[str, Any]] | None
    templates: list[dict[str, Any]] | None

    def check(self, case: Case) -> None:
        """Refuse a tool or prompt that is not there.

        Raises:
            CannotVerify: names those that are.
        """
        if case.tool is not None:
            self.check_tool(case.tool)
        if case.prompt is not None:
            self._check("prompt", case.prompt, self.prompts)

    def check_tool(self, name: str) -> None:
        """The same for a tool alone."""
        self._check("tool", name, self.tools)

    def _check(self, kind: str, name: str, entries: list[dict[str, Any]] | None) -> None:
        if entries is None:
            return
        names = [str(entry["name"]) for entry in entries]
        if name not in names:
            there = f"its {kind}s are {', '.join(names)}" if names else f"it has no {kind}s"
            raise CannotVerify(f"there is no {kind} {name} in {self.file}: {there}")


def read_catalog(source: Source, setting: Setting) -> Catalog:
    """Import the server and ask for its lists.

    Raises:
        CannotVerify: it can't be imported, or its lists fail.
    """
    with tempfile.TemporaryDirectory(prefix="mrtr-verify-") as scratch:
        place = source.copy(Path(scratch))
        work = Work(
            kind="catalog",
            file=str(place.target.path),
            object=place.target.object,
            folder=str(place.folder),
            temporary=str(place.temporary),
            key=setting.key,
        )
        try:
            lists = perform(work, place.output, setting.seconds).result or {}
        except TimedOut:
            raise CannotVerify(
                f"{source.target.path} has not been imported within {setting.seconds:g} s: put what takes long "
                'under `if __name__ == "__main__":`, or give it longer with --timeout'
            ) from None
        except (Broken, CannotVerify) as error:
            told = str(error).replace(str(place.target.path), str(source.target.path))
            raise CannotVerify(told.replace(f"{place.folder}/", "")) from None
    return Catalog(
        source.target.path,
        lists["tools"],
        lists["prompts"],
        lists["resources"],
        lists["resourceTemplates"],
    )
