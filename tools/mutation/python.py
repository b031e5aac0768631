# SPDX-License-Identifier: Apache-2.0
"""Mutations of Python, found in its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from mutation.site import Site

Part = Callable[[ast.expr], str]
_OPERATORS: dict[type[ast.AST], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "+",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "+",
    ast.BitAnd: "|",
    ast.BitOr: "&",
    ast.LShift: ">>",
    ast.RShift: "<<",
}


def sites(text: str) -> Iterator[Site]:
    """Every mutation of a file."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    raw = text.encode()

    def span(node: ast.expr | ast.stmt) -> tuple[int, int]:
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        return len(raw[:start].decode()), len(raw[:end].decode())

    def part(node: ast.expr) -> str:
        return f"({text[slice(*span(node))]})"

    for node in _visible(ast.parse(text)):
        for new, operator in _at(node, part):
            yield Site(*span(node), new, operator)
        if isinstance(node, (ast.If, ast.While, ast.IfExp)):
            yield Site(*span(node.test), f"not {part(node.test)}", "condition negated")


def _visible(node: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Expressions and statements that do something: no types, no texts for people."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, (ast.JoinedStr, ast.Raise)):
                continue
            if isinstance(child, (ast.expr, ast.stmt)):
                yield child
            yield from _visible(child)


def _at(node: ast.expr | ast.stmt, part: Part) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        new = _OPERATORS[type(node.ops[0])]
        yield f"{part(node.left)} {new} {part(node.comparators[0])}", "other operator"
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        new = _OPERATORS[type(node.op)]
        yield f"{part(node.left)} {new} {part(node.right)}", "other operator"
        yield part(node.left), "term dropped"
    elif isinstance(node, ast.BoolOp):
        other = " or " if isinstance(node.op, ast.And) else " and "
        yield other.join(map(part, node.values)), "other operator"
        for value in node.values:
            rest = [part(term) for term in node.values if term is not value]
            yield (" and " if isinstance(node.op, ast.And) else " or ").join(rest), "term dropped"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
        yield part(node.operand), "negation dropped"
    elif isinstance(node, ast.IfExp):
        yield part(node.body), "one branch"
        yield part(node.orelse), "one branch"
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield str(not node.value), "constant"
        elif isinstance(node.value, (int, float)):
            yield str(node.value + 1), "constant"
            yield f"({node.value - 1})", "constant"
    elif isinstance(node, (ast.Assign, ast.AugAssign)) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ):
        yield "pass", "statement dropped"
    elif isinstance(node, (ast.Break, ast.Continue)):
        yield "continue" if isinstance(node, ast.Break) else "break", "other jump"
    elif isinstance(node, ast.Return) and node.value is not None:
        yield "return None", "no result"
