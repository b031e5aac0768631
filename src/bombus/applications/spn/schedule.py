# SPDX-License-Identifier: Apache-2.0
"""When each operation of a pipeline starts: as late as its result allows.

Delay registers then hold values of variables or their classes, which are narrow and shared by all
their tables, and numbers only where an operation has several users.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bombus.applications.spn.classes import CLASS_CYCLES, Classes
from bombus.applications.spn.lower import Lowered, Table, cycles, operands


@dataclass(frozen=True)
class Schedule:
    """Cycles count from the arrival of a sample; that of the result is `depth`."""

    depth: int
    start: tuple[int, ...]  # of each operation
    ready: tuple[int, ...]  # of its result
    delays: tuple[int, ...]  # how long the result is held for its last user
    variable_ready: tuple[int, ...]  # the value of each variable, or its class
    variable_delays: tuple[int, ...]  # how long it is held


def schedule(lowered: Lowered, classes: Sequence[Classes | None]) -> Schedule:
    operations = lowered.operations
    variable_ready = [0 if each is None else CLASS_CYCLES for each in classes]
    earliest: list[int] = []
    for operation in operations:
        if isinstance(operation, Table):
            start = variable_ready[operation.variable]
        else:
            start = max(earliest[n] for n in operands(operation))
        earliest.append(start + cycles(operation))
    depth = earliest[-1]
    ready = [depth] * len(operations)
    for number in reversed(range(len(operations))):
        start = ready[number] - cycles(operations[number])
        for operand in operands(operations[number]):
            ready[operand] = min(ready[operand], start)
    starts = [ready[n] - cycles(operation) for n, operation in enumerate(operations)]
    delays = [0] * len(operations)
    variables = [0] * len(lowered.network.variables)
    for number, operation in enumerate(operations):
        if isinstance(operation, Table):
            held = starts[number] - variable_ready[operation.variable]
            variables[operation.variable] = max(variables[operation.variable], held)
        for operand in operands(operation):
            delays[operand] = max(delays[operand], starts[number] - ready[operand])
    return Schedule(
        depth,
        tuple(starts),
        tuple(ready),
        tuple(delays),
        tuple(variable_ready),
        tuple(variables),
    )
