# SPDX-License-Identifier: Apache-2.0
"""Table and picture of the links benchmark, the published figures beside ours."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import floor
from pathlib import Path
from typing import Any

from _tcp_report import draw_bars
from rich.table import Table

from bombus.base.paths import BENCHMARKS

Row = Mapping[str, Any]  # as in the JSON of a run

NAMES = {
    "tcp_handshake": "TCP with\nhandshake",
    "tcp": "TCP",
    "udp": "UDP",
    "ethernet": "Ethernet",
    "link": "link",
}
HEADINGS = ("protocol", "bytes", "Gbit/s", "both ways", "bound", "round trip,\ncycles", "ns")
RATES = {"goodput_gbps": "one way", "duplex_gbps": "both ways", "bound_gbps": "bound of the link"}


def table(rows: Sequence[Row]) -> Table:
    """All rows."""
    result = Table(title="Links between two designs", title_justify="left")
    for heading in HEADINGS:
        result.add_column(heading, justify="left" if heading == "protocol" else "right")
    for row in rows:
        rates = ["" if row[key] is None else f"{row[key]:.3f}" for key in RATES]
        cells = [row["protocol"], str(row["payload_bytes"]), *rates]
        result.add_row(*cells, str(row["round_trip_cycles"]), str(row["round_trip_ns"]))
    return result


def draw(rows: Sequence[Row], file: Path) -> None:
    """Goodput beside its bound and the published one, and round trips, both by protocol.

    Published goodput, of the link that of Aurora, is shown for protocols and payloads that were
    measured.
    """
    from matplotlib.figure import Figure

    from bombus.pictures.files import save

    rows = [row for name in NAMES for row in rows if row["protocol"] == name]
    streams = [row for row in rows if row["goodput_gbps"] is not None]
    names = [NAMES[row["protocol"]] for row in streams]
    rates = {label: [row[key] for row in streams] for key, label in RATES.items()}
    for peer, figures in json.loads((BENCHMARKS / "peers.json").read_text()).items():
        published = {
            (point["protocol"], point["payload_bytes"]): point["goodput_gbps"]
            for point in (*figures.get("protocols", ()), *figures.get("links", ()))
        }
        given = [
            published.get((name, row["payload_bytes"]))
            for name, row in zip(names, streams, strict=True)
        ]
        if any(given):
            rates[f"{peer}, published"] = given
    shown = [rate for each in rates.values() for rate in each if rate is not None]
    figure = Figure(figsize=(12.5, 3.6))
    left, right = figure.subplots(1, 2, width_ratios=(8, 4.5))
    draw_bars(left, names, rates, upright=True)
    low, high = floor(min(shown) - 0.5), max(shown)
    left.set(ylabel="payload, Gbit/s", ylim=(low, high + 0.4 * (high - low)))
    sizes = " or ".join(dict.fromkeys(f"{row['payload_bytes']:,}" for row in streams))
    left.set_title(f"goodput, messages of {sizes} bytes", fontsize=10)
    left.legend(fontsize=8, frameon=False, loc="upper left", ncols=2)
    trips = [f"{NAMES[row['protocol']]}\n{row['round_trip_cycles']:,} cycles" for row in rows]
    draw_bars(right, trips, {"round trip": [row["round_trip_ns"] for row in rows]})
    right.set(ylabel="ns")
    right.margins(y=0.12)
    right.set_title("longest round trip of a message in idle designs", fontsize=10)
    figure.tight_layout()
    save(lambda: figure, file, salt=file.stem)
