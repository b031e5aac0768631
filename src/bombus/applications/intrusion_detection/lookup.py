# SPDX-License-Identifier: Apache-2.0
"""Look-up in the tables, step by step as in the hardware."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bombus.applications.intrusion_detection.hashing import LONG, SHORT, fold
from bombus.applications.intrusion_detection.model import Packet
from bombus.applications.intrusion_detection.tables import (
    PORTS,
    RULE,
    RULE_WORDS,
    STEP,
    VALID,
    Tables,
)
from bombus.applications.intrusion_detection.tables import SHORT as IS_SHORT

_LENGTH_BITS = 14


@dataclass(frozen=True)
class Hit:
    """`row`: of the rules."""

    row: int
    sid: int
    is_exact: bool


@dataclass
class Work:
    """Cost of a packet: positions whose bit is set, positions with a fragment, rules read."""

    candidates: int = 0
    fragments: int = 0
    rules: int = 0


def hits(
    tables: Tables, packet: Packet, work: Work | None = None, before: bytes = b""
) -> list[Hit]:
    """Each rule once, in the order in which they are found. `before`: of the TCP stream."""
    work = work or Work()
    found: dict[int, Hit] = {}
    text = before + packet.payload
    for place, key in _candidates(tables, text):
        work.candidates += 1
        row = _fragment(tables, key)
        if row is None:
            continue
        work.fragments += 1
        while True:
            work.rules += 1
            hit, is_last = _rule(tables, row, packet, text, place)
            if hit is not None:
                found.setdefault(hit.row, hit)
            if is_last:
                break
            row += 1
    return list(found.values())


def _candidates(tables: Tables, payload: bytes) -> Iterator[tuple[int, bytes]]:
    folded = fold(payload)
    for place in range(len(folded)):
        for size in (LONG, SHORT):
            key = folded[place : place + size]
            if len(key) < size:
                continue
            row, column, bit = tables.bit_place(key)
            if tables[row, column] >> bit & 1:
                yield place, key


def _fragment(tables: Tables, key: bytes) -> int | None:
    """The row of the first rule of a fragment."""
    mark = VALID | (IS_SHORT if len(key) == SHORT else 0)
    for row, column in tables.places(key):
        word = tables[row, column + 2]
        value = tables[row, column] | tables[row, column + 1] << 32
        if word & (VALID | IS_SHORT) == mark and value == int.from_bytes(key, "little"):
            return word & 0xFFFF
    return None


def _rule(
    tables: Tables, row: int, packet: Packet, text: bytes, place: int
) -> tuple[Hit | None, bool]:
    words = [tables[row, RULE + n] for n in range(RULE_WORDS)]
    is_last, in_streams = bool(words[1] >> 29 & 1), bool(words[1] >> 30 & 1)
    size = len(packet.payload)
    start = len(text) - size
    end = place + (words[2] & 0x3FFF)
    first_pair, pairs = words[4] >> 16, words[2] >> 14 & 0x3F
    passes = (
        packet.protocol & words[0] >> 28
        and (in_streams or place >= start)
        and _inside(place - (0 if in_streams else start), words[0], _LENGTH_BITS)
        and _inside(size, words[1], _LENGTH_BITS)
        and start < end <= len(text)
        and any(_ports(tables, first_pair + n, packet) for n in range(pairs))
    )
    if not passes:
        return None, is_last
    first, count = words[4] & 0xFFFF, words[2] >> 28
    if not all(_step(tables, first + n, text, place) for n in range(count)):
        return None, is_last
    return Hit(row, words[3], bool(words[1] >> 28 & 1)), is_last


def _ports(tables: Tables, row: int, packet: Packet) -> bool:
    return packet.protocol not in (1, 2) or (
        _inside(packet.source_port, tables[row, PORTS], 16)
        and _inside(packet.target_port, tables[row, PORTS + 1], 16)
    )


def _inside(value: int, word: int, bits: int) -> bool:
    mask = (1 << bits) - 1
    return word & mask <= value <= word >> bits & mask


def _step(tables: Tables, row: int, payload: bytes, place: int) -> bool:
    value = (tables[row, STEP] | tables[row, STEP + 1] << 32).to_bytes(8, "little")
    word = tables[row, STEP + 2]
    at = place + ((word & 0xFFFF) ^ 0x8000) - 0x8000
    care, folded = word >> 16 & 0xFF, word >> 24
    return all(
        (payload[at + n] | (0x20 if folded >> n & 1 else 0)) == value[n]
        for n in range(8)
        if care >> n & 1
    )
