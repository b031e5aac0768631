# SPDX-License-Identifier: Apache-2.0
"""The tables of the matcher: rows of 32-bit words, in the layout of rtl/ids/rule_pkg.sv."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from bombus.base.errors import UserError
from bombus.rules import hashing
from bombus.rules.fragments import Anchor, Piece
from bombus.rules.hashing import LONG
from bombus.rules.ports import Range

COLUMNS = 32
MIN_ROWS, MAX_ROWS = 256, 16384
RULE, STEP = 0, 8
HALVES = (12, 16)  # of the fragments
LONG_BITS, SHORT_BITS = 20, 22
RULE_WORDS, STEP_WORDS, FRAGMENT_WORDS = 6, 3, 3
VALID = 1 << 30
SHORT = 1 << 31
MAX_SIZE = (1 << 14) - 1


@dataclass(frozen=True)
class Entry:
    """A row of the rules: ranges of ports and of the payload's size, and the fragment."""

    sid: int
    is_exact: bool
    protocols: int
    source: Range
    target: Range
    size: tuple[int, int]
    anchor: Anchor
    in_streams: bool = False  # it may begin in earlier segments


class FullError(UserError):
    """The entries do not fit into this many rows."""


class Tables:
    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.row_bits = rows.bit_length() - 1
        self.words = array("I", bytes(4 * rows * COLUMNS))
        self.used_rules = self.used_steps = 0
        self.fragments: dict[bytes, int] = {}  # key: row of its first rule

    def __getitem__(self, place: tuple[int, int]) -> int:
        row, column = place
        return self.words[row * COLUMNS + column]

    def __setitem__(self, place: tuple[int, int], word: int) -> None:
        row, column = place
        self.words[row * COLUMNS + column] = word

    def bit_place(self, key: bytes) -> tuple[int, int, int]:
        """Row, column and bit of a fragment in its bitmap."""
        wide = len(key) == LONG
        bits = self.row_bits + (6 if wide else 5)
        place = hashing.first(key) & ((1 << bits) - 1)
        if wide:
            return place >> 6, LONG_BITS + (place >> 5 & 1), place & 31
        return place >> 5, SHORT_BITS, place & 31

    def places(self, key: bytes) -> tuple[tuple[int, int], tuple[int, int]]:
        """Row and first column of both possible places of a fragment."""
        mask = self.rows - 1
        return (
            (hashing.first(key) & mask, HALVES[0]),
            (hashing.second(key) & mask, HALVES[1]),
        )

    def bits_set(self, column: int) -> int:
        columns = (LONG_BITS, LONG_BITS + 1) if column == LONG_BITS else (column,)
        return sum(self[row, each].bit_count() for row in range(self.rows) for each in columns)


def _step_words(step: Piece) -> tuple[int, int, int]:
    care = (1 << len(step.pattern)) - 1
    folded, pattern = 0, bytearray(step.pattern)
    for n, byte in enumerate(step.pattern):
        if step.nocase and chr(byte).isascii() and chr(byte).isalpha():
            folded |= 1 << n
            pattern[n] = byte | 0x20
    value = int.from_bytes(pattern, "little")
    return value & 0xFFFFFFFF, value >> 32, step.at & 0xFFFF | care << 16 | folded << 24


def build(entries: Iterable[Entry], rows: int) -> Tables:
    """The tables; FullError if they have too few rows."""
    tables = Tables(rows)
    chains: dict[bytes, list[Entry]] = {}
    for entry in entries:
        chains.setdefault(entry.anchor.key, []).append(entry)
    steps: dict[tuple[tuple[int, int, int], ...], int] = {}
    for key, chain in chains.items():
        tables.fragments[key] = tables.used_rules
        for entry in chain:
            _put_rule(tables, entry, entry is chain[-1], steps)
        row, column, bit = tables.bit_place(key)
        tables[row, column] |= 1 << bit
    _put_fragments(tables)
    return tables


def _put_rule(
    tables: Tables,
    entry: Entry,
    is_last: bool,
    known: dict[tuple[tuple[int, int, int], ...], int],
) -> None:
    anchor = entry.anchor
    steps = tuple(_step_words(step) for step in anchor.steps())
    first = known.setdefault(steps, tables.used_steps)
    if first == tables.used_steps:
        tables.used_steps += len(steps)
        if tables.used_steps > tables.rows:
            raise FullError(f"more than {tables.rows} rows of steps")
        for n, step in enumerate(steps):
            for column, word in enumerate(step, STEP):
                tables[first + n, column] = word
    row = tables.used_rules
    tables.used_rules += 1
    if tables.used_rules > tables.rows:
        raise FullError(f"more than {tables.rows} rows of rules")
    size = [min(each, MAX_SIZE) for each in entry.size]
    words = (
        entry.source[0] | entry.source[1] << 16,
        entry.target[0] | entry.target[1] << 16,
        anchor.low | anchor.high << 14 | entry.protocols << 28,
        size[0] | size[1] << 14 | entry.is_exact << 28 | is_last << 29 | entry.in_streams << 30,
        first | min(anchor.tail, MAX_SIZE) << 14 | len(steps) << 28,
        entry.sid,
    )
    for column, word in enumerate(words, RULE):
        tables[row, column] = word


def _put_fragments(tables: Tables) -> None:
    """Cuckoo hashing: a fragment that takes a place moves the previous owner to its other place."""
    owners: dict[tuple[int, int], bytes] = {}
    random = Random(0)
    for new in tables.fragments:
        key = new
        for _ in range(500):
            places = tables.places(key)
            free = [place for place in places if place not in owners]
            if free:
                owners[free[0]] = key
                break
            place = random.choice(places)
            owners[place], key = key, owners[place]
        else:
            raise FullError(f"fragments do not fit into two times {tables.rows} rows")
    for (row, column), key in owners.items():
        value = int.from_bytes(key, "little")
        is_short = len(key) != LONG
        words = (
            value & 0xFFFFFFFF,
            value >> 32,
            tables.fragments[key] | VALID | (SHORT if is_short else 0),
        )
        for n, word in enumerate(words):
            tables[row, column + n] = word


def fit(entries: Sequence[Entry], rows: int | None) -> Tables:
    """Tables with the smallest sufficient number of rows, or with `rows`; UserError if those are
    too few.
    """
    sizes = [rows] if rows else [1 << n for n in range(8, MAX_ROWS.bit_length())]
    for size in sizes:
        try:
            return build(entries, size)
        except FullError as error:
            problem = error
    raise UserError(f"{len(entries)} entries: {problem}")


def words_to_write(tables: Tables) -> Iterator[tuple[int, int]]:
    """Index and value of each word that the matcher needs, independent of previous contents:
    bitmaps, the words with valid bits of fragments, and all other words in use.
    """
    always = {LONG_BITS, LONG_BITS + 1, SHORT_BITS, *(column + 2 for column in HALVES)}
    for row in range(tables.rows):
        used = set(always)
        if row < tables.used_rules:
            used |= set(range(RULE, RULE + RULE_WORDS))
        if row < tables.used_steps:
            used |= set(range(STEP, STEP + STEP_WORDS))
        for column in HALVES:
            if tables[row, column + 2] & VALID:
                used |= {column, column + 1}
        for column in sorted(used):
            yield row * COLUMNS + column, tables[row, column]


def sids(tables: Tables) -> Mapping[int, int]:
    """The sid of each row of the rules."""
    return {row: tables[row, RULE + 5] for row in range(tables.used_rules)}
