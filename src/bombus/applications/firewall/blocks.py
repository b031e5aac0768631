# SPDX-License-Identifier: Apache-2.0
"""The constants of block_search.sv: a blacklist's boundaries in blocks, which an index
finds by the first bits of an address behind those that all boundaries have in common.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bombus.applications.firewall.blacklist import stages

_BITS = 32
_END = 1 << _BITS
_NO_BOUNDARY = _END - 1  # no address is above it
_MAX_INDEX_BITS = 12
_WIDEST = 36  # of block RAM
_MAX_LUT_BITS = 64 * _WIDEST  # memories up to this size are LUTs, as in constant_memory
_HALF_BITS = 512 * _WIDEST  # of half a block RAM
_COMPARATOR_LUTS = 16


@dataclass(frozen=True)
class Arrangement:
    """Blocks of up to 2^levels - 1 boundaries. All but the first begin at addresses that are zero
    behind the prefix and the bits of the index.
    """

    prefix: int
    prefix_bits: int
    index_bits: int
    levels: int
    firsts: tuple[int, ...]  # address of each block
    rank_bits: int  # of a number of boundaries

    @property
    def block_bits(self) -> int:
        return max(1, (len(self.firsts) - 1).bit_length())

    @property
    def _part_bits(self) -> int:
        return -(-self.rank_bits // self.levels)

    @property
    def word_bits(self) -> int:
        return self._part_bits + _BITS

    def index(self) -> list[int]:
        """Number of the block by the bits of an address behind the prefix."""
        shift = _BITS - self.prefix_bits - self.index_bits
        lines = (self.prefix << self.index_bits | n for n in range(1 << self.index_bits))
        return [bisect_right(self.firsts, line << shift) - 1 for line in lines]

    def words(self, boundaries: Sequence[int]) -> list[int]:
        """Of all levels, the first one's first."""
        blocks = list(self._blocks(boundaries))
        found: list[int] = []
        for level in range(self.levels):
            below = self.levels - 1 - level
            for rank, lasts in blocks:
                part = rank >> self._part_bits * below & ((1 << self._part_bits) - 1)
                found += [part << _BITS | each for each in lasts[(1 << below) - 1 :: 2 << below]]
        return found

    def _blocks(self, boundaries: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
        """How many boundaries are up to the first address; the addresses before the others."""
        for first, end in zip(self.firsts, (*self.firsts[1:], _END), strict=True):
            rank = bisect_right(boundaries, first)
            lasts = [each - 1 for each in boundaries[rank : bisect_right(boundaries, end - 1)]]
            yield rank, lasts + [_NO_BOUNDARY] * ((1 << self.levels) - 1 - len(lasts))

    def _memories(self) -> list[tuple[int, int]]:
        """Entries and width of each."""
        words = [(len(self.firsts) << level, self.word_bits) for level in range(self.levels)]
        return [(1 << self.index_bits, self.block_bits), *words]

    def half_block_rams(self) -> int:
        return sum(_halves(*each) for each in self._memories())

    def luts(self) -> int:
        """About."""
        small = [each for each in self._memories() if _is_small(*each)]
        constants = sum(width * -(-entries // 64) for entries, width in small)
        outside = self.index_bits + 2 * -(-self.prefix_bits // 5) if self.prefix_bits else 0
        return self.levels * _COMPARATOR_LUTS + constants + outside


def arrange(boundaries: Sequence[int]) -> Arrangement:
    """With the fewest LUTs, in no more block RAM than a rewritable table of the same size takes."""
    steps = stages(boundaries)
    room = sum(_halves(1 << step, _BITS) for step in range(steps))
    fitting = [
        each
        for levels in range(1, steps + 1)
        for index_bits in range(_MAX_INDEX_BITS + 1)
        if (each := _packed(boundaries, index_bits, levels)) and each.half_block_rams() <= room
    ]
    return min(fitting, key=lambda each: (each.luts(), each.half_block_rams(), each.index_bits))


def _packed(boundaries: Sequence[int], index_bits: int, levels: int) -> Arrangement | None:
    """As few blocks as possible; None if there are too many boundaries in one place."""
    prefix_bits = _common_bits(boundaries) if index_bits else 0
    if prefix_bits + index_bits > _BITS:
        return None
    prefix = boundaries[0] >> _BITS - prefix_bits
    room, shift = (1 << levels) - 1, _BITS - prefix_bits - index_bits
    firsts = [0]
    while (next_out := bisect_right(boundaries, firsts[-1]) + room) < len(boundaries):
        first = boundaries[next_out] >> shift << shift
        # The first block has all addresses before the prefix, and its first line.
        if first <= max(firsts[-1], prefix << _BITS - prefix_bits):
            return None
        firsts.append(first)
    rank_bits = len(boundaries).bit_length()
    return Arrangement(prefix, prefix_bits, index_bits, levels, tuple(firsts), rank_bits)


def _common_bits(boundaries: Sequence[int]) -> int:
    """First bits in which the boundaries, which ascend, do not differ."""
    return _BITS - (boundaries[0] ^ boundaries[-1]).bit_length()


def _is_small(entries: int, width: int) -> bool:
    return entries * width <= _MAX_LUT_BITS


def _halves(entries: int, width: int) -> int:
    """Halves of block RAMs that a memory takes, in their widths of 9, 18 and 36 bits."""
    if _is_small(entries, width):
        return 0
    wide = next((each for each in (9, 18) if width <= each), _WIDEST)
    beside = _halves(entries, width - _WIDEST) if width > _WIDEST else 0
    return -(-entries * wide // _HALF_BITS) + beside
