# SPDX-License-Identifier: Apache-2.0
"""Numbers of next hops in the next-hop table of a network interface.

Each output that sends into the mesh has a range of its own, a power of two long and aligned, so
that the number of a next hop is the range's first and the layer's own number side by side.
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
    size: int  # entries, a power of two

    @staticmethod
    def of(counts: Sequence[tuple[Output, int]]) -> NextTable:
        """The table of outputs with so many next hops each."""
        first: dict[Output, int] = {}
        end = 0
        for output, count in sorted(counts, key=lambda item: -item[1]):
            first[output] = end
            end += 1 << (count - 1).bit_length()
        return NextTable(first, 1 << max(0, end - 1).bit_length())
