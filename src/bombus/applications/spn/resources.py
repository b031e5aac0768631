# SPDX-License-Identifier: Apache-2.0
"""Estimated resources of a pipeline before synthesis, for FPGAs with LUTs of six inputs.

They differ from Yosys's figures for UltraScale+ by at most `TOLERANCE`. Tools that pack two small
functions into a LUT and add three operands in one carry chain need fewer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bombus.applications.spn.classes import Classes
from bombus.applications.spn.lower import Add, LogSum, Operation, Table, operands
from bombus.applications.spn.number import GUARD_BITS, blocks_of
from bombus.applications.spn.pipeline import Pipeline

TOLERANCE = 0.1  # relative, of LUTs; DSPs and block RAMs are exact
LUT_BITS = 64  # of a table
SHORTEST = 3  # cycles of a shift register in a LUT; shorter ones are flip-flops
SRL_CYCLES = 16  # of a shift register in a LUT
# Deeper tables are in block RAM: 1,024 entries take 16 LUTs a bit.
MAX_LUT_DEPTH = 512


@dataclass(frozen=True)
class Resources:
    """Of one copy. `depth`: cycles from a sample to its number."""

    luts: int
    dsps: int
    bram36: float
    depth: int


def in_block_ram(each: Table | Classes) -> bool:
    """Whether a table with an entry for each value is in block RAM."""
    entries = each.numbers if isinstance(each, Table) else each.of_values
    return len(entries) + 1 > MAX_LUT_DEPTH


def by_class(table: Table, pipeline: Pipeline) -> tuple[int, ...] | None:
    """The numbers of each class of a variable, or of each value where there are few bits.

    None: the table has an index that is limited to its entries.
    """
    classes, value_bits = pipeline.classes[table.variable], pipeline.lowered.value_bits
    if classes is not None:
        return classes.numbers(table)
    if 1 << value_bits > MAX_LUT_DEPTH:
        return None
    above = (1 << value_bits) - 1 - len(table.numbers)
    return (*table.numbers, *(table.numbers[-1:] * above), table.missing)


def _columns(numbers: Sequence[int]) -> set[int]:
    """The bits of all entries of a table: of each place, those that are not all the same.

    Places with equal or inverse bits share their logic.
    """
    width = max(numbers).bit_length()
    every = (1 << len(numbers)) - 1
    found = set()
    for place in range(width):
        column = sum((number >> place & 1) << n for n, number in enumerate(numbers))
        found.add(min(column, every ^ column))
    return found - {0}


def _luts(numbers: Sequence[int]) -> int:
    """Of a table: a LUT for each 64 entries of a column that differ, and one that selects."""
    total = 0
    ones = (1 << LUT_BITS) - 1
    for column in _columns(numbers):
        parts = {column >> start & ones for start in range(0, len(numbers), LUT_BITS)}
        total += len(parts - {0, ones}) + (len(parts) > 1)
    return total


def _by_value(classes: Classes, value_bits: int) -> list[int]:
    """The class of each value that the bits can have."""
    above = (1 << value_bits) - 1 - len(classes.of_values)
    return [*classes.of_values, *(classes.of_values[-1:] * above), classes.missing]


def _operation(operation: Operation, pipeline: Pipeline, width: int) -> tuple[int, int, float]:
    """LUTs, DSPs and block RAMs. `width`: bits of the result."""
    log = pipeline.table
    if isinstance(operation, Table):
        known = by_class(operation, pipeline)
        if known is not None:
            return _luts(known), 0, 0
        if in_block_ram(operation):
            return 0, 0, blocks_of(len(operation.numbers) + 1, width)
        numbers = (*operation.numbers, operation.missing)
        # The index costs two comparisons.
        return _luts(numbers) + len(numbers).bit_length() + 4, 0, 0
    if isinstance(operation, Add):
        terms = len(operation.operands) + (operation.constant != 0)
        return width * max(1, terms - 1), 0, 0
    assert isinstance(operation, LogSum)
    # Difference, smaller number and its rounding; the distance as far as the table reaches
    widest = max(pipeline.widths[n] for n in operation.operands)
    near = min(widest, (log.size << log.low_bits).bit_length() + 1)
    luts = 3 * widest + GUARD_BITS + near + 4
    dsps = math.ceil(log.slope_bits / 26) * math.ceil(log.low_bits / 17)
    return luts, dsps, log.blocks


def _shift_registers(taps: Iterable[int], width: int) -> int:
    """LUTs of a chain that is read after so many cycles: taps divide it into shift registers."""
    total = last = 0
    for tap in sorted(set(taps)):
        if tap - last >= SHORTEST:
            total += math.ceil((tap - last) / SRL_CYCLES) * width
        last = tap
    return total


def _chains(pipeline: Pipeline) -> Iterator[tuple[set[int], int]]:
    """The taps of each chain of delays, and its bits."""
    plan = pipeline.schedule
    variables: list[set[int]] = [set() for _ in pipeline.classes]
    results: list[set[int]] = [set() for _ in pipeline.lowered.operations]
    for number, operation in enumerate(pipeline.lowered.operations):
        if isinstance(operation, Table):
            variable = operation.variable
            variables[variable].add(plan.start[number] - plan.variable_ready[variable])
        for operand in operands(operation):
            results[operand].add(plan.start[number] - plan.ready[operand])
    for taps, classes in zip(variables, pipeline.classes, strict=True):
        yield taps, pipeline.lowered.value_bits if classes is None else classes.bits
    yield from zip(results, pipeline.widths, strict=True)


def estimate(pipeline: Pipeline) -> Resources:
    """Of one copy, before synthesis."""
    luts = dsps = 0
    blocks = 0.0
    for operation, width in zip(pipeline.lowered.operations, pipeline.widths, strict=True):
        more = _operation(operation, pipeline, width)
        luts, dsps, blocks = luts + more[0], dsps + more[1], blocks + more[2]
    for classes in pipeline.classes:
        if classes is None:
            continue
        if in_block_ram(classes):
            blocks += blocks_of(len(classes.of_values) + 1, classes.bits)
        else:
            luts += _luts(_by_value(classes, pipeline.lowered.value_bits))
    luts += sum(_shift_registers(taps, width) for taps, width in _chains(pipeline))
    return Resources(luts, dsps, blocks, pipeline.schedule.depth)
