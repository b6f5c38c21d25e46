"""Signatures that grew: broken over lines where one no longer holds them."""

from __future__ import annotations

import libcst as cst

from .syntax import code


def fitted(node: cst.FunctionDef, width: int) -> cst.FunctionDef:
    """The function with a parameter on each line, if its head stood on one line and does not fit there any more."""
    head = code(
        node.with_changes(leading_lines=(), decorators=(), body=cst.SimpleStatementSuite([cst.Pass()]))
    )
    if "\n" in head.rstrip("\n") or len(head.removesuffix(" pass\n")) <= width:
        return node
    inner = cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace("    "))
    outer = cst.ParenthesizedWhitespace(indent=True)
    between = cst.Comma(whitespace_after=inner)
    params = node.params
    groups = [list(params.posonly_params), list(params.params), list(params.kwonly_params)]
    groups = [[p.with_changes(comma=between) for p in group] for group in groups]
    star = params.star_arg
    if isinstance(star, (cst.Param, cst.ParamStar)):
        star = star.with_changes(comma=between)
    last = next((group for group in reversed(groups) if group), None)
    if last is None or params.star_kwarg is not None:
        return node
    last[-1] = last[-1].with_changes(comma=cst.Comma(whitespace_after=outer))
    posonly = params.posonly_ind
    if isinstance(posonly, cst.ParamSlash):
        posonly = posonly.with_changes(comma=between)
    changed = params.with_changes(
        posonly_params=groups[0],
        posonly_ind=posonly,
        params=groups[1],
        star_arg=star,
        kwonly_params=groups[2],
    )
    return node.with_changes(params=changed, whitespace_before_params=inner)
