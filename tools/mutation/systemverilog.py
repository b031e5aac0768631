# SPDX-License-Identifier: Apache-2.0
"""Mutations of SystemVerilog, found in slang's syntax tree.

Several of them can be built into one copy of a file: each stands beside what it replaces, and
a number that the running model reads says which one counts. So a file is compiled once for all of
its mutations that are not part of a constant expression.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from pyslang import BufferID, syntax

from mutation.site import Site

K = syntax.SyntaxKind

# The variable that holds the number of the active mutation; 0: none.
SELECTOR = "mutation_pkg::chosen"
VARIABLE = "BOMBUS_MUTATION"
PACKAGE = f"""// Which mutation counts: the number in the environment variable {VARIABLE}.
package mutation_pkg;
`ifdef VERILATOR
  int chosen = $c32("std::atoi(std::getenv(\\"{VARIABLE}\\") ?: \\"0\\")");
`else
  int chosen = 0;
`endif
endpackage
"""

_SWAPS = {
    K.BinaryAndExpression: "|",
    K.BinaryOrExpression: "&",
    K.BinaryXorExpression: "|",
    K.LogicalAndExpression: "||",
    K.LogicalOrExpression: "&&",
    K.EqualityExpression: "!=",
    K.InequalityExpression: "==",
    K.LessThanExpression: "<=",
    K.LessThanEqualExpression: "<",
    K.GreaterThanExpression: ">=",
    K.GreaterThanEqualExpression: ">",
    K.AddExpression: "-",
    K.SubtractExpression: "+",
    K.LogicalShiftLeftExpression: ">>",
    K.LogicalShiftRightExpression: "<<",
}
_TERMS = (
    K.BinaryAndExpression,
    K.BinaryOrExpression,
    K.BinaryXorExpression,
    K.LogicalAndExpression,
    K.LogicalOrExpression,
    K.AddExpression,
    K.SubtractExpression,
)
_NEGATIONS = (K.UnaryBitwiseNotExpression, K.UnaryLogicalNotExpression)
_REDUCTIONS = {
    K.UnaryBitwiseOrExpression: "&",
    K.UnaryBitwiseAndExpression: "|",
    K.UnaryBitwiseXorExpression: "|",
}
_ASSIGNMENTS = (
    K.AssignmentExpression,
    K.NonblockingAssignmentExpression,
    *(K.AddAssignmentExpression, K.SubtractAssignmentExpression),
    *(K.AndAssignmentExpression, K.OrAssignmentExpression, K.XorAssignmentExpression),
)
# Code that tests cannot observe, or that designs always set.
_SKIPPED = (
    K.ModuleHeader,
    K.ImmediateAssertStatement,
    K.ElabSystemTask,
    K.EventControlWithExpression,
    K.PackageImportDeclaration,
    K.TypeAssignment,
)


def _is_unused(node: syntax.SyntaxNode) -> bool:
    """A net or an assignment that only says what is not used."""
    return re.match(r"\s*(assign|wire|logic)\b[^=]*\bunused", str(node)) is not None


def _hidden(text: str) -> list[range]:
    """The parts that synthesis does not see."""
    return [
        range(*match.span())
        for match in re.finditer(r"`ifndef SYNTHESIS.*?`endif", text, re.DOTALL)
    ]


def sites(text: str) -> Iterator[Site]:
    """Every mutation of a file."""
    hidden = _hidden(text)
    root = syntax.SyntaxTree.fromText(text).root
    for site in _walk(root, text, root.getLastToken().location.buffer):
        if not any(site.start in part for part in hidden):
            yield site


def _walk(
    node: syntax.SyntaxNode, text: str, buffer: BufferID, *, in_bound: bool = False
) -> Iterator[Site]:
    if node.kind in _SKIPPED or _is_unused(node):
        return
    # Not if a macro or an included file begins or ends it.
    if node.sourceRange.start.buffer == node.sourceRange.end.buffer == buffer:
        yield from (replace(site, is_constant=in_bound) for site in _at(node, text))
    for child in node:
        if isinstance(child, syntax.SyntaxNode):
            # Loops are unrolled, so the number of iterations must be constant.
            is_bound = node.kind == K.ForLoopStatement and child.kind != node.statement.kind
            yield from _walk(child, text, buffer, in_bound=in_bound or is_bound)


def _at(node: syntax.SyntaxNode, text: str) -> Iterator[Site]:
    start, end = node.sourceRange.start.offset, node.sourceRange.end.offset

    def part(child: syntax.SyntaxNode) -> str:
        return text[child.sourceRange.start.offset : child.sourceRange.end.offset]

    def site(new: str, operator: str) -> Site:
        return Site(start, end, new, operator)

    if node.kind in _SWAPS:
        left, right, swapped = part(node.left), part(node.right), _SWAPS[node.kind]
        yield site(f"({left}) {swapped} ({right})", "other operator")
        if node.kind in _TERMS:
            yield site(f"({left})", "term dropped")
            if node.kind != K.SubtractExpression:
                yield site(f"({right})", "term dropped")
    elif node.kind in _NEGATIONS:
        yield site(f"({part(node.operand)})", "negation dropped")
    elif node.kind in _REDUCTIONS:
        yield site(f"({_REDUCTIONS[node.kind]}({part(node.operand)}))", "other operator")
    elif node.kind == K.ConditionalExpression:
        yield site(f"({part(node.left)})", "one branch")
        yield site(f"({part(node.right)})", "one branch")
    elif node.kind == K.ConditionalPredicate:
        yield site(f"!({part(node)})", "condition negated")
    elif node.kind == K.IntegerLiteralExpression:
        value = int(part(node).replace("_", ""))
        yield site(str(value + 1), "constant")
        if value:
            yield site(str(value - 1), "constant")
    elif node.kind == K.IntegerVectorExpression:
        yield from (site(new, "constant") for new in _vectors(part(node)))
    elif node.kind == K.UnbasedUnsizedLiteralExpression:
        if part(node) in ("'0", "'1"):
            yield site("'1" if part(node) == "'0" else "'0", "constant")
    elif node.kind == K.ExpressionStatement and node.expr.kind in _ASSIGNMENTS:
        yield Site(start, end, ";", "assignment dropped", is_statement=True)
    elif node.kind in _ASSIGNMENTS and part(node.right) not in ("'0", "'1", "1'b0", "1'b1"):
        right = node.right.sourceRange
        for stuck in ("'0", "'1"):
            yield Site(right.start.offset, right.end.offset, stuck, "stuck")


def _vectors(literal: str) -> Iterator[str]:
    """`8'h10` -> `8'h11`, `8'h0f`, where it fits."""
    match = re.fullmatch(r"(\d+)\s*'\s*([bdhBDH])\s*([0-9a-fA-F_]+)", literal)
    if match is None:
        return
    width, base = int(match[1]), match[2].lower()
    value = int(match[3].replace("_", ""), {"b": 2, "d": 10, "h": 16}[base])
    for new in (value + 1, value - 1):
        if 0 <= new < 1 << width:
            yield f"{width}'{base}{new:{ {'b': 'b', 'd': 'd', 'h': 'x'}[base] }}"


def selectable(text: str, chosen: Mapping[int, Site]) -> str:
    """The file with mutations next to the code they replace, each selected by its number."""
    # Outer ones first; at the same position, in the order of their numbers.
    order = sorted(chosen.items(), key=lambda item: (item[1].start, -item[1].end, item[0]))
    return _render(text, 0, len(text), order)


def _render(text: str, start: int, end: int, order: Sequence[tuple[int, Site]]) -> str:
    """The part of the text with the mutations inside it."""
    out, at = [], start
    groups: list[list[tuple[int, Site]]] = []
    for item in order:
        if groups and item[1].start < groups[-1][0][1].end:
            groups[-1].append(item)
        else:
            groups.append([item])
    for group in groups:
        number, site = group[0]
        inside = [item for item in group[1:] if item[1].end <= site.end]
        assert len(inside) == len(group) - 1, "mutations overlap"
        old = _render(text, site.start, site.end, inside)
        if site.is_statement:
            new = f"begin if ({SELECTOR} != {number}) {old} end"
        else:
            new = f"({SELECTOR} == {number} ? ({site.new}) : ({old}))"
        out += [text[at : site.start], new]
        at = site.end
    return "".join([*out, text[at:end]])
