# SPDX-License-Identifier: Apache-2.0
"""From a network to the operations of a pipeline: tables, additions, sums of probabilities.

- A subgraph over one variable becomes one table of all values.
- Weights are added to the tables below the sum where a single parent allows it, and cost nothing.
- Densities above 1 have negative logarithms: each variable has an integer offset that makes those
  of its leaves positive; the sum of all offsets belongs to the result. Some offsets make them
  larger than that, so that errors of sums cause no negative numbers.
- Trees of additions and sums combine the operands that are ready first.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from bombus.applications.spn.evaluate import Doubles, leaf_log2
from bombus.applications.spn.graph import Network, Product, Sum
from bombus.base.errors import UserError

# Cycles of the modules spn_leaf_table, spn_product and spn_sum
TABLE_CYCLES = 1
ADD_CYCLES = 1
LOG_ADD_CYCLES = 5
ADD_OPERANDS = 3  # of an addition in one cycle
MAX_VALUE_BITS = 16


@dataclass(frozen=True)
class Table:
    """Numbers for the values 0, 1, ...; the last one is that of all higher values."""

    variable: int
    numbers: tuple[int, ...]
    missing: int  # number of a missing value


@dataclass(frozen=True)
class Add:
    """The sum of up to `ADD_OPERANDS` operands and a constant."""

    operands: tuple[int, ...]
    constant: int


@dataclass(frozen=True)
class LogSum:
    """The probabilities of two operands, added."""

    operands: tuple[int, int]


Operation = Table | Add | LogSum


def operands(operation: Operation) -> tuple[int, ...]:
    return () if isinstance(operation, Table) else operation.operands


def cycles(operation: Operation) -> int:
    if isinstance(operation, Table):
        return TABLE_CYCLES
    return ADD_CYCLES if isinstance(operation, Add) else LOG_ADD_CYCLES


@dataclass(frozen=True)
class Lowered:
    """`operations`: operands before results, the root last."""

    network: Network
    fraction: int
    value_bits: int
    operations: tuple[Operation, ...]
    exact: tuple[Doubles | float, ...]  # negated logarithms of tables and of constants, unrounded
    offset: int  # to be added to the root's number, in units of 1


@dataclass
class _Lowering:
    network: Network
    fraction: int
    value_bits: int
    operations: list[Operation] = field(default_factory=list)
    exact: list[Doubles | float] = field(default_factory=list)
    ready: list[int] = field(default_factory=list)  # cycle of each result
    numbers: dict[tuple[Operation, bytes], int] = field(default_factory=dict)

    def emit(self, operation: Operation, exact: Doubles | float) -> int:
        key = operation, np.asarray(exact).tobytes()
        if key not in self.numbers:
            self.numbers[key] = len(self.operations)
            self.operations.append(operation)
            self.exact.append(exact)
            start = max((self.ready[n] for n in operands(operation)), default=0)
            self.ready.append(start + cycles(operation))
        return self.numbers[key]

    def fixed(self, number: float) -> int:
        """Of a negative one, 0: weights may exceed 1 within their tolerance."""
        return max(0, round(number * (1 << self.fraction)))

    def add(self, parts: Sequence[int], constant: float) -> int:
        """A tree of additions; the constant joins the last one."""
        waiting = [(self.ready[n], n) for n in parts]
        heapq.heapify(waiting)
        while True:
            # The first addition takes so many operands that the later ones are full.
            rest = (len(waiting) - 1) % (ADD_OPERANDS - 1)
            count = min(len(waiting), 1 + rest if rest else ADD_OPERANDS)
            taken = tuple(heapq.heappop(waiting)[1] for _ in range(count))
            own = 0.0 if waiting else constant
            if len(taken) == 1 and not self.fixed(own) and own == 0:
                number = taken[0]
            else:
                number = self.emit(Add(taken, self.fixed(own)), own)
            if not waiting:
                return number
            heapq.heappush(waiting, (self.ready[number], number))

    def log_sum(self, parts: Sequence[int]) -> int:
        waiting = [(self.ready[n], n) for n in parts]
        heapq.heapify(waiting)
        while len(waiting) > 1:
            a, b = heapq.heappop(waiting)[1], heapq.heappop(waiting)[1]
            number = self.emit(LogSum((a, b)), 0.0)
            heapq.heappush(waiting, (self.ready[number], number))
        return waiting[0][1]

    def table(self, variable: int, logarithms: Doubles, offset: int, constant: float) -> int:
        """`logarithms`: negated, of each value, then of a missing one."""
        exact = logarithms - offset + constant
        rounded = [self.fixed(number) for number in exact]
        *numbers, missing = rounded
        size = len(numbers)
        while size > 1 and exact[size - 2] == exact[size - 1]:
            size -= 1
        kept = np.append(exact[:size], exact[-1])
        return self.emit(Table(variable, tuple(numbers[:size]), missing), kept)


def _needed(network: Network, scopes: Sequence[int]) -> list[int]:
    """For each node, the edges that lead to it; 0 of nodes inside tables and below zero weights."""
    edges = [0] * len(network.nodes)
    edges[network.root] = 1
    for number in reversed(range(len(network.nodes))):
        node = network.nodes[number]
        if not edges[number] or _is_single(scopes[number]):
            continue
        if isinstance(node, Sum):
            for child, weight in zip(node.children, node.weights, strict=True):
                edges[child] += weight > 0
        elif isinstance(node, Product):
            for child in node.children:
                edges[child] += 1
    return edges


def _is_single(scope: int) -> bool:
    return scope & (scope - 1) == 0


def _logarithms(network: Network, scopes: Sequence[int], value_bits: int) -> dict[int, Doubles]:
    """Negated logarithms of every node over one variable, of each value and a missing one."""
    domain = np.append(np.arange((1 << value_bits) - 1, dtype=np.float64), np.nan)
    found: dict[int, Doubles] = {}
    for number, node in enumerate(network.nodes):
        if not _is_single(scopes[number]):
            continue
        if isinstance(node, Product):
            found[number] = np.sum([found[child] for child in node.children], axis=0)
        elif isinstance(node, Sum):
            terms = [
                math.log2(weight) - found[child]
                for child, weight in zip(node.children, node.weights, strict=True)
                if weight > 0
            ]
            found[number] = -np.logaddexp2.reduce(np.array(terms), axis=0)
        else:
            found[number] = -leaf_log2(node, domain)
    return found


def _constants(
    network: Network, scopes: Sequence[int], edges: Sequence[int]
) -> tuple[list[float], dict[tuple[int, int], float]]:
    """What each node with one parent has to add to its own number, and each other edge to a
    child, by node and position: weights, as far down as possible.
    """
    own = [0.0] * len(network.nodes)
    edge: dict[tuple[int, int], float] = {}
    for number in reversed(range(len(network.nodes))):
        node = network.nodes[number]
        if not edges[number] or _is_single(scopes[number]):
            continue
        if isinstance(node, Sum):
            for place, (child, weight) in enumerate(zip(node.children, node.weights, strict=True)):
                if weight > 0:
                    constant = own[number] - math.log2(weight)
                    if edges[child] == 1:
                        own[child] = constant
                    else:
                        edge[number, place] = constant
            own[number] = 0.0
        elif isinstance(node, Product) and own[number]:
            single = [child for child in node.children if edges[child] == 1]
            if single:
                best = min(single, key=lambda child: not _is_single(scopes[child]))
                own[best], own[number] = own[number], 0.0
    return own, edge


def lower(
    network: Network, fraction: int, value_bits: int = 8, room: Sequence[int] | None = None
) -> Lowered:
    """`value_bits`: of each variable; the highest value means that it is missing. `room`: of each
    variable, added to the numbers of its tables, in units of 1.
    """
    if not 1 <= value_bits <= MAX_VALUE_BITS:
        raise UserError(f"values must have 1 to {MAX_VALUE_BITS} bits, not {value_bits}")
    scopes = network.scopes()
    edges = _needed(network, scopes)
    logarithms = _logarithms(network, scopes, value_bits)
    tables = [number for number in logarithms if edges[number]]
    offsets = [0] * len(network.variables)
    for number in tables:
        variable = scopes[number].bit_length() - 1
        offsets[variable] = min(offsets[variable], math.floor(logarithms[number].min()))
    if room is not None:
        offsets = [offset - more for offset, more in zip(offsets, room, strict=True)]
    own, edge = _constants(network, scopes, edges)
    lowering = _Lowering(network, fraction, value_bits)
    results: dict[int, int] = {}
    for number, node in enumerate(network.nodes):
        if not edges[number]:
            continue
        if number in logarithms:
            variable = scopes[number].bit_length() - 1
            results[number] = lowering.table(
                variable, logarithms[number], offsets[variable], own[number]
            )
        elif isinstance(node, Product):
            results[number] = lowering.add([results[c] for c in node.children], own[number])
        elif isinstance(node, Sum):
            parts = [
                lowering.add([results[child]], edge.get((number, place), 0.0))
                for place, (child, weight) in enumerate(
                    zip(node.children, node.weights, strict=True)
                )
                if weight > 0
            ]
            results[number] = lowering.log_sum(parts)
    # The root is the last operation, also where it equals an earlier one.
    used = _used(lowering, results[network.root])
    return Lowered(
        network,
        fraction,
        value_bits,
        tuple(operation for operation, _ in used),
        tuple(exact for _, exact in used),
        sum(offsets),
    )


def _used(lowering: _Lowering, root: int) -> list[tuple[Operation, Doubles | float]]:
    """The operations that the root needs, renumbered."""
    needed = {root}
    for number in range(root, -1, -1):
        if number in needed:
            needed.update(operands(lowering.operations[number]))
    renumbered = {number: n for n, number in enumerate(sorted(needed))}
    found: list[tuple[Operation, Doubles | float]] = []
    for number in sorted(needed):
        operation = lowering.operations[number]
        if isinstance(operation, Add):
            operation = Add(tuple(renumbered[n] for n in operation.operands), operation.constant)
        elif isinstance(operation, LogSum):
            a, b = operation.operands
            operation = LogSum((renumbered[a], renumbered[b]))
        found.append((operation, lowering.exact[number]))
    return found
