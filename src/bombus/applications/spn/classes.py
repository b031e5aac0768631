# SPDX-License-Identifier: Apache-2.0
"""Classes of values: values of a variable that all of its tables treat alike.

Histograms of a variable often share their breaks. One table for each variable gives the class of a
value, in few bits; the variable's other tables have an entry for each class.
"""

from __future__ import annotations

from dataclasses import dataclass

from bombus.applications.spn.lower import Lowered, Table

# A LUT has six inputs: values of so few bits need no classes, and more classes save nothing.
LUT_INPUTS = 6
MAX_CLASSES = 1 << LUT_INPUTS
CLASS_CYCLES = 1


@dataclass(frozen=True)
class Classes:
    """Of one variable. `of_values`: the class of 0, 1, ...; the last one is that of all higher
    values.
    """

    of_values: tuple[int, ...]
    missing: int  # class of a missing value
    first: tuple[int | None, ...]  # the first value of each class; None: a missing one

    @property
    def bits(self) -> int:
        return max(1, (len(self.first) - 1).bit_length())

    def numbers(self, table: Table) -> tuple[int, ...]:
        """The numbers of a table by class."""
        last = len(table.numbers) - 1
        return tuple(
            table.missing if value is None else table.numbers[min(value, last)]
            for value in self.first
        )


def _classes(tables: list[Table]) -> Classes | None:
    size = max(len(table.numbers) for table in tables)
    known: dict[tuple[int, ...], int] = {}
    first: list[int | None] = []
    of_values: list[int] = []
    for value in (*range(size), None):
        numbers = tuple(
            table.missing if value is None else table.numbers[min(value, len(table.numbers) - 1)]
            for table in tables
        )
        if numbers not in known:
            known[numbers] = len(known)
            first.append(value)
        of_values.append(known[numbers])
    *rest, missing = of_values
    return None if len(first) > MAX_CLASSES else Classes(tuple(rest), missing, tuple(first))


def classes_of(lowered: Lowered) -> tuple[Classes | None, ...]:
    """The classes of each variable; None where its tables have an entry for each value."""
    tables: list[list[Table]] = [[] for _ in lowered.network.variables]
    for operation in lowered.operations:
        if isinstance(operation, Table):
            tables[operation.variable].append(operation)
    if lowered.value_bits <= LUT_INPUTS:
        return (None,) * len(tables)
    return tuple(_classes(each) if each else None for each in tables)
