# SPDX-License-Identifier: Apache-2.0
"""Numbers of next hops in the next-hop table of a network interface.

Each output that sends into the mesh has a range of its own, behind those of the outputs before it,
with as many entries as it has next hops.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bombus.design.elements import Output


@dataclass(frozen=True)
class NextTable:
    """The next-hop table of a network interface."""

    first: Mapping[Output, int]  # number of each output's first next hop
    size: int  # entries, at least 1

    @staticmethod
    def of(counts: Sequence[tuple[Output, int]]) -> NextTable:
        """The table for outputs with this many next hops each."""
        first: dict[Output, int] = {}
        end = 0
        for output, count in counts:
            first[output] = end
            end += count
        return NextTable(first, max(1, end))
