# SPDX-License-Identifier: Apache-2.0
"""Numbers of operations over few variables for every combination of their values: hardware's and
exact ones.

Values that all tables of a variable treat alike are one class. Operations with more than `LIMIT`
combinations of classes are not enumerated.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bombus.applications.spn.lower import Add, LogSum, Lowered, Table, operands
from bombus.applications.spn.number import Integers, LogAdd

LIMIT = 1 << 14


@dataclass(frozen=True)
class Combinations:
    """Of one operation: an axis for each of its `variables`, in their order."""

    variables: tuple[int, ...]
    numbers: Integers  # hardware's, in units of 2^-fraction
    exact: npt.NDArray[np.float64]  # in units of 1


def _tables(lowered: Lowered) -> Iterator[tuple[int, Combinations]]:
    """Number and entries of each table, in the same order for all tables of a variable."""
    of_variables: dict[int, list[tuple[int, Table]]] = {}
    for number, operation in enumerate(lowered.operations):
        if isinstance(operation, Table):
            of_variables.setdefault(operation.variable, []).append((number, operation))
    for variable, tables in of_variables.items():
        size = max(len(table.numbers) for _, table in tables)
        rows = []
        for number, table in tables:
            last = len(table.numbers) - 1
            places = np.append(np.minimum(np.arange(size), last), last + 1)
            rows.append(np.append(table.numbers, table.missing)[places].astype(np.float64))
            rows.append(np.asarray(lowered.exact[number])[places])
        classes = np.unique(np.stack(rows), axis=1)
        for (number, _), found, exact in zip(tables, classes[::2], classes[1::2], strict=True):
            yield number, Combinations((variable,), found.astype(np.int64), exact)


def _aligned(each: Combinations, variables: tuple[int, ...]) -> Combinations:
    """With axes for all `variables`, those that it lacks of length 1."""
    lengths = dict(zip(each.variables, each.numbers.shape, strict=True))
    shape = [lengths.get(variable, 1) for variable in variables]
    return Combinations(variables, each.numbers.reshape(shape), each.exact.reshape(shape))


def _combined(
    operation: Add | LogSum, constant: float, parts: list[Combinations], log: LogAdd
) -> Combinations | None:
    """Of an operation, from its operands; `constant`: that of an addition, unrounded."""
    variables = tuple(sorted({variable for part in parts for variable in part.variables}))
    parts = [_aligned(part, variables) for part in parts]
    if math.prod(np.broadcast_shapes(*(part.numbers.shape for part in parts))) > LIMIT:
        return None
    if isinstance(operation, LogSum):
        a, b = parts
        exact = -np.logaddexp2(-a.exact, -b.exact)
        return Combinations(variables, log.add(a.numbers, b.numbers), exact)
    first, *rest = parts
    numbers, exact = first.numbers + operation.constant, first.exact + constant
    for part in rest:
        numbers, exact = numbers + part.numbers, exact + part.exact
    return Combinations(variables, numbers, exact)


def combinations(lowered: Lowered, log: LogAdd) -> Iterator[Combinations | None]:
    """Of each operation, in order; None where they are too many."""
    tables = dict(_tables(lowered))
    last_use = {n: user for user, each in enumerate(lowered.operations) for n in operands(each)}
    known: dict[int, Combinations] = {}
    for number, operation in enumerate(lowered.operations):
        found = None
        if isinstance(operation, Table):
            found = tables.pop(number)
        elif all(n in known for n in operation.operands):
            parts = [known[n] for n in operation.operands]
            found = _combined(operation, float(lowered.exact[number]), parts, log)
        if found is not None:
            known[number] = found
        yield found
        for n in operands(operation):
            if last_use[n] == number:
                known.pop(n, None)
