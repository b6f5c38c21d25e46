"""Rewrite one function: cut its body, give it its steps, and change its signature."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

import libcst as cst

from .asks import Framework
from .emit import TAB, Names, Piece, field_name, parsed
from .fresh import FreshNames, camel
from .imports import drop_unused_inside
from .module_view import Function, ModuleView
from .prepare import Prepared, Ways, prepare
from .refusal import Refusal
from .resolver import NEEDS, resolver, resolves
from .resuming.plan import Planner, Resumption
from .sampling import is_helper
from .segment import NeedsState, Segmenter
from .signature import fitted
from .sites import Site
from .syntax import code, names_below
from .valuetypes.carry import Carrier


class Style(Enum):
    """The form that handlers get, where they can."""

    STEPS = "steps"
    RESOLVE = "resolve"


@dataclass(frozen=True)
class Rewritten:
    """The new form of one function."""

    function: Function
    node: cst.FunctionDef
    added: tuple[cst.ClassDef | cst.FunctionDef, ...]
    """What goes before it: the classes of its steps, or the function that asks in its place."""
    sites: tuple[Site, ...]
    callees: frozenset[Function]
    safe: bool
    """Nothing rides in the state, no helper was lifted, no `except` or `finally` touched."""
    imports: Mapping[str, str]
    """What the fields' annotations need, by origin."""
    support: frozenset[str]
    """What the code uses of the support module."""


@dataclass(frozen=True)
class Terms:
    """What all rewrites of one file share."""

    view: ModuleView
    asking: Callable[[Function], bool]
    restarting: Callable[[Function], bool]
    class_names: FreshNames
    support: Mapping[str, str]
    """From the support module's own name of a thing to its name in this file."""
    renamed: Mapping[Function, str]
    """Functions that are called by another name from rewritten code."""
    width: int
    style: Style = Style.STEPS


def rewrite_function(function: Function, terms: Terms) -> Rewritten:
    """The explicit form of a function that asks.

    Raises:
        Refusal: if it can't be had soundly.
    """
    spelled_out: frozenset[str] = frozenset()
    while True:
        ways = Ways(terms.asking, terms.restarting, terms.renamed, terms.support, terms.width)
        prepared = prepare(function, terms.view, ways, spelled_out)
        try:
            return _cut(prepared, terms)
        except Refusal as refusal:
            if refusal.rule == "untyped-local" and not terms.view.facts.asks_stubs:
                terms.view.facts.asks_stubs = True
                continue
            more = _questions_alone(prepared, refusal)
            if more is None or more <= spelled_out:
                raise
            spelled_out |= more


def _questions_alone(prepared: Prepared, refusal: Refusal) -> frozenset[str] | None:
    """Questions to be carried as text, if what can't be carried is needed for nothing but them."""
    if refusal.rule not in ("untyped-local", "uncarriable-local", "secret-in-state"):
        return None
    name = refusal.reason.split("`")[1]
    found: set[str] = set()
    for site in prepared.sites:
        for ask in site.asks:
            message = ask.arguments.get("message")
            if (
                message is not None
                and name in code(message)
                and not isinstance(message, (cst.Name, cst.SimpleString))
            ):
                found.add(code(message))
    return frozenset(found) or None


def _cut(prepared: Prepared, terms: Terms) -> Rewritten:
    carrier = Carrier(terms.view.facts)
    if terms.style is Style.RESOLVE and (site := resolves(prepared, Planner(prepared, carrier))) is not None:
        asking, tool = resolver(prepared, site, terms.class_names, terms.width)
        needs = {origin: name for name, origin in NEEDS.items()}
        return Rewritten(prepared.function, tool, (asking,), (site,), frozenset(), True, needs, frozenset())
    names = Names(prepared.steps, prepared.fresh("state"), terms.support, terms.width)
    _name_keys(prepared)
    segmenter, body = _segments(prepared, carrier, names, terms)
    _apply_renames(prepared, terms)
    state_classes = tuple(_step_class(site, carrier, terms.support) for site in prepared.sites if site.point)
    opening = _opening(prepared, names, terms, segmenter)
    node = _signature(prepared, names, terms)
    node = node.with_changes(body=_with_opening(node, body, opening))
    node = drop_unused_inside(node, prepared.function.node)
    used = _support_used(node, state_classes, terms)
    lifted = any(site.callee is not None for site in prepared.sites) or bool(prepared.restarting_callees)
    safe = (
        not state_classes and not lifted and not segmenter.reviewed and prepared.function.method is not None
    )
    called = frozenset(site.callee for site in prepared.sites if site.callee is not None)
    callees = called | prepared.restarting_callees
    return Rewritten(
        prepared.function,
        node,
        state_classes,
        tuple(prepared.sites),
        callees,
        safe,
        dict(carrier.imports),
        used,
    )


def _name_keys(prepared: Prepared) -> None:
    """Each request is known by the local that takes its answer."""
    keys = FreshNames(())
    for site in prepared.sites:
        wishes = site.targets if len(site.targets) == len(site.asks) else ["answer" for _ in site.asks]
        site.keys = tuple(keys(wish.strip("_") or "answer") for wish in wishes)


def _segments(
    prepared: Prepared, carrier: Carrier, names: Names, terms: Terms
) -> tuple[Segmenter, list[cst.BaseStatement]]:
    planner = Planner(prepared, carrier)
    if not prepared.sites:
        nothing = Resumption(frozenset(), frozenset(), True)
        segmenter = Segmenter(prepared, nothing, names, stateless=True)
        return segmenter, segmenter.body()
    plan = planner.plan()
    if plan.light:
        done = _stateless(prepared, plan, names, terms)
        if done is not None:
            return done
        plan = planner.plan(allow_light=False)
    if not any(site.fields for site in prepared.sites) and len(prepared.sites) == 1:
        done = _stateless(prepared, plan, names, terms)
        if done is not None:
            return done
    _name_points(prepared, terms)
    segmenter = Segmenter(prepared, plan, names, stateless=False)
    return segmenter, _renamed_body(segmenter, terms)


def _stateless(
    prepared: Prepared, plan: Resumption, names: Names, terms: Terms
) -> tuple[Segmenter, list[cst.BaseStatement]] | None:
    segmenter = Segmenter(prepared, plan, names, stateless=True)
    try:
        return segmenter, _renamed_body(segmenter, terms)
    except NeedsState:
        return None


def _renamed_body(segmenter: Segmenter, terms: Terms) -> list[cst.BaseStatement]:
    _apply_renames(segmenter.prepared, terms)
    return segmenter.body()


def _apply_renames(prepared: Prepared, terms: Terms) -> None:
    for site in prepared.sites:
        if site.callee is None or site.call is None:
            continue
        func = site.call.func
        new = terms.renamed.get(site.callee)
        if is_helper(site.callee):
            site.call = site.call.with_changes(func=cst.Name(terms.support[site.callee.name]))
        elif new is not None:
            renamed = (
                func.with_changes(attr=cst.Name(new)) if isinstance(func, cst.Attribute) else cst.Name(new)
            )
            site.call = site.call.with_changes(func=renamed)


def _name_points(prepared: Prepared, terms: Terms) -> None:
    stem = camel(prepared.function.qualname)
    tags = FreshNames(())
    for site in prepared.sites:
        site.tag = tags("_".join(site.targets))
        what = "".join(camel(name) for name in (site.targets if len(site.targets) < 4 else site.targets[:1]))
        site.point = terms.class_names(f"{stem}{what}")


def _step_class(site: Site, carrier: Carrier, support: Mapping[str, str]) -> cst.ClassDef:
    lines = [
        f"class {site.point}({support['Step']}):",
        f'{TAB}step: {support["Literal"]}["{site.tag}"] = "{site.tag}"',
    ]
    lines += [f"{TAB}{field_name(name)}: {carrier.written(found)}" for name, found in site.fields.items()]
    return cst.ensure_type(cst.parse_statement("\n".join(lines)), cst.ClassDef)


def _opening(prepared: Prepared, names: Names, terms: Terms, segmenter: Segmenter) -> list[cst.BaseStatement]:
    """The first lines: this round's steps, and the one to resume at."""
    function = prepared.function
    lines = []
    channel = function.channel
    if function.method is not None:
        if channel is None:
            raise Refusal(
                "no-context",
                f"`{function.name}` gets no context, through which it could ask: give it a parameter `ctx: Context`",
            )
        extra = f", {function.params_name}" if channel.framework is Framework.LOWLEVEL else ""
        kind = terms.support["ToolSteps" if function.is_run else "Steps"]
        lines.append(f"{names.steps} = {kind}({channel.context}{extra})")
    if segmenter.uses_state:
        points = tuple(Piece(site.point) for site in prepared.sites)
        lines += Piece(f"{names.steps}.resume", points, True, f"{names.state} = ").lines(
            "", names.width - len(TAB)
        )
    return parsed(lines) if lines else []


def _with_opening(
    node: cst.FunctionDef, body: list[cst.BaseStatement], opening: list[cst.BaseStatement]
) -> cst.BaseSuite:
    block = cst.ensure_type(node.body, cst.IndentedBlock)
    docstring = [body.pop(0)] if node.get_docstring() is not None else []
    if _gets_context_first(body):
        docstring.append(body.pop(0))
    return block.with_changes(body=[*docstring, *opening, *body])


def _gets_context_first(body: list[cst.BaseStatement]) -> bool:
    """`ctx = get_context()` must stand before the steps that are made of it."""
    first = body[0] if body else None
    return isinstance(first, cst.SimpleStatementLine) and "= get_context(" in code(first)


def _signature(prepared: Prepared, names: Names, terms: Terms) -> cst.FunctionDef:
    node = prepared.node
    returns = node.returns
    if returns is not None and not prepared.function.is_run:
        returns = returns.with_changes(
            annotation=_or_asked(returns.annotation, terms.support["InputRequiredResult"])
        )
    changes: dict[str, object] = {"returns": returns}
    if prepared.function.method is None:
        changes["params"] = _with_steps(node.params, names.steps, terms.support["Steps"])
        new = terms.renamed.get(prepared.function)
        if new is not None:
            changes["name"] = cst.Name(new)
    return fitted(node.with_changes(**changes), terms.width)


def _or_asked(annotation: cst.BaseExpression, asked: str) -> cst.BaseExpression:
    if isinstance(annotation, cst.SimpleString):
        quote = annotation.value[-1]
        return annotation.with_changes(value=f"{annotation.value[:-1]} | {asked}{quote}")
    loose = isinstance(annotation, (cst.IfExp, cst.Lambda))
    left = annotation.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]) if loose else annotation
    return cst.BinaryOperation(left, cst.BitOr(), cst.Name(asked))


def _with_steps(params: cst.Parameters, name: str, type_name: str) -> cst.Parameters:
    """The helper takes its caller's steps by keyword, whatever else it takes."""
    new = cst.Param(cst.Name(name), cst.Annotation(cst.Name(type_name)), star="")
    star = params.star_arg
    if isinstance(star, cst.MaybeSentinel):
        star = cst.ParamStar()
    return params.with_changes(kwonly_params=[*params.kwonly_params, new], star_arg=star)


def _support_used(node: cst.FunctionDef, classes: tuple[cst.ClassDef, ...], terms: Terms) -> frozenset[str]:
    quoted = code(node.returns.annotation) if node.returns is not None else ""
    used = names_below(node)
    used = {own for own, name in terms.support.items() if name in used or _mentions(quoted, name)}
    if classes:
        used |= {"Step", "Literal"}
    return frozenset(used)


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", text) is not None
