# SPDX-License-Identifier: Apache-2.0
"""Tables fit terminals of any width, and no cell is cut; in files, each row is one line."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console
from rich.table import Table

from bombus.base.tables import print_table

CELLS = ("receive", "1,234,567", "98.131", "drop no_session 12, out_of_order 3", "1472", "0.001")


def wide(columns: int) -> Table:
    table = Table(title="A table", caption="figures of a run, at the nominal clock")
    for number in range(columns):
        table.add_column(f"heading\n{number}", justify="right" if number else "left")
    for row in range(3):
        table.add_row(*(CELLS[(row + number) % len(CELLS)] for number in range(columns)))
    return table


def printed(table: Table, width: int, *, is_terminal: bool = True) -> list[str]:
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=is_terminal, color_system="standard")
    print_table(console, table)
    text = re.sub(r"\x1b\[[0-9;]*m", "", file.getvalue())
    return [line.rstrip() for line in text.splitlines()]


@pytest.mark.parametrize("width", [24, 40, 60, 79, 80, 120])
@pytest.mark.parametrize("columns", [1, 2, 5, 8, 12, 20])
def test_tables_fit(columns: int, width: int) -> None:
    lines = printed(wide(columns), width)
    assert all(len(line) <= width for line in lines)
    words = " ".join(lines).split()
    shown = {CELLS[(row + number) % len(CELLS)] for row in range(3) for number in range(columns)}
    assert {word for cell in shown for word in cell.split()} <= set(words)
    assert {"A", "table", "figures", "nominal", "clock"} <= set(words)


def test_the_parts_of_a_table_have_its_first_column() -> None:
    lines = printed(wide(12), 60)
    heads = [line for line in lines if "──" in line]
    assert len(heads) > 1
    firsts = [line.split()[0] for line in lines if line.startswith(CELLS[:3])]
    assert firsts == list(CELLS[:3]) * len(heads)


def test_words_longer_than_a_line_are_folded() -> None:
    table = Table("name", "path")
    path = "u_tile_receive.u_ipv4_rx.u_strip.u_rotate.a_signal[123]"
    table.add_row("x", path)
    lines = printed(table, 30)
    assert all(len(line) <= 30 for line in lines)
    assert path in "".join(line.removeprefix("x").strip() for line in lines)


def test_a_row_is_one_line_in_files() -> None:
    lines = printed(wide(20), 40, is_terminal=False)
    rows = [line for line in lines if "drop no_session 12, out_of_order 3" in line]
    assert len(rows) == 3 and all(line.count("│") >= 20 for line in rows)
