# SPDX-License-Identifier: Apache-2.0
"""A network as a pipeline: its number format, bound on the error, and bit-exact model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from bombus.applications.spn.bound import Range, bound_nats, highest, lacking, printed, ranges
from bombus.applications.spn.classes import Classes, classes_of
from bombus.applications.spn.graph import Network, Product, Sum
from bombus.applications.spn.lower import Add, Lowered, Table, lower
from bombus.applications.spn.number import Integers, LogAdd, log_add
from bombus.applications.spn.schedule import Schedule, schedule
from bombus.base.errors import UserError

ERROR = 2e-4  # default bound on the error of a log-likelihood, in nats
FRACTION = 16  # bits after the point where no format reaches it
FRACTIONS = range(8, 21)
ENTRIES = (32, 64, 128, 256)  # of the table for sums, in a difference of 1
MAX_WIDTH = 31  # bits of a number, of which the result has 32 with a sign


FLOAT_BITS = 24  # significant ones of a result as a float, which is truncated


@dataclass(frozen=True)
class Pipeline:
    """What hardware and its model compute. `bound`: on the error of a log-likelihood, in nats."""

    lowered: Lowered
    table: LogAdd
    width: int  # bits of the largest numbers
    widths: tuple[int, ...]  # of the numbers of each operation
    bound: float
    largest: int  # absolute value of a result in fixed point

    @cached_property
    def classes(self) -> tuple[Classes | None, ...]:
        """Of the values of each variable."""
        return classes_of(self.lowered)

    @cached_property
    def schedule(self) -> Schedule:
        """Cycle of each part."""
        return schedule(self.lowered, self.classes)

    @property
    def fraction(self) -> int:
        """Bits after the point."""
        return self.lowered.fraction

    @property
    def float_bound(self) -> float:
        """The bound if results are floats."""
        lost = (1 << max(0, self.largest.bit_length() - FLOAT_BITS)) - 1
        return self.bound + lost * math.log(2) / (1 << self.fraction)

    def stated_bound(self, floats: bool) -> float:
        """Bound on the error of a log-likelihood, in nats; `floats`: of results as float32."""
        return self.float_bound if floats else self.bound

    def numbers(self, samples: npt.ArrayLike) -> Integers:
        """The number of each sample at the end of the pipeline, as the hardware computes it."""
        return self.all_numbers(samples)[-1]

    def all_numbers(self, samples: npt.ArrayLike) -> list[Integers]:
        """The numbers of each operation.

        `samples`: integers, a row a sample, a column a variable; the highest one is missing.
        """
        data = np.asarray(samples, dtype=np.int64)
        missing = (1 << self.lowered.value_bits) - 1
        found: list[Integers] = []
        for operation in self.lowered.operations:
            if isinstance(operation, Table):
                values = data[:, operation.variable]
                numbers = np.array(operation.numbers)
                known = numbers[np.minimum(values, len(numbers) - 1)]
                found.append(np.where(values == missing, operation.missing, known))
            elif isinstance(operation, Add):
                total = np.sum([found[n] for n in operation.operands], axis=0)
                found.append(total + operation.constant)
            else:
                a, b = operation.operands
                found.append(self.table.add(found[a], found[b]))
        return found

    def results(self, samples: npt.ArrayLike) -> Integers:
        """log2 of the likelihoods in fixed point with `fraction` bits: what the kernel returns."""
        return -(self.numbers(samples) + (self.lowered.offset << self.fraction))

    def log_likelihoods(self, samples: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """In nats, with an error of at most `bound`."""
        return self.results(samples).astype(np.float64) * (math.log(2) / (1 << self.fraction))


def _double_operations(network: Network) -> int:
    """Nodes and edges of a network: operations in double precision that make up the tables."""
    children = (len(n.children) for n in network.nodes if isinstance(n, Sum | Product))
    return len(network.nodes) + sum(children)


def _lowered(
    network: Network, fraction: int, entries: int, value_bits: int
) -> tuple[Lowered, list[Range]]:
    """The operations with their ranges, none of which is negative."""
    room = [0] * len(network.variables)
    while True:
        lowered = lower(network, fraction, value_bits, room)
        found = ranges(lowered, entries)
        lacks = lacking(lowered, found)
        if not lacks:
            return lowered, found
        for variable in lacks:
            room[variable] += 1


def _pipeline(network: Network, fraction: int, entries: int, value_bits: int) -> Pipeline:
    lowered, found = _lowered(network, fraction, entries, value_bits)
    largest = highest(lowered)
    ends = (end + (lowered.offset << fraction) for end in (0, largest[-1]))
    return Pipeline(
        lowered,
        log_add(fraction, entries),
        max(max(largest).bit_length(), fraction + 2),
        tuple(max(1, number.bit_length()) for number in largest),
        bound_nats(found, _double_operations(network)),
        max(map(abs, ends)),
    )


def _problem(found: Pipeline) -> str:
    """Why hardware cannot have this format; empty if it can."""
    name = found.lowered.network.name
    if found.width > MAX_WIDTH:
        return (
            f"{name}: a result has up to {found.width} bits; at most {MAX_WIDTH} are "
            "supported. Fewer fraction bits need a larger bound on the error."
        )
    if -found.lowered.offset << found.fraction >= 1 << MAX_WIDTH:
        return f"{name}: its densities are too large"
    return ""


def pipeline(
    network: Network,
    *,
    error: float | None = None,
    fraction: int | None = None,
    value_bits: int = 8,
    floats: bool = False,
) -> Pipeline:
    """The pipeline of a network.

    `error`: largest bound on the error of a log-likelihood, in nats, that is acceptable; the
    smallest format that reaches it is chosen. `fraction`: bits after the point, from 8 to 20.
    Without either, `ERROR` bounds results in fixed point, or if no format reaches that, there are
    `FRACTION` bits. `value_bits`: of each variable, 1 to 16. `floats`: results are floats.
    """
    if error is not None and fraction is not None:
        raise UserError("a bound on the error and a number of fraction bits exclude each other")
    if error is not None and not (math.isfinite(error) and error > 0):
        raise UserError(f"the bound on the error must be positive, not {error:g}")
    if fraction is None:
        if error is None:
            found, best = _smallest(network, ERROR, value_bits, floats=False)
        else:
            found, best = _smallest(network, error, value_bits, floats)
        if found is not None:
            return found
        if error is not None:
            raise UserError(
                f"{network.name}: no format bounds the error by {error:g} nats; the smallest "
                f"bound is {printed(best)}"
            )
        fraction = FRACTION
    if fraction not in FRACTIONS:
        low, high = FRACTIONS[0], FRACTIONS[-1]
        raise UserError(f"numbers must have {low} to {high} fraction bits, not {fraction}")
    chosen = _pipeline(network, fraction, ENTRIES[0], value_bits)
    if problem := _problem(chosen):
        raise UserError(problem)
    return chosen


def _smallest(
    network: Network, error: float, value_bits: int, floats: bool
) -> tuple[Pipeline | None, float]:
    """The format with the fewest block RAMs for each sum, of these with the smallest table, of
    these with the fewest fraction bits, that reaches the bound; the smallest bound, if none does.
    """
    best = math.inf
    for fewest in FRACTIONS:
        finest = _pipeline(network, fewest, ENTRIES[-1], value_bits)
        if _problem(finest):
            break
        best = min(best, finest.stated_bound(floats))
        if best <= error:
            most = fewest + MAX_WIDTH - finest.width  # about: of those that are supported
            bits = range(fewest, min(FRACTIONS.stop, most + 1))
            formats = (
                (log_add(f, entries).blocks, entries, f) for f in bits for entries in ENTRIES
            )
            for _, entries, fraction in sorted(formats):
                found = _pipeline(network, fraction, entries, value_bits)
                if found.stated_bound(floats) <= error and not _problem(found):
                    return found, best
    return None, best
