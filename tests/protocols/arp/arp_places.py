# SPDX-License-Identifier: Apache-2.0
"""The places of neighbours in the tables of ARP: arp_index in Python, for tests that fill them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import count, islice

MASK = (1 << 32) - 1
IP_BITS, KEY_BITS = 32, 44  # of a design with one MAC port
GROUP_BITS = 6
CACHE_WIDTH, QUESTION_WIDTH = 9, 6  # logarithms of the numbers of sets, by default


@cache
def _tables() -> list[list[int]]:
    """The fixed random words of keyed_hash (xorshift32), for hashes of up to 32 bits."""
    word, tables = 0x9E3779B9, []
    for _ in range(-(-KEY_BITS // GROUP_BITS)):
        table = []
        for _ in range(1 << GROUP_BITS):
            word ^= word << 13 & MASK
            word ^= word >> 17
            word ^= word << 5 & MASK
            table.append(word)
        tables.append(table)
    return tables


def sets(ip: int, vid: int = 0, *, seed: int = 0, width: int, tables: int = 1) -> tuple[int, ...]:
    """The set of a neighbour in each of `tables` tables with 2^width sets."""
    key = vid << IP_BITS | ip
    bits = (key >> width ^ seed) & (1 << KEY_BITS - width) - 1
    hashed = 0
    for group, table in enumerate(_tables()):
        hashed ^= table[bits >> GROUP_BITS * group & (1 << GROUP_BITS) - 1]
        if GROUP_BITS * (group + 1) >= KEY_BITS - width:
            break
    mask = (1 << width) - 1
    return tuple((hashed >> width * t ^ key) & mask for t in range(tables))


def cache_sets(ip: int, vid: int = 0, *, seed: int = 0) -> tuple[int, ...]:
    return sets(ip, vid, seed=seed, width=CACHE_WIDTH, tables=2)


def _rivals(first: int, *, seed: int, width: int, tables: int) -> Iterator[int]:
    wanted = sets(first, seed=seed, width=width, tables=tables)
    yield first
    for high in count((first >> width) + 1):
        ip = high << width
        found = sets(ip, seed=seed, width=width, tables=tables)
        low = wanted[0] ^ found[0]
        if all(a ^ low == b for a, b in zip(found, wanted, strict=True)):
            yield ip | low


def cache_rivals(first: int, number: int, *, seed: int = 0) -> list[int]:
    """Addresses with the same four places in the cache."""
    return list(islice(_rivals(first, seed=seed, width=CACHE_WIDTH, tables=2), number))


def question_rivals(first: int, number: int, *, seed: int = 0) -> list[int]:
    """Addresses of one set of questions."""
    return list(islice(_rivals(first, seed=seed, width=QUESTION_WIDTH, tables=1), number))
