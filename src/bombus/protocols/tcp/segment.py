# SPDX-License-Identifier: Apache-2.0
"""A TCP segment as the independent endpoint reads and writes it, and distances in sequence."""

from __future__ import annotations

from dataclasses import dataclass

WORD = 1 << 32


def distance(a: int, b: int) -> int:
    """Difference of sequence numbers, a - b: -2**31 to 2**31 - 1 (RFC 9293, 3.4)."""
    return (a - b + WORD // 2) % WORD - WORD // 2


@dataclass(frozen=True)
class Segment:
    """The content of a segment; addresses are those of its connection."""

    seq: int
    ack: int = 0
    flags: frozenset[str] = frozenset()  # of "syn", "ack", "fin", "rst", "psh"
    window: int = 0  # as on the wire: not scaled
    payload: bytes = b""
    mss: int | None = None
    scale: int | None = None
    sack_permitted: bool = False
    timestamps: tuple[int, int] | None = None  # value, echo
    sacks: tuple[tuple[int, int], ...] = ()  # left and right edges (RFC 2018, 3)

    def __len__(self) -> int:
        """Length in sequence numbers."""
        return len(self.payload) + ("syn" in self.flags) + ("fin" in self.flags)
