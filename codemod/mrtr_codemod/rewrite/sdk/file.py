"""What the fixes of one file share: its trees, what is known of its names and values, and where they write to."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from ..facts import Facts, FunctionNode
from ..fresh import FreshNames
from .edits import Edits
from .kinds import Kind
from .names import moved
from .notes import Note, Notes
from .receivers import Receivers


@dataclass
class File:
    """One file on its way to the new SDK."""

    tree: ast.Module
    facts: Facts
    edits: Edits
    receivers: Receivers
    fresh: FreshNames
    notes: Notes = field(default_factory=Notes)
    wanted: dict[str, str] = field(default_factory=dict)
    """Imports to add: from dotted origin to the name here."""
    registers: dict[str, str] = field(default_factory=dict)
    """The handlers that were added, and for each the function that was registered itself before."""
    stuck: bool = False
    """Whether the file imports what is gone, and can't be imported itself until that is replaced by hand."""
    lost: list[Note] = field(default_factory=list)
    """What of the notes keeps the new SDK from serving the file at all, until it is replaced by hand."""

    def __post_init__(self) -> None:
        self.nodes = list(ast.walk(self.tree))
        self.parents = {child: node for node in self.nodes for child in ast.iter_child_nodes(node)}

    def cannot_move(self, node: ast.expr | ast.stmt | ast.alias, text: str) -> None:
        """Tell of what the file can't do without."""
        self.notes.add(node, text)
        self.stuck = True
        self.lost.append(Note(node.lineno, text))

    def origin(self, expr: ast.expr) -> str | None:
        """The dotted origin of a chain that starts at an import, in the terms of the old SDK."""
        return self.facts.origin(expr) if isinstance(expr, (ast.Name, ast.Attribute)) else None

    def kind(self, expr: ast.expr) -> Kind:
        return self.receivers.of(expr)

    def calls(self) -> list[ast.Call]:
        return [n for n in self.nodes if isinstance(n, ast.Call)]

    def functions(self) -> list[FunctionNode]:
        return [n for n in self.nodes if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]

    def function_around(self, node: ast.AST) -> FunctionNode | None:
        """The innermost function that a node is in."""
        parent = self.parents.get(node)
        while parent is not None and not isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
            parent = self.parents.get(parent)
        return parent

    def is_local(self, name: ast.Name) -> bool:
        """Whether a function around it binds the name itself."""
        around = self.function_around(name)
        while around is not None:
            for node in ast.walk(around):
                stored = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == name.id
                if stored or (isinstance(node, ast.arg) and node.arg == name.id):
                    return True
            around = self.function_around(around)
        return False

    def named(self, origin: str) -> str:
        """How this file will call what the new SDK has at `origin`; it is imported if it has no name here yet."""
        module, _, name = origin.rpartition(".")
        for local, known in self.facts.imports.items():
            if moved(known) == origin:
                return local
            if moved(known) == module and local != known.partition(".")[0]:
                return f"{local}.{name}"
        if origin in self.wanted:
            return self.wanted[origin]
        taken = name in self.facts.names
        self.wanted[origin] = self.fresh(f"sdk_{name}" if name.islower() else f"Sdk{name}") if taken else name
        return self.wanted[origin]

    def type_named(self, name: str) -> str:
        """How this file calls a type of `mcp.types`."""
        return self.named(f"mcp.types.{name}")
