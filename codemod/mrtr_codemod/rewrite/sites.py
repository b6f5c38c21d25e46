"""The places of a function where a round ends and a later one goes on."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import libcst as cst

from .asks import AskCall, Framework, Reads, dotted
from .facts import Facts
from .flow.layout import clauses, suite_of
from .flow.scope import parameters
from .module_view import Function, ModuleView
from .refusal import Refusal
from .sampling import exchange_type, is_helper
from .shape.managers import GROUPS, tasks_that_ask
from .shape.pairing import pair
from .shape.together import withs
from .syntax import as_ast, calls_in
from .tree import children_of
from .valuetypes.infer import ANSWER
from .valuetypes.model import ANY, STR, Type, abroad, from_annotation, returned_type, union

URL_ANSWER = Type("mcp.server.elicitation.UrlElicitationResult")


@dataclass(eq=False)
class Site:
    """One resume point. Either `asks` are made here, or `callee` is called, which asks in turn."""

    stmt: cst.SimpleStatementLine
    targets: tuple[str, ...]
    """The locals that take the answers; one for each ask, or one for all of several."""
    asks: tuple[AskCall, ...] = ()
    callee: Function | None = None
    call: cst.Call | None = None
    loops: tuple[cst.BaseStatement, ...] = ()
    keys: tuple[str, ...] = ()
    point: str = ""
    """The name of the step's class."""
    tag: str = ""
    """What tells the step from others of the same handler."""
    fields: dict[str, Type] = field(default_factory=dict)

    @property
    def evaluated(self) -> list[cst.BaseExpression]:
        """What is evaluated again when the round comes back here."""
        if self.call is not None:
            func = self.call.func
            receiver = [func.value] if isinstance(func, cst.Attribute) else []
            return [*receiver, *(arg.value for arg in self.call.args)]
        return [e for ask in self.asks for e in _repeated(ask)]


def _repeated(ask: AskCall) -> list[cst.BaseExpression]:
    """What an ask evaluates; for one that is asked for each of some items, all of that in its comprehension."""
    if ask.each is None:
        return ask.evaluated()
    return [cst.ListComp(cst.Tuple([cst.Element(e) for e in ask.evaluated()]), ask.each)]


def called(expr: cst.BaseExpression) -> cst.Call | None:
    inner = expr.expression if isinstance(expr, cst.Await) else expr
    return inner if isinstance(inner, cst.Call) else None


def asking_call(
    expr: cst.BaseExpression, function: Function, view: ModuleView, asking: Callable[[Function], bool]
) -> Function | None:
    """The asking function that `expr` calls (and awaits, if it is async)."""
    call = called(expr)
    callee = view.callee(call, function) if call is not None else None
    if callee is None or not asking(callee):
        return None
    return callee if callee.is_async == isinstance(expr, cst.Await) else None


def find_sites(
    function: cst.FunctionDef, owner: Function, view: ModuleView, asking: Callable[[Function], bool]
) -> list[Site]:
    """The sites of a function whose asks have statements of their own, in the order of the source."""
    found = []
    for stmt, loops in _statements(function.body, ()):
        small = stmt.body[0] if len(stmt.body) == 1 else None
        if not isinstance(small, cst.Assign):
            continue
        asks = tuple(view.asks(small.value, owner))
        callee = asking_call(small.value, owner, view, asking)
        if asks or callee:
            target = small.targets[0].target
            found.append(
                Site(stmt, _names(target), asks, callee, called(small.value) if callee else None, loops)
            )
    return found


def _names(target: cst.BaseAssignTargetExpression) -> tuple[str, ...]:
    if isinstance(target, cst.Name):
        return (target.value,)
    assert isinstance(target, cst.Tuple)
    return tuple(e.value.value for e in target.elements if isinstance(e.value, cst.Name))


def _statements(
    suite: cst.BaseSuite, loops: tuple[cst.BaseStatement, ...]
) -> Iterator[tuple[cst.SimpleStatementLine, tuple[cst.BaseStatement, ...]]]:
    for stmt in suite.body:
        if isinstance(stmt, cst.SimpleStatementLine):
            yield stmt, loops
        elif isinstance(stmt, cst.BaseCompoundStatement):
            yield from _in_clauses(stmt, loops)


def _in_clauses(
    stmt: cst.BaseCompoundStatement, loops: tuple[cst.BaseStatement, ...]
) -> Iterator[tuple[cst.SimpleStatementLine, tuple[cst.BaseStatement, ...]]]:
    inner = (*loops, stmt) if isinstance(stmt, (cst.For, cst.While)) else loops
    for clause in clauses(stmt):
        if isinstance(clause, cst.If):
            yield from _in_clauses(clause, loops)
        else:
            yield from _statements(suite_of(clause), loops if isinstance(clause, cst.Else) else inner)


def answer_types(sites: list[Site], function: Function, view: ModuleView) -> dict[str, Type]:
    """The types of the locals that take answers."""
    found: dict[str, Type] = {}
    for site in sites:
        types = [
            Type("list", (answer_type(ask, function, view),))
            if ask.each
            else answer_type(ask, function, view)
            for ask in site.asks
        ]
        if site.callee is not None:
            type_ = _result(site, view)
            types = [type_] if type_ is not None else []
        if len(site.targets) == 1 and len(types) > 1:
            types = [Type("list", (union(*types),))]
        for name, type_ in zip(site.targets, types, strict=False):
            found[name] = union(found[name], type_) if name in found else type_
    return found


def _result(site: Site, view: ModuleView) -> Type | None:
    """What the called helper gives. A type variable stands for the class that is passed as `type[T]`."""
    assert site.callee is not None
    assert site.call is not None
    given = site.callee.arguments(site.call)
    if is_helper(site.callee):
        return exchange_type(site.callee, given, view.facts)
    node, _ = pair(site.callee.node)
    solved: dict[str, Type] = {}
    for param in parameters(node):
        match param.annotation:
            case ast.Subscript(value=ast.Name(id="type" | "Type"), slice=ast.Name(id=variable)):
                value = given.get(param.arg)
                found = from_annotation(as_ast(value), view.facts) if value is not None else None
                if found is not None:
                    solved[variable] = found
    home = site.callee.view.facts
    variables = {name: ast.ClassDef(name, [], [], [], []) for name in solved}
    returned = returned_type(node, replace(home, classes={**home.classes, **variables}))
    return _solved(returned, solved, home, view.facts) if returned is not None else None


def _solved(found: Type, solved: dict[str, Type], home: Facts, here: Facts) -> Type:
    if found.name in solved:
        return solved[found.name]
    if found.name == "|":
        return union(*(_solved(a, solved, home, here) for a in found.args))
    args = tuple(_solved(a, solved, home, here) for a in found.args)
    return Type(abroad(Type(found.name), home, here).name, args)


def answer_type(ask: AskCall, function: Function, view: ModuleView) -> Type:
    """The type of what one ask is answered with."""
    fastmcp = function.channel is not None and function.channel.framework is Framework.FASTMCP
    match ask.reads:
        case Reads.FORM:
            schema = _schema_type(ask.schema, view, fastmcp)
            return Type(ANSWER, (schema,)) if schema else Type(ANSWER)
        case Reads.URL:
            return URL_ANSWER
        case Reads.RAW:
            return Type("mcp.types.ElicitResult")
        case Reads.ROOTS:
            return Type("list", (Type("mcp.types.Root"),)) if fastmcp else Type("mcp.types.ListRootsResult")
        case Reads.SAMPLE if fastmcp:
            return Type("mrtr_steps.Sampled")
        case Reads.SAMPLE:
            return Type("mcp.types.CreateMessageResult")
        case Reads.SAMPLE_TOOLS:
            return Type("mcp.types.CreateMessageResultWithTools")


def _schema_type(schema: cst.BaseExpression | None, view: ModuleView, fastmcp: bool) -> Type | None:
    if schema is None:
        return None
    expr = as_ast(schema)
    if isinstance(expr, ast.Constant) and expr.value is None:
        return Type("dict", (STR, ANY))  # a form without fields
    found = from_annotation(expr, view.facts)
    if found is not None or not fastmcp:
        return found
    if isinstance(schema, cst.List) and schema.elements:
        nested = isinstance(schema.elements[0].value, (cst.List, cst.Dict))
        return Type("list", (STR,)) if nested else STR
    return STR if isinstance(schema, (cst.Dict, cst.Name)) else None


def refuse_unreached(function: cst.FunctionDef, sites: list[Site], owner: Function, view: ModuleView) -> None:
    """Refuse a function with an asking method that is not called and awaited at once.

    Raises:
        Refusal: naming the method.
    """
    groups = {
        item.asname.name.value
        for stmt in withs(function.body)
        for item in stmt.items
        if item.asname is not None and isinstance(item.asname.name, cst.Name)
        if isinstance(item.item, cst.Call) and view.origin(item.item.func) in GROUPS
    }
    for call in calls_in(function.body):
        if not view.mentions(call, owner):
            continue
        if view.origin(call.func) == "asyncio.wait_for":
            raise Refusal(
                "timed-ask",
                "`asyncio.wait_for` counted the time that the user took, which no round sees: await the ask itself",
            )
        if (dotted(call.func) or "").partition(".")[0] in groups:
            raise tasks_that_ask()
    known = {id(m) for site in sites for m in view.mentions(site.stmt, owner)}
    for mention in view.mentions(function.body, owner):
        if id(mention) not in known:
            text = cst.Module([]).code_for_node(mention)
            raise Refusal(
                "dynamic-ask",
                f"`{text}` is not called and awaited in one go, so its answer comes at no fixed place",
            )


def refuse_loose_helpers(
    function: cst.FunctionDef,
    owner: Function,
    called_here: list[Function],
    asking: Callable[[Function], bool],
) -> None:
    """Refuse a function with an asking helper that is not called (and awaited) at once: passed on, run as a task.

    Raises:
        Refusal: naming the helper.
    """
    named = [(f"self.{f.name}" if f.owner else f.name, f) for f in owner.view.functions.values()]
    named += [(spelled, f) for (caller, spelled), f in owner.view.links.items() if caller == owner.qualname]
    for spelled, helper in named:
        if not asking(helper) or helper.method is not None:
            continue
        of, _, name = spelled.rpartition(".")
        known = sum(f is helper or f.name == name for f in called_here)
        if _mentions(name, function.body, attribute=bool(of)) > known:
            raise Refusal("dynamic-ask", f"`{name}` asks, and is not called and awaited in one go")


def _mentions(name: str, node: cst.CSTNode, *, attribute: bool) -> int:
    """How often a name occurs below a node: as an attribute of something, or by itself."""
    if isinstance(node, cst.Attribute):
        return int(attribute and node.attr.value == name) + _mentions(name, node.value, attribute=attribute)
    if isinstance(node, cst.Arg):
        return _mentions(name, node.value, attribute=attribute)
    here = int(not attribute and isinstance(node, cst.Name) and node.value == name)
    return here + sum(_mentions(name, child, attribute=attribute) for child in children_of(node))
