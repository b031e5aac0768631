# SPDX-License-Identifier: Apache-2.0
"""Tables for terminals of any width, without truncation."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

_WIDEST = 10_000  # more characters than any line has


def print_table(console: Console, table: Table) -> None:
    """Prints a table without cutting its cells.

    In a terminal, long cells are wrapped at blanks; if that is not enough, lines between columns
    are left out; if that is not enough either, lines are wider than the terminal. In files and
    pipes, each row is one line.
    """
    options = console.options.update(max_width=_WIDEST)
    wanted = Measurement.get(console, options, table)
    for column in table.columns:
        column.overflow = "fold"
        words = [Measurement.get(console, options, cell) for cell in [column.header, *column.cells]]
        column.min_width = max(word.minimum for word in words)  # never split a word
    table.width = wanted.maximum
    if console.is_terminal:
        if wanted.minimum > console.width:
            table.box, table.show_edge, table.padding = box.SIMPLE_HEAD, False, 0
            table.width = None
            wanted = Measurement.get(console, options, table)
        table.width = min(wanted.maximum, max(wanted.minimum, console.width))
    console.print(table, crop=False, no_wrap=False)
