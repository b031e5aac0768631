# SPDX-License-Identifier: Apache-2.0
"""Rate and latency of a design that answers each frame with one: a row for each size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from bombus import Simulation
from bombus.base.errors import UserError
from bombus.measure.exchanges import beats_of, burst, cycles_per_packet, idle_latencies, wire_gbps
from bombus.simulator.frames import Frame

SINGLE_PACKETS = 16

Model = Callable[[bytes], bytes]  # the answer to a frame
Column = tuple[str, Callable[[Any], str]]  # heading, and the cell of a row


@dataclass(frozen=True)
class Row:
    """Figures of one size; docs/benchmarks.md defines them."""

    payload_bytes: int
    frame_bytes: int
    beats: int
    cycles_per_packet: float
    mpps: float
    wire_gbps: float
    bound_gbps: float
    latency_cycles: int
    checked: int


def compare(frames: Sequence[bytes], received: Sequence[Frame], model: Model) -> tuple[int, int]:
    """How many replies were compared with the model, and how many are wrong, missing or extra."""
    pairs = list(zip(map(model, frames), received, strict=False))
    wrong = sum(expected != reply.data for expected, reply in pairs)
    return len(pairs), wrong + abs(len(frames) - len(received))


def measured(
    simulation: Simulation,
    payload_bytes: int,
    singles: Sequence[bytes],
    frames: Sequence[bytes],
    model: Model,
) -> tuple[Row, int]:
    """Figures of frames with `payload_bytes` each, and the number of errors: latency by `singles`,
    which are sent one by one, and rate by `frames`, back to back.
    """
    manifest = simulation.manifest
    latency, answers = idle_latencies(simulation, singles)
    _, errors_alone = compare(singles, answers, model)
    received = burst(simulation, frames).received
    checked, errors = compare(frames, received, model)
    if not latency or len(received) < 2:
        raise UserError(
            f"{manifest['name']}: {len(received)} of {len(frames)} frames with payloads of "
            f"{payload_bytes} bytes came back"
        )
    frame_bytes = len(frames[0])
    beats = beats_of(frame_bytes, simulation.data_bytes)
    cycles = cycles_per_packet(received)
    line_rate = float(manifest["line_rate_gbps"])

    def on_the_wire(cycles_per_frame: float) -> float:
        gbps = wire_gbps(frame_bytes, simulation.clock_hz / cycles_per_frame)
        return round(min(line_rate, gbps), 3)

    row = Row(
        payload_bytes,
        frame_bytes,
        beats,
        cycles_per_packet=round(cycles, 4),
        mpps=round(simulation.clock_hz / 1e6 / cycles, 3),
        wire_gbps=on_the_wire(cycles),
        bound_gbps=on_the_wire(beats),
        latency_cycles=max(latency),
        checked=checked,
    )
    return row, errors + errors_alone


COLUMNS: tuple[Column, ...] = (
    ("bytes\npayload", lambda row: f"{row.payload_bytes}"),
    ("bytes\nframe", lambda row: f"{row.frame_bytes}"),
    ("beats", lambda row: f"{row.beats}"),
    ("cycles\nper frame", lambda row: f"{row.cycles_per_packet:.2f}"),
    ("Mpps", lambda row: f"{row.mpps:.1f}"),
    ("Gbit/s", lambda row: f"{row.wire_gbps:.1f}"),
    ("bound", lambda row: f"{row.bound_gbps:.1f}"),
    ("cycles\nlatency", lambda row: f"{row.latency_cycles}"),
)


def table(
    title: str,
    rows: Sequence[Row],
    manifest: dict[str, Any],
    columns: Sequence[Column] = (),
    notes: Sequence[str] = (),
) -> Table:
    """The figures of all sizes, further columns beside them, and notes below."""
    result = Table(title=f"{title}: {manifest['name']}", title_justify="left")
    shown = (*COLUMNS, *columns)
    for heading, _ in shown:
        result.add_column(heading, justify="right")
    for row in rows:
        result.add_row(*(cell(row) for _, cell in shown))
    conditions = (
        f"{manifest['clock_mhz']:.0f} MHz, {manifest['data_width']} bits per cycle, a line of "
        f"{manifest['line_rate_gbps']:g} Gbit/s; {sum(row.checked for row in rows):,} replies "
        f"compared with the model"
    )
    result.caption = "\n".join((conditions, *notes))
    result.caption_justify = "left"
    return result
