"""The SDK's own form for a question that depends on nothing but the arguments: `Annotated[T, Resolve(fn)]`.

The question moves to a function of its own, and the answer comes as a parameter. It serves clients of both eras.
"""

from __future__ import annotations

import ast

import libcst as cst

from .asks import Framework, Reads
from .emit import TAB, Piece
from .flow.scope import names_in
from .fresh import FreshNames
from .prepare import Prepared
from .resuming.plan import Planner
from .signature import fitted
from .sites import Site
from .syntax import all_params, as_ast, code

NEEDS = {
    "Annotated": "typing.Annotated",
    "Elicit": "mcp.server.mcpserver.Elicit",
    "ElicitationResult": "mcp.server.elicitation.ElicitationResult",
    "Resolve": "mcp.server.mcpserver.Resolve",
}
"""The imports of this form, by name."""


def resolves(prepared: Prepared, planner: Planner) -> Site | None:
    """The only ask of a tool, if its question can be asked before the tool runs; else None."""
    channel = prepared.function.channel
    if channel is None or channel.framework is not Framework.MCP or prepared.function.method != "tools/call":
        return None
    if len(prepared.sites) != 1 or NEEDS.keys() & (
        prepared.view.facts.names - prepared.view.facts.imports.keys()
    ):
        return None
    site = prepared.sites[0]
    ask = site.asks[0] if len(site.asks) == 1 else None
    if ask is None or ask.reads is not Reads.FORM or not isinstance(ask.schema, cst.Name) or ask.labels:
        return None
    if prepared.layout.outer[site.stmt] or not _stands_first(prepared, site):
        return None
    reads = names_in(as_ast(ask.arguments["message"])).reads & prepared.locals
    arguments = prepared.parameters - {channel.context, "self", "cls"}
    steady = planner.steady.value(as_ast(ask.arguments["message"]))
    return site if reads <= arguments and steady and not (arguments & planner.mutated & reads) else None


def _stands_first(prepared: Prepared, site: Site) -> bool:
    """Nothing but the docstring stands before the ask."""
    body = list(prepared.node.body.body)
    before = body[: body.index(site.stmt)]
    docstring = [ast.Expr] if ast.get_docstring(prepared.parsed) is not None else []
    return [type(p) for s in before for p in prepared.pairs[s]] == docstring


def resolver(
    prepared: Prepared, site: Site, names: FreshNames, width: int
) -> tuple[cst.FunctionDef, cst.FunctionDef]:
    """The function that asks, and the tool that takes the answer."""
    ask = site.asks[0]
    assert ask.schema is not None
    schema, answer = code(ask.schema), site.targets[0]
    name = names(f"{prepared.function.name}_{answer}".lstrip("_"))
    message = ask.arguments["message"]
    used = names_in(as_ast(message)).reads
    params = [p for p in all_params(prepared.node) if p.name.value in used]
    shown = ", ".join(
        code(p.with_changes(default=None, comma=cst.MaybeSentinel.DEFAULT, star="")) for p in params
    )
    question = Piece("Elicit", (Piece(code(message)), Piece(schema)), True, "return ").lines(TAB, width)
    source = "\n".join([f"def {name}({shown}) -> Elicit[{schema}]:", *question])
    asking = cst.ensure_type(cst.parse_statement(source), cst.FunctionDef)
    body = cst.ensure_type(prepared.node.body, cst.IndentedBlock)
    kept = _without(list(body.body), site)
    tool = prepared.node.with_changes(
        params=_with_answer(
            prepared.node.params, answer, f"Annotated[ElicitationResult[{schema}], Resolve({name})]"
        ),
        body=body.with_changes(body=kept),
    )
    return asking, fitted(tool, width)


def _without(body: list[cst.BaseStatement], site: Site) -> list[cst.BaseStatement]:
    """The body without the ask; the comments above it go on to the next statement."""
    index = body.index(site.stmt)
    rest = body[index + 1 :]
    if rest:
        lines = [*site.stmt.leading_lines, *rest[0].leading_lines]  # type: ignore[attr-defined]
        rest[0] = rest[0].with_changes(leading_lines=lines)
    return [*body[:index], *rest] or [cst.SimpleStatementLine([cst.Pass()])]


def _with_answer(params: cst.Parameters, name: str, annotation: str) -> cst.Parameters:
    new = cst.Param(cst.Name(name), cst.Annotation(cst.parse_expression(annotation)), star="")
    plain = (
        not params.kwonly_params
        and isinstance(params.star_arg, cst.MaybeSentinel)
        and params.star_kwarg is None
    )
    if plain and all(p.default is None for p in params.params):
        return params.with_changes(params=[*params.params, new])
    star = cst.ParamStar() if isinstance(params.star_arg, cst.MaybeSentinel) else params.star_arg
    return params.with_changes(kwonly_params=[*params.kwonly_params, new], star_arg=star)
