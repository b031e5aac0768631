# SPDX-License-Identifier: Apache-2.0
"""Estimated resources of a pipeline before synthesis, for FPGAs with LUTs of six inputs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bombus.applications.spn.lower import Add, LogSum, Operation, Table
from bombus.applications.spn.pipeline import Pipeline

LUT_BITS = 64  # of a table
SRL_CYCLES = 32  # of a shift register in a LUT
BLOCK_BITS = 36 * 1024
BLOCK_WIDTH = 36  # of 1,024 entries
# Deeper tables are in block RAM: 1,024 entries take 16 LUTs a bit.
MAX_LUT_DEPTH = 512


@dataclass(frozen=True)
class Resources:
    """Of one copy. `depth`: cycles from a sample to its number."""

    luts: int
    dsps: int
    bram36: int
    depth: int


def in_block_ram(table: Table) -> bool:
    return len(table.numbers) + 1 > MAX_LUT_DEPTH


def _blocks(depth: int, width: int) -> int:
    return math.ceil(depth / 1024) * math.ceil(width / BLOCK_WIDTH)


def _table_luts(table: Table) -> int:
    """Bits that are the same in all entries cost nothing. The index costs two comparisons."""
    numbers = (*table.numbers, table.missing)
    varying = 0
    for number in numbers:
        varying |= number ^ numbers[0]
    depth = len(numbers)
    return varying.bit_count() * math.ceil(depth / LUT_BITS) + depth.bit_length() + 4


def _operation(operation: Operation, pipeline: Pipeline) -> tuple[int, int, int]:
    """LUTs, DSPs and block RAMs."""
    width, log = pipeline.width, pipeline.table
    if isinstance(operation, Table):
        if in_block_ram(operation):
            return 0, 0, _blocks(len(operation.numbers) + 1, width)
        return _table_luts(operation), 0, 0
    if isinstance(operation, Add):
        terms = len(operation.operands) + (operation.constant != 0)
        return width * max(1, terms - 1), 0, 0
    assert isinstance(operation, LogSum)
    # Difference, absolute value, minimum, interpolation, result; delays of the minimum and low bits
    luts = 4 * width + (log.base_bits + log.low_bits) + width + log.low_bits
    dsps = math.ceil(log.slope_bits / 26) * math.ceil(log.low_bits / 17)
    return luts, dsps, _blocks(log.size, log.base_bits + log.slope_bits)


def estimate(pipeline: Pipeline) -> Resources:
    luts = dsps = blocks = 0
    for operation in pipeline.lowered.operations:
        more = _operation(operation, pipeline)
        luts, dsps, blocks = luts + more[0], dsps + more[1], blocks + more[2]
    plan = pipeline.schedule
    # Delays become shift registers; those of a variable have taps where its tables start.
    starts: dict[int, set[int]] = {}
    for operation, start in zip(pipeline.lowered.operations, plan.start, strict=True):
        if isinstance(operation, Table) and start:
            starts.setdefault(operation.variable, set()).add(start)
    for taps in starts.values():
        last = 0
        for tap in sorted(taps):
            luts += math.ceil((tap - last) / SRL_CYCLES) * pipeline.lowered.value_bits
            last = tap
    luts += sum(math.ceil(delay / SRL_CYCLES) * pipeline.width for delay in plan.delays)
    return Resources(luts, dsps, blocks, plan.depth)
