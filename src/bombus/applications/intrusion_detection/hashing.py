# SPDX-License-Identifier: Apache-2.0
"""Hashes of fragments, as rule_pkg.sv computes them.

Each bit is the exclusive or of some bits of four bytes; any four letters differ in the twenty bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from bombus.design import rtl

WIDTH = 20
_MASK = (1 << WIDTH) - 1
LONG, SHORT = 8, 4  # bytes of a fragment


def fold(data: bytes) -> bytes:
    """Converts letters to lower case with minimal logic; some other bytes are merged too."""
    return bytes(byte | (byte & 0x40) >> 1 for byte in data)


def _turn(value: int, by: int) -> int:
    return (value << by | value >> (WIDTH - by)) & _MASK


@cache
def _of_byte() -> Sequence[Sequence[int]]:
    """By place and value of a byte: the hash of four bytes is linear."""
    packed = rtl.constant("rule_pkg::Taps")
    taps = [packed >> 32 * n & 0xFFFFFFFF for n in range(WIDTH)]

    def of_word(word: int) -> int:
        return sum(((word & tap).bit_count() & 1) << bit for bit, tap in enumerate(taps))

    return [[of_word(byte << 8 * place) for byte in range(256)] for place in range(SHORT)]


def _of_four(data: bytes) -> int:
    one, two, three, four = _of_byte()
    return one[data[0]] ^ two[data[1]] ^ three[data[2]] ^ four[data[3]]


def first(key: bytes) -> int:
    """Low bits: position in a bitmap, and in the first half of the fragment table."""
    found = _of_four(key[:SHORT])
    if len(key) == LONG:
        found ^= _turn(_of_four(key[SHORT:]), 7) ^ rtl.constant("rule_pkg::LongFirst")
    return found


def second(key: bytes) -> int:
    """Low bits: position in the second half of the fragment table."""
    found = _turn(_of_four(key[:SHORT]), 9)
    if len(key) == LONG:
        found ^= _turn(_of_four(key[SHORT:]), 13) ^ rtl.constant("rule_pkg::LongSecond")
    return found
