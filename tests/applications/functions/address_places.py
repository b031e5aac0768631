# SPDX-License-Identifier: Apache-2.0
"""Addresses with the same places in the tables of address_map."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from tests.protocols.arp import arp_places

TABLES = 4


def places(address: int, entries: int) -> tuple[int, ...]:
    return arp_places.sets(address, width=(entries // 2).bit_length() - 1, tables=TABLES)


def rivals(first: int, entries: int) -> Iterator[int]:
    """Addresses with the same places, the first one included."""
    wanted = places(first, entries)
    return (each for each in count(first) if places(each, entries) == wanted)
