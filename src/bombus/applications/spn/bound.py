# SPDX-License-Identifier: Apache-2.0
"""A proved bound on the error of a pipeline's result, operation by operation.

Over few variables, an operation's error is found at every combination of their values. The error
of the interpolation is known at each difference (`number.log_add_error`). Beyond that:

- The errors of operands add up in an addition.
- A sum of probabilities increases with each operand, and grows by c if all operands grow by c.
  Errors of its operands from e to f therefore cause an error from e to f in its result.
"""

from __future__ import annotations

import decimal
import math
from dataclasses import dataclass

import numpy as np

from bombus.applications.spn.combinations import Combinations, combinations
from bombus.applications.spn.lower import Add, Lowered, Table, operands
from bombus.applications.spn.number import log_add, log_add_error

# Allowance for the double precision of an operation of this analysis, or of a node of the network
# in a table's logarithms, relative to the largest number.
_ROUNDING = 2.0**-44


@dataclass(frozen=True)
class Range:
    """Of one operation, in units of 1: the hardware's number, the exact one, and the error."""

    low: float
    high: float
    exact_low: float
    exact_high: float
    error_low: float
    error_high: float

    @property
    def error(self) -> float:
        return max(-self.error_low, self.error_high)


def _extremes(found: Combinations, scale: int) -> Range:
    numbers = found.numbers / scale
    errors = numbers - found.exact
    each = (numbers, found.exact, errors)
    return Range(*(float(end) for values in each for end in (values.min(), values.max())))


def ranges(lowered: Lowered, entries: int) -> list[Range]:
    """The ranges of all operations; `entries`: of the table for sums."""
    scale = 1 << lowered.fraction
    least, greatest = log_add_error(lowered.fraction, entries)
    known = combinations(lowered, log_add(lowered.fraction, entries))
    found: list[Range] = []
    for operation, constant, all_values in zip(
        lowered.operations, lowered.exact, known, strict=True
    ):
        if all_values is not None:
            found.append(_extremes(all_values, scale))
        elif isinstance(operation, Add):
            parts = [found[n] for n in operation.operands]
            exact = float(constant)
            added = operation.constant / scale
            error = added - exact
            found.append(
                Range(
                    added + sum(part.low for part in parts),
                    added + sum(part.high for part in parts),
                    exact + sum(part.exact_low for part in parts),
                    exact + sum(part.exact_high for part in parts),
                    error + sum(part.error_low for part in parts),
                    error + sum(part.error_high for part in parts),
                )
            )
        else:
            a, b = (found[n] for n in operands(operation))
            exact_low = -float(np.logaddexp2(-a.exact_low, -b.exact_low))
            exact_high = -float(np.logaddexp2(-a.exact_high, -b.exact_high))
            error_low = min(a.error_low, b.error_low) - greatest
            error_high = max(a.error_high, b.error_high) - least
            found.append(
                Range(
                    exact_low + error_low,
                    min(a.high, b.high),
                    exact_low,
                    exact_high,
                    error_low,
                    error_high,
                )
            )
    return found


def highest(lowered: Lowered) -> list[int]:
    """The largest number of each operation. The smallest one is not negative."""
    found: list[int] = []
    for operation in lowered.operations:
        if isinstance(operation, Table):
            found.append(max(*operation.numbers, operation.missing))
        elif isinstance(operation, Add):
            found.append(operation.constant + sum(found[n] for n in operation.operands))
        else:
            found.append(min(found[n] for n in operation.operands))
    return found


def lacking(lowered: Lowered, found: list[Range]) -> set[int]:
    """Variables whose tables need larger numbers: of each sum that may be negative, one."""
    smallest = -0.5 / (1 << lowered.fraction)  # numbers are integers of that unit
    variables: list[int] = []  # the first one of each operation's scope
    lacks: set[int] = set()
    for operation, each in zip(lowered.operations, found, strict=True):
        if isinstance(operation, Table):
            variables.append(operation.variable)
            continue
        variables.append(min(variables[n] for n in operation.operands))
        if each.low <= smallest:
            lacks.add(variables[-1])
    return lacks


def printed(bound: float) -> str:
    """With three digits, rounded up, so that it remains a bound."""
    up = decimal.Context(prec=3, rounding=decimal.ROUND_CEILING)
    return f"{float(up.create_decimal(bound)):.3g}"


def bound_nats(found: list[Range], nodes: int) -> float:
    """The bound on the error of the log-likelihood; `nodes`: of the network, with their edges."""
    largest = max(each.high for each in found)
    return (found[-1].error + largest * (len(found) + nodes) * _ROUNDING) * math.log(2)
