# SPDX-License-Identifier: Apache-2.0
"""Negated binary logarithms in fixed point, and the table by which hardware adds probabilities.

A probability p is the integer nearest to -log2(p) * 2^fraction. A product is a sum of such numbers;
the sum of two probabilities is min(a, b) - log2(1 + 2^-|a - b|), where the logarithm is linearly
interpolated in a table.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]

GUARD_BITS = 4  # fraction bits of the table below those of a number
_CHUNK = 1 << 20
_BLOCK_DEPTH, _BLOCK_WIDTH = 1024, 36  # of a block RAM of 36 kbit


def blocks_of(depth: int, width: int) -> float:
    """Block RAMs of a table of `depth` entries of `width` bits; halves have 18 kbit."""
    halves = 0
    for rows in range(depth, 0, -_BLOCK_DEPTH):
        for bits in range(width, 0, -_BLOCK_WIDTH):
            halves += 1 if 2 * rows <= _BLOCK_DEPTH or 2 * bits <= _BLOCK_WIDTH else 2
    return halves / 2


@dataclass(frozen=True)
class LogAdd:
    """The table: `bases` and `slopes` of each segment, with `GUARD_BITS` more fraction bits."""

    fraction: int  # bits
    entries: int  # segments in a difference of 1, a power of two
    bases: Integers
    slopes: Integers  # decrease from one end of the segment to the other

    @property
    def low_bits(self) -> int:
        """Bits of a difference below the number of its segment."""
        return self.fraction - (self.entries.bit_length() - 1)

    @property
    def size(self) -> int:
        """Segments; the result is 0 for larger differences."""
        return len(self.bases)

    @property
    def base_bits(self) -> int:
        return int(self.bases.max()).bit_length()

    @property
    def slope_bits(self) -> int:
        return max(1, int(self.slopes.max()).bit_length())

    @property
    def blocks(self) -> float:
        """Block RAMs of an adder."""
        return blocks_of(self.size, self.base_bits + self.slope_bits)

    def log2_1p(self, difference: Any) -> Integers:
        """log2(1 + 2^-d) of differences in fixed point, as the hardware computes it: rounded to
        nearest, a half down, and never negative.
        """
        d = np.asarray(difference, dtype=np.int64)
        segment = np.minimum(d >> self.low_bits, self.size - 1)
        low = d & ((1 << self.low_bits) - 1)
        product = self.slopes[segment] * low
        half = 1 << (GUARD_BITS - 1)
        negated = ((half - self.bases[segment]) << self.low_bits) + product
        found = -(negated >> (self.low_bits + GUARD_BITS))
        return np.where(d >> self.low_bits >= self.size, 0, found)

    def add(self, a: Integers, b: Integers) -> Integers:
        """The sum of two probabilities, both and the result as negated logarithms."""
        return np.minimum(a, b) - self.log2_1p(np.abs(a - b))


def _log2_1p(difference: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.asarray(np.log1p(np.exp2(-difference)) / np.log(2), dtype=np.float64)


@lru_cache
def log_add(fraction: int, entries: int) -> LogAdd:
    """The table for numbers of `fraction` bits, up to differences whose result rounds to 0."""
    span = fraction + 2
    ends = _log2_1p(np.arange(span * entries + 1) / entries)
    middles = _log2_1p((np.arange(span * entries) + 0.5) / entries)
    # The curve is convex: its chord is above it, most in the middle. Half of that is taken off.
    excess = ((ends[:-1] + ends[1:]) / 2 - middles) / 2
    scale = 1 << (fraction + GUARD_BITS)
    bases = np.rint((ends[:-1] - excess) * scale).astype(np.int64)
    slopes = np.rint((ends[:-1] - ends[1:]) * scale).astype(np.int64)
    return LogAdd(fraction, entries, bases, slopes)


@lru_cache
def log_add_error(fraction: int, entries: int) -> tuple[float, float]:
    """The least and greatest error of `log2_1p`, in units of 1, found at every difference."""
    table = log_add(fraction, entries)
    end = table.size << table.low_bits
    # Beyond the table the result is 0 and the error -log2(1 + 2^-d), largest at its end.
    least = -float(_log2_1p(np.array([end / (1 << fraction)]))[0])
    greatest = 0.0
    for start in range(0, end, _CHUNK):
        d = np.arange(start, min(end, start + _CHUNK))
        errors = table.log2_1p(d) / (1 << fraction) - _log2_1p(d / (1 << fraction))
        least = min(least, float(errors.min()))
        greatest = max(greatest, float(errors.max()))
    return least, greatest
