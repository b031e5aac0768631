# SPDX-License-Identifier: Apache-2.0
"""Tables for terminals of any width, without truncation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Column, Table

_WIDEST = 10_000  # more characters than any line has


def print_table(console: Console, table: Table) -> None:
    """Prints a table without cutting its cells.

    In a terminal, long cells are wrapped at blanks; if that is not enough, lines between columns
    are left out; if that is not enough either, the columns are printed as several tables, each with
    the first column, and words longer than a line are folded. In files and pipes, each row is one
    line.
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
        if wanted.minimum > console.width:
            _print_parts(console, table)
            return
        table.width = min(wanted.maximum, max(wanted.minimum, console.width))
    console.print(table, crop=False, no_wrap=False)


def _print_parts(console: Console, table: Table) -> None:
    """Prints a table without lines as several that fit."""
    caption = table.caption
    for number, columns in enumerate(_parts(table.columns, console.width)):
        part = Table(
            box=table.box,
            show_edge=False,
            padding=0,
            show_header=table.show_header,
            title=table.title if number == 0 else None,
            title_justify=table.title_justify,
        )
        part.columns = [replace(column, _index=index) for index, column in enumerate(columns)]
        part.rows = table.rows
        if number:
            console.print()
        console.print(part, no_wrap=False)
    if caption is not None:
        console.print(caption)


def _parts(columns: Sequence[Column], width: int) -> Iterator[list[Column]]:
    """The first column with as many others as fit, again and again."""
    first, *others = columns
    first.min_width = min(first.min_width or 0, max(1, width // 2))
    first.max_width = first.min_width
    part, used = [first], first.min_width
    for column in others:
        column.min_width = min(column.min_width or 0, width - first.min_width - 1)
        column.max_width = column.min_width
        if used + 1 + column.min_width > width and len(part) > 1:
            yield part
            part, used = [first], first.min_width
        part.append(column)
        used += 1 + column.min_width
    yield part
