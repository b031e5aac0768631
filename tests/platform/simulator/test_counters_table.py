# SPDX-License-Identifier: Apache-2.0
"""The table of counters in terminals of 80 columns, without colours."""

from __future__ import annotations

import io
from collections.abc import Mapping

from rich.console import Console
from rich.text import Text

from bombus.base.tables import print_table
from bombus.simulator.counters import mesh_table

TILES = ("receive", "transmit", "application")
COUNTERS = {
    "noc_in_messages": 1_234_567,
    "noc_in_bytes": 123_456_789,
    "noc_out_messages": 1_234_567,
    "noc_out_bytes": 123_456_789,
    "drop.ipv4_rx.bad_length": 17,
    "drop.receive.overflow": 0,
    "drop.ipv4_rx.bad_checksum": 4,
    "event.icmp_echo.echo_reply": 5,
}


def printed(width: int, values: Mapping[str, int]) -> str:
    manifest = {"tiles": [{"name": name, "x": 1, "y": 0} for name in TILES]}
    console = Console(file=io.StringIO(), force_terminal=True, no_color=True, width=width)
    print_table(console, mesh_table(manifest, dict.fromkeys(TILES, values)))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_drops_are_named_in_words() -> None:
    line = "dropped: ipv4_rx bad_length 17, ipv4_rx bad_checksum 4; icmp_echo echo_reply 5"
    assert printed(200, COUNTERS).count(line) == len(TILES)
    without = {name: 0 if "drop" in name else value for name, value in COUNTERS.items()}
    assert "dropped" not in printed(200, without)


def test_it_fits_80_columns() -> None:
    plain = Text.from_ansi(printed(80, COUNTERS)).plain
    assert max(map(len, plain.splitlines())) <= 80
    for word in ("1,234,567", "123,456,789", "bad_length", "application", "dropped:"):
        assert word in plain
