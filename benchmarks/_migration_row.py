# SPDX-License-Identifier: Apache-2.0
"""A row of the migration benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Row:
    """Figures of all migrations of a run; docs/benchmarks.md defines them."""

    direction: str
    impairment: str
    migrations: int
    requests: int
    resets: int
    bytes_lost: int
    bytes_moved: float
    gap_us_stack: float
    gap_us_stack_longest: float
    gap_us_bound: float
    gap_us_wall: float
    linux_us: float


def middle(values: Sequence[float]) -> float:
    """The median, in the digits of a report; 0 of nothing."""
    return round(median(values), 1) if values else 0.0


def longest(values: Sequence[float]) -> float:
    return round(max(values, default=0.0), 1)
