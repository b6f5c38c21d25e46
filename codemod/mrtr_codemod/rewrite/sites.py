"""The places of a function where a round ends and a later one goes on."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import libcst as cst

from .asks import AskCall, Framework, Reads
from .flow.layout import clauses, suite_of
from .flow.scope import parameters
from .module_view import Function, ModuleView
from .refusal import Refusal
from .shape.pairing import pair
from .syntax import as_ast, mentions_of
from .valuetypes.infer import ANSWER
from .valuetypes.model import ANY, STR, Type, from_annotation, returned_type, union

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
            return [arg.value for arg in self.call.args]
        return [e for ask in self.asks for e in ask.evaluated()]


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
        types = [answer_type(ask, function, view) for ask in site.asks]
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
    node, _ = pair(site.callee.node)
    given = site.callee.arguments(site.call)
    solved: dict[str, str] = {}
    for param in parameters(node):
        match param.annotation:
            case ast.Subscript(value=ast.Name(id="type" | "Type"), slice=ast.Name(id=variable)):
                if isinstance(value := given.get(param.arg), cst.Name):
                    solved[variable] = value.value
    if solved and node.returns is not None:
        node.returns = _Solve(solved).visit(node.returns)
    return returned_type(node, view.facts)


class _Solve(ast.NodeTransformer):
    def __init__(self, solved: dict[str, str]) -> None:
        self.solved = solved

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.solved.get(node.id, node.id), node.ctx)


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
    known = {id(m) for site in sites for m in view.mentions(site.stmt, owner)}
    for mention in view.mentions(function.body, owner):
        if id(mention) not in known:
            text = cst.Module([]).code_for_node(mention)
            raise Refusal(
                "dynamic-ask",
                f"`{text}` is not called and awaited in one go, so its answer comes at no fixed place",
            )


def refuse_loose_helpers(
    function: cst.FunctionDef, called_here: list[Function], asking: list[Function]
) -> None:
    """Refuse a function with an asking helper that is not called (and awaited) at once: passed on, run as a task.

    Raises:
        Refusal: naming the helper.
    """
    for helper in asking:
        if helper.method is None and mentions_of(helper.name, function.body) > called_here.count(helper):
            raise Refusal("dynamic-ask", f"`{helper.name}` asks, and is not called and awaited in one go")
