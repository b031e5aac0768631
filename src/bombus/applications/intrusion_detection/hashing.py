# SPDX-License-Identifier: Apache-2.0
"""Hashes of fragments, as rule_pkg.sv computes them.

Each bit is the exclusive or of six bits of four bytes; any four letters differ in the twenty bits.
"""

from __future__ import annotations

WIDTH = 20
_MASK = (1 << WIDTH) - 1
_TAPS = (
    *(0x80040D08, 0x02090441, 0x17400200, 0x91120100, 0x04110884, 0x44050408, 0x0018201A),
    *(0x01221003, 0x04024403, 0x08280B00, 0x0C881001, 0x12082014, 0x10541010, 0x1B000280),
    *(0x00038016, 0x01104112, 0x08009901, 0x02050248, 0x00061224, 0x28000C0C),
)
LONG, SHORT = 8, 4  # bytes of a fragment


def fold(data: bytes) -> bytes:
    """Converts letters to lower case with minimal logic; some other bytes are merged too."""
    return bytes(byte | (byte & 0x40) >> 1 for byte in data)


def _turn(value: int, by: int) -> int:
    return (value << by | value >> (WIDTH - by)) & _MASK


def _of_word(word: int) -> int:
    return sum(((word & tap).bit_count() & 1) << bit for bit, tap in enumerate(_TAPS))


# By place and value of a byte: the hash is linear.
_OF_BYTE = [[_of_word(byte << 8 * place) for byte in range(256)] for place in range(4)]


def _of_four(data: bytes) -> int:
    one, two, three, four = _OF_BYTE
    return one[data[0]] ^ two[data[1]] ^ three[data[2]] ^ four[data[3]]


def _halves(key: bytes) -> tuple[int, int]:
    """Hashes of the halves of a folded fragment; a short one has no second half."""
    return _of_four(key[:SHORT]), _of_four(key[SHORT:]) if len(key) == LONG else 0


def first(key: bytes) -> int:
    """Low bits: position in a bitmap, and in the first half of the fragment table."""
    low, high = _halves(key)
    return low ^ _turn(high, 7)


def second(key: bytes) -> int:
    """Low bits: position in the second half of the fragment table."""
    low, high = _halves(key)
    return _turn(low, 9) ^ _turn(high, 13)
