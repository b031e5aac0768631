# SPDX-License-Identifier: Apache-2.0
"""Counters with their rates, as a table."""

from __future__ import annotations

from collections.abc import Mapping

from rich.table import Table

_COUNTER_BITS = 48
Counters = Mapping[str, Mapping[str, int]]


class Rates:
    """Rates between two readings of counters."""

    def __init__(self) -> None:
        self._before: Counters = {}
        self._time = 0.0

    def table(self, counters: Counters, now: float) -> Table:
        """Counters that are not 0; those that grow have a rate. `now`: in seconds."""
        shown = Table("tile", "counter")
        shown.add_column("count", justify="right")
        shown.add_column("per second", justify="right")
        seconds = now - self._time
        for tile, values in counters.items():
            for name, value in values.items():
                before = self._before.get(tile, {}).get(name)
                grown = 0 if before is None else (value - before) % (1 << _COUNTER_BITS)
                rate = f"{grown / seconds:,.0f}" if grown and seconds > 0 else ""
                if value:
                    shown.add_row(tile, name, f"{value:,}", rate)
        self._before, self._time = counters, now
        return shown
