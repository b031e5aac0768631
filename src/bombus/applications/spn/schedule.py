# SPDX-License-Identifier: Apache-2.0
"""When each operation of a pipeline starts: as late as its result allows.

Delay registers then hold values of variables, which are narrow and shared by all their tables, and
numbers only where an operation has several users.
"""

from __future__ import annotations

from dataclasses import dataclass

from bombus.applications.spn.lower import Lowered, Table, cycles, operands


@dataclass(frozen=True)
class Schedule:
    """Cycles count from the arrival of a sample; that of the result is `depth`."""

    depth: int
    start: tuple[int, ...]  # of each operation
    ready: tuple[int, ...]  # of its result
    delays: tuple[int, ...]  # how long the result is held for its last user
    variable_delays: tuple[int, ...]  # how long the value of each variable is held


def schedule(lowered: Lowered) -> Schedule:
    operations = lowered.operations
    earliest: list[int] = []
    for operation in operations:
        start = max((earliest[n] for n in operands(operation)), default=0)
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
            variables[operation.variable] = max(variables[operation.variable], starts[number])
        for operand in operands(operation):
            delays[operand] = max(delays[operand], starts[number] - ready[operand])
    return Schedule(depth, tuple(starts), tuple(ready), tuple(delays), tuple(variables))
