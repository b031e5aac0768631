# SPDX-License-Identifier: Apache-2.0
"""Write compiled rules into the accelerator of a packet processor, and read its hits."""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import Any

from bombus.applications.intrusion_detection.compiling import TABLES_FILE
from bombus.applications.intrusion_detection.lookup import Hit
from bombus.applications.intrusion_detection.tables import (
    COLUMNS,
    RULE,
    SID,
    STEP,
    Tables,
    words_to_write,
)
from bombus.base.errors import UserError
from bombus.base.text import counted

# Packets inside are finished with the old tables: 64 KiB at 16 bytes a cycle, and some hits. A read
# takes five cycles.
_READS = 1000


class MissingHitsError(UserError):
    """Hits were lost for lack of room (`is_lost`), or packets were not checked wholly, since that
    would have taken too long (`unchecked`: how many). `hits`: the others.
    """

    def __init__(self, hits: list[Hit], is_lost: bool, unchecked: int) -> None:
        self.hits = hits
        self.is_lost, self.unchecked = is_lost, unchecked
        reasons = ["hits were lost: more than 256 came between two reads"] * is_lost
        if unchecked:
            reasons.append(f"{counted(unchecked, 'packet')} unchecked: too many rules for each")
        super().__init__("; ".join(reasons))


def read(folder: Path) -> Tables:
    """The tables written by `bombus rules compile`."""
    file = folder / TABLES_FILE
    try:
        content = file.read_bytes()
    except OSError as error:
        raise UserError(f"{file}: {error.strerror or error}") from None
    rows = len(content) // 4 // COLUMNS
    if not rows or rows & rows - 1 or len(content) != 4 * COLUMNS * rows:
        raise UserError(f"{file}: this is not a file of tables")
    tables = Tables(rows)
    words = (int.from_bytes(content[n : n + 4], "little") for n in range(0, len(content), 4))
    tables.words = array("I", words)
    tables.used_rules = sum(bool(tables[row, RULE + SID]) for row in range(rows))
    tables.used_ports = max(tables.ports_end(row) for row in range(rows))
    tables.used_steps = sum(bool(tables[row, STEP + 2]) for row in range(rows))
    return tables


def write(registers: Any, tables: Tables) -> None:
    """`registers`: of the accelerator, with `control.enable` and the table `word`.

    Nothing is examined while it is written.
    """
    rows = len(registers.word) // COLUMNS
    if rows != tables.rows:
        raise UserError(
            f"the tables have {tables.rows} rows, the matcher {rows}: compile with --rows {rows}"
        )
    registers.control.enable = 0
    for _ in range(_READS):
        registers.control.read()
    for place, word in words_to_write(tables):
        registers.word[place].bits = word
    registers.control.enable = 1


def hits(registers: Any, tables: Tables) -> list[Hit]:
    """The hits not read yet, of each rule and packet one; MissingHitsError, with the others, if
    some are missing.
    """
    found, is_lost, unchecked = [], False, 0
    while True:
        hit = registers.hit.read()
        is_lost |= bool(hit["lost"])
        if not hit["valid"]:
            break
        if hit["unchecked"]:
            unchecked += 1
            continue
        row = hit["row"]
        found.append(Hit(row, tables[row, RULE + SID], bool(hit["exact"])))
    if is_lost or unchecked:
        raise MissingHitsError(found, is_lost, unchecked)
    return found
