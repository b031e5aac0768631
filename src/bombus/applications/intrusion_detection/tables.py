# SPDX-License-Identifier: Apache-2.0
"""The tables of the matcher: rows of 32-bit words, in the layout of rule_pkg.sv."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bombus.applications.intrusion_detection import hashing
from bombus.applications.intrusion_detection.fragments import MAX_STEPS, Anchor, Piece
from bombus.applications.intrusion_detection.hashing import LONG
from bombus.applications.intrusion_detection.ports import Range
from bombus.applications.intrusion_detection.selection import Chains, Selection

COLUMNS = 32
MIN_ROWS, MAX_ROWS = 256, 65536
# Rows of port ranges and of the bitmaps: no more in larger matchers.
MAX_PORT_ROWS, MAX_BITMAP_ROWS = 2048, 8192
PORTS, RULE, STEP = 0, 2, 8
HALVES = (12, 16)  # of the fragments
LONG_BITS, SHORT_BITS = 20, 22
PORT_WORDS, RULE_WORDS, STEP_WORDS, FRAGMENT_WORDS = 2, 5, 3, 3
SID = 3  # word of a rule
VALID = 1 << 30
SHORT = 1 << 31
MAX_SIZE = (1 << 14) - 1
MAX_PAIRS = 63  # of port ranges of a rule
# Steps of a prefilter, at most, from all to what saves most rows.
PREFILTER_STEPS = (MAX_STEPS, 2, 1)

Step = tuple[int, int, int]  # words
Pair = tuple[Range, Range]  # ranges of the source's and of the target's port


@dataclass(frozen=True)
class Entry:
    """A row of the rules: pairs of port ranges, range of the payload's size, and the fragment."""

    sid: int
    is_exact: bool
    protocols: int
    ports: tuple[Pair, ...]
    size: tuple[int, int]
    anchor: Anchor
    in_streams: bool = False  # it may begin in earlier segments

    def steps(self, most_of_prefilter: int) -> tuple[Step, ...]:
        most = MAX_STEPS if self.is_exact else most_of_prefilter
        return tuple(_step_words(step) for step in self.anchor.steps(most))


class Tables:
    """`left_out`: entries without room; `prefilter_steps`: how many a prefilter has at most."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.bitmap_rows = min(rows, MAX_BITMAP_ROWS)
        self.words = array("I", bytes(4 * rows * COLUMNS))
        self.used_rules = self.used_ports = self.used_steps = 0
        self.fragments: dict[bytes, int] = {}  # key: row of its first rule
        self.left_out: Sequence[Entry] = ()
        self.prefilter_steps = MAX_STEPS

    def __getitem__(self, place: tuple[int, int]) -> int:
        row, column = place
        return self.words[row * COLUMNS + column]

    def __setitem__(self, place: tuple[int, int], word: int) -> None:
        row, column = place
        self.words[row * COLUMNS + column] = word

    def put(self, row: int, column: int, words: Sequence[int]) -> None:
        for n, word in enumerate(words):
            self[row, column + n] = word

    def bit_place(self, key: bytes) -> tuple[int, int, int]:
        """Row, column and bit of a fragment in its bitmap."""
        wide = len(key) == LONG
        place = hashing.first(key) & (self.bitmap_rows << (6 if wide else 5)) - 1
        if wide:
            return place >> 6, LONG_BITS + (place >> 5 & 1), place & 31
        return place >> 5, SHORT_BITS, place & 31

    def places(self, key: bytes) -> tuple[tuple[int, int], tuple[int, int]]:
        """Row and first column of both possible places of a fragment."""
        return _places(key, self.rows)

    def bits_set(self, column: int) -> int:
        columns = (LONG_BITS, LONG_BITS + 1) if column == LONG_BITS else (column,)
        rows = range(self.bitmap_rows)
        return sum(self[row, each].bit_count() for row in rows for each in columns)

    def ports_end(self, row: int) -> int:
        """The row behind the port ranges of a rule."""
        return (self[row, RULE + 4] >> 16) + (self[row, RULE + 2] >> 14 & 0x3F)


def _places(key: bytes, rows: int) -> tuple[tuple[int, int], tuple[int, int]]:
    mask = rows - 1
    return (hashing.first(key) & mask, HALVES[0]), (hashing.second(key) & mask, HALVES[1])


def _step_words(step: Piece) -> Step:
    care = (1 << len(step.pattern)) - 1
    folded, pattern = 0, bytearray(step.pattern)
    for n, byte in enumerate(step.pattern):
        if step.nocase and chr(byte).isascii() and chr(byte).isalpha():
            folded |= 1 << n
            pattern[n] = byte | 0x20
    value = int.from_bytes(pattern, "little")
    return value & 0xFFFFFFFF, value >> 32, step.at & 0xFFFF | care << 16 | folded << 24


def select(entries: Sequence[Entry], rows: int, prefilter_steps: int = MAX_STEPS) -> Selection:
    """Those of the entries that fit into the tables, the first ones preferred."""
    selection = Selection(
        num_rules=rows,
        steps=Chains(rows),
        ports=Chains(min(rows, MAX_PORT_ROWS)),
        places=lambda key: _places(key, rows),
    )
    for n, entry in enumerate(entries):
        selection.add(n, entry.anchor.key, entry.steps(prefilter_steps), entry.ports)
    return selection


def build(entries: Sequence[Entry], rows: int, prefilter_steps: int = MAX_STEPS) -> Tables:
    """The tables of as many entries as fit, the first ones preferred."""
    return _laid_out(entries, rows, prefilter_steps, select(entries, rows, prefilter_steps))


def _laid_out(
    entries: Sequence[Entry], rows: int, prefilter_steps: int, selection: Selection
) -> Tables:
    tables = Tables(rows)
    tables.prefilter_steps = prefilter_steps
    tables.left_out = [entries[n] for n in selection.left_out]
    tables.used_steps, tables.used_ports = selection.steps.used, selection.ports.used
    for steps, first in selection.steps.first.items():
        for n, step in enumerate(steps):
            tables.put(first + n, STEP, step)
    for pairs, first in selection.ports.first.items():
        for n, pair in enumerate(pairs):
            tables.put(first + n, PORTS, [low | high << 16 for low, high in pair])
    for key, numbers in selection.rules.items():
        tables.fragments[key] = tables.used_rules
        for n in numbers:
            entry = entries[n]
            steps = entry.steps(prefilter_steps)
            firsts = selection.steps.first[steps], selection.ports.first[entry.ports]
            words = _rule_words(entry, n == numbers[-1], len(steps), firsts)
            tables.put(tables.used_rules, RULE, words)
            tables.used_rules += 1
        row, column, bit = tables.bit_place(key)
        tables[row, column] |= 1 << bit
    for (row, column), key in selection.owners.items():
        value = int.from_bytes(key, "little")
        mark = VALID | (SHORT if len(key) != LONG else 0)
        tables.put(row, column, (value & 0xFFFFFFFF, value >> 32, tables.fragments[key] | mark))
    return tables


def _rule_words(
    entry: Entry, is_last: bool, num_steps: int, firsts: tuple[int, int]
) -> tuple[int, int, int, int, int]:
    """`firsts`: rows of the first step and of the first pair of port ranges."""
    anchor = entry.anchor
    low, high = (min(each, MAX_SIZE) for each in entry.size)
    flags = entry.is_exact | is_last << 1 | entry.in_streams << 2
    return (
        anchor.low | anchor.high << 14 | entry.protocols << 28,
        low | high << 14 | flags << 28,
        min(anchor.tail, MAX_SIZE) | len(entry.ports) << 14 | num_steps << 28,
        entry.sid,
        firsts[0] | firsts[1] << 16,
    )


def fit(entries: Sequence[Entry], rows: int | None) -> Tables:
    """Tables with `rows` rows, by default the smallest sufficient number. If not all entries fit,
    prefilters have fewer steps; those that still do not fit are left out, the last ones first.
    """
    if rows is None:
        for size in (1 << n for n in range(8, MAX_ROWS.bit_length() - 1)):
            selection = select(entries, size)
            if not selection.left_out:
                return _laid_out(entries, size, MAX_STEPS, selection)
    size = rows or MAX_ROWS
    selections = {}
    for most in PREFILTER_STEPS:
        selections[most] = select(entries, size, most)
        if not selections[most].left_out:
            break
    # Of equals the one with the most steps: fewer do not help if it is not steps that are missing.
    best = min(selections, key=lambda most: (len(selections[most].left_out), -most))
    return _laid_out(entries, size, best, selections[best])


def words_to_write(tables: Tables) -> Iterator[tuple[int, int]]:
    """Index and value of each word that the matcher needs, independent of previous contents:
    bitmaps, the words with valid bits of fragments, and all other words in use.
    """
    used = (
        (PORTS, PORT_WORDS, tables.used_ports),
        (RULE, RULE_WORDS, tables.used_rules),
        (STEP, STEP_WORDS, tables.used_steps),
        (LONG_BITS, 3, tables.bitmap_rows),
    )
    for row in range(tables.rows):
        columns = [
            n for first, count, end in used if row < end for n in range(first, first + count)
        ]
        for column in HALVES:
            is_valid = tables[row, column + 2] & VALID
            columns += range(column if is_valid else column + 2, column + FRAGMENT_WORDS)
        for column in columns:
            yield row * COLUMNS + column, tables[row, column]


def sids(tables: Tables) -> Mapping[int, int]:
    """The sid of each row of the rules."""
    return {row: tables[row, RULE + SID] for row in range(tables.used_rules)}
