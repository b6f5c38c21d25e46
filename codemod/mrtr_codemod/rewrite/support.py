"""The support module that rewritten code imports, and the names it takes from it."""

from __future__ import annotations

from collections.abc import Collection
from importlib.resources import files

from .asks import Framework
from .both_ways import folded_text
from .facts import Facts

SUPPORT = {
    Framework.MCP: "mrtr_steps",
    Framework.LOWLEVEL: "mrtr_steps",
    Framework.FASTMCP: "mrtr_steps_fastmcp",
}
_OWN = (
    "Answer",
    "CannotAsk",
    "Sampled",
    "Step",
    "Steps",
    "form",
    "numbered",
    "raw_form",
    "roots",
    "sample",
    "url",
)
_OTHERS = {"InputRequiredResult": "mcp.types", "Literal": "typing"}
_FASTMCP = ("ToolSteps",)
_SAMPLING = ("sampled", "sampled_step")
"""What `mrtr_steps_sampling` adds for FastMCP."""


def support_names(framework: Framework, facts: Facts, used: set[str]) -> dict[str, str]:
    """For each thing that rewritten code may need, the name it goes by in this file: its own, unless that is `used`."""
    found = {}
    for own in (*_OWN, *_OTHERS, *((*_FASTMCP, *_SAMPLING) if framework is Framework.FASTMCP else ())):
        origin = origin_of(own, SUPPORT[framework])
        known = [
            name
            for name, o in facts.imports.items()
            if o in (origin, origin.replace("mcp.types", "mcp_types"))
            or (own not in _OTHERS and o.endswith(f".{origin}"))
        ]
        taken = (own in used or own in facts.imports) and not known
        found[own] = (
            known[0]
            if known
            else f"steps_{own}"
            if taken and own.islower()
            else f"Steps{own}"
            if taken
            else own
        )
    return found


def origin_of(own: str, support_module: str) -> str:
    """Where a name comes from."""
    if own in _SAMPLING:
        return f"{support_module.replace('mrtr_steps_fastmcp', 'mrtr_steps_sampling')}.{own}"
    return f"{_OTHERS.get(own, support_module)}.{own}"


def source(module: str, *, in_package: bool = False) -> str:
    """The source of a support module, as it is put beside the rewritten code. In a package it finds the others also
    where a file of the package is started by its path."""
    text = files("mrtr_codemod.rewrite").joinpath("vendored", f"{module}.py").read_text("utf-8")
    return folded_text(text) if in_package else text


def modules(framework: Framework, used: Collection[str]) -> tuple[str, ...]:
    """The support modules that code for `framework` needs beside it, given what it uses of them."""
    if not set(used) - _OTHERS.keys():
        return ()
    if framework is not Framework.FASTMCP:
        return ("mrtr_steps",)
    sampling = ("mrtr_steps_sampling",) if set(used) & set(_SAMPLING) else ()
    return ("mrtr_steps", "mrtr_steps_fastmcp", *sampling)
