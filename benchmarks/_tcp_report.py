# SPDX-License-Identifier: Apache-2.0
"""Pictures of the tcp benchmark, the published figures beside ours."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bombus.base.errors import UserError
from bombus.base.paths import BENCHMARKS
from bombus.measure.exchanges import beats_of
from bombus.protocols.frames import WIRE_EXTRA_BYTES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = Mapping[str, Any]  # as in the JSON of a run

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#6A3D9A", "#CC79A7", "#B8860B", "#56B4E9", "#7F3300")
MARKERS = "os^Dv<>P"
PLAIN = "#444444"
TITLES = {"rx": "received", "tx": "sent", "both": "in both directions, each"}
LARGEST, SMALLEST = 11.0, 2.5  # markers of the first and of the last curve
CLOSE = 1.5  # sizes whose ratio is below share a tick
FULL_BITS = 512  # width of the published figures
# Protocols whose rows are of frames (`_echo_rows`), by mode
FRAMES = {"udp": "UDP", "ethernet": "Ethernet"}


def rows_of(files: Iterable[Path]) -> list[Row]:
    """Rows of earlier runs, also of UDP and Ethernet; UserError for a file that is none's."""
    rows: list[Row] = []
    for file in files:
        try:
            found = json.loads(file.read_text())["rows"]
            rows += [row for row in found if {"mode", "buffers", "data_bits"} <= row.keys()]
            rows += [_of_frames(row) for row in found if {"wire_gbps", "beats"} <= row.keys()]
        except OSError as error:
            raise UserError(f"cannot read {file}: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise UserError(f"{file}: should be what `bombus bench tcp --json` wrote") from None
    return rows


def _of_frames(row: Row) -> Row:
    """A row of `bombus bench udp-echo` or `ethernet`."""
    payload, size = row["payload_bytes"], row["frame_bytes"]
    goodput = round(row["wire_gbps"] * payload / (size + WIRE_EXTRA_BYTES), 3)
    is_full = row["beats"] == beats_of(size, FULL_BITS // 8)
    return {
        "mode": row.get("protocol", "udp"),
        "data_bits": FULL_BITS if is_full else None,  # another width
        "payload_bytes": payload,
        "goodput_gbps": goodput,
        "latency_cycles": row["latency_cycles"],
    }


def _save(figure: Figure, file: Path) -> None:
    from bombus.pictures.files import save

    save(lambda: figure, file, salt=file.stem)


def _published(axis: Axes, direction: str) -> None:
    """Points of the papers, of one connection."""
    peers = json.loads((BENCHMARKS / "peers.json").read_text())
    points = [(name, point) for name, peer in peers.items() for point in peer.get("tcp", ())]
    for (name, point), marker in zip(points, "*X+x", strict=False):
        if direction not in point["directions"]:
            continue
        where = point["payload_bytes"], point["goodput_gbps"]
        label = f"1 connection, {name}, published"
        size = LARGEST + 5 if marker in "+x" else 9  # lines reach beyond the curves' markers
        axis.plot(*where, marker, color=PLAIN, markersize=size, zorder=5, label=label)


def _curves(axis: Axes, rows: Sequence[Row], key: str, lines: Mapping[str, int]) -> None:
    """A curve for each way to carry payload.

    Open markers, each within that of the curve before, so that all are seen where values are equal.
    """
    step = (LARGEST - SMALLEST) / max(1, len(lines) - 1)
    for name, place in lines.items():
        series = sorted((row["payload_bytes"], row[key]) for row in rows if _line(row) == name)
        if series:
            axis.plot(
                *zip(*series, strict=True),
                marker=MARKERS[place % len(MARKERS)],
                markerfacecolor="none",
                markersize=LARGEST - step * place,
                linewidth=1.2,
                color=COLOURS[place % len(COLOURS)],
                label=name,
            )


def _line(row: Row) -> str:
    count = row["connections"]
    connections = f"{count} connections" if count > 1 else "1 connection"
    buffers = "bypass" if row["buffers"] == "bypass" else "buffer tiles"
    return f"{connections}, {buffers}" if row["mode"] == "stream" else buffers


def _finish(axis: Axes, title: str, sizes: Sequence[int]) -> None:
    axis.set_title(title, fontsize=10)
    axis.set_xscale("log", base=2)
    ticks: list[int] = []
    for size in sizes:
        if not ticks or size / ticks[-1] >= CLOSE:
            ticks.append(size)
    axis.set_xticks(ticks, [f"{size:,}" for size in ticks], rotation=90)
    axis.minorticks_off()
    axis.grid(alpha=0.3)
    axis.tick_params(labelsize=8)


def draw(rows: Sequence[Row], folder: Path) -> None:
    """Goodput by size of segments, and round trips in cycles by size of requests.

    Figure 7 of the Beehive paper has the axes of the first; there is a picture of it for each
    width of the data path. TU Darmstadt's slides compare buffers as the second does.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import ScalarFormatter

    streams = [row for row in rows if row["mode"] == "stream"]
    for bits in sorted({row["data_bits"] for row in streams}):
        here = [row for row in streams if row["data_bits"] == bits]
        lines = {name: n for n, name in enumerate(dict.fromkeys(map(_line, here)))}
        shown = [name for name in TITLES if any(row["direction"] == name for row in here)]
        figure = Figure(figsize=(3.6 * len(shown) + 0.5, 4.2))
        axes = figure.subplots(1, len(shown), sharey=True, squeeze=False)
        for axis, direction in zip(axes[0], shown, strict=True):
            series = [row for row in here if row["direction"] == direction]
            bounds = sorted({(row["payload_bytes"], row["bound_gbps"]) for row in series})
            axis.plot(*zip(*bounds, strict=True), ":", color=PLAIN, label="bound of the link")
            _curves(axis, series, "goodput_gbps", lines)
            if bits == FULL_BITS:
                _published(axis, direction)
            axis.set_yscale("log")
            axis.yaxis.set_major_formatter(ScalarFormatter())
            _finish(axis, TITLES[direction], [size for size, _ in bounds])
            axis.set_xlabel("payload of a segment, bytes", fontsize=9)
        axes[0][0].set_ylabel("goodput, Gbit/s")
        handles = {
            label: handle
            for axis in axes[0]
            for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)
        }
        figure.tight_layout(rect=(0, 0.12, 1, 1))
        figure.legend(
            list(handles.values()),
            list(handles),
            loc="lower center",
            ncols=3,
            fontsize=8,
            frameon=False,
        )
        _save(figure, folder / f"tcp_goodput_{bits}.svg")
    trips = [row for row in rows if row["mode"] == "rtt"]
    if trips:
        widths = sorted({row["data_bits"] for row in trips})
        figure = Figure(figsize=(3.4 * len(widths) + 0.8, 3.4))
        axes = figure.subplots(1, len(widths), squeeze=False)
        for axis, bits in zip(axes[0], widths, strict=True):
            series = [row for row in trips if row["data_bits"] == bits]
            lines = {name: n for n, name in enumerate(dict.fromkeys(map(_line, series)))}
            _curves(axis, series, "latency_cycles", lines)
            sizes = sorted({row["payload_bytes"] for row in series})
            _finish(axis, f"request and response, {bits} bits", sizes)
            axis.set(xlabel="payload of a request, bytes", ylim=(0, None))
            axis.legend(fontsize=8, frameon=False)
        axes[0][0].set_ylabel("cycles")
        figure.tight_layout()
        _save(figure, folder / "tcp_round_trips.svg")


BARS = {"rtt": "request and response", "handshake": "SYN to SYN,ACK"}
BUFFERS = {"tile": "buffer tiles", "bypass": "bypass"}
BAR_BYTES = 4096  # of the segments whose goodput TU Darmstadt's slides show


def draw_bars(
    axis: Axes,
    names: Sequence[str],
    bars: Mapping[str, Sequence[float | None]],
    *,
    upright: bool = False,
) -> None:
    """A group of bars for each name, with their values, which are `upright` for lack of space."""
    width = 0.8 / max(1, len(bars))
    for place, (label, values) in enumerate(bars.items()):
        shown = [(n, value) for n, value in enumerate(values) if value is not None]
        bar = axis.bar(
            [n + (place - (len(bars) - 1) / 2) * width for n, _ in shown],
            [value for _, value in shown],
            width,
            color=COLOURS[place],
            alpha=0.85,
            label=label,
        )
        axis.bar_label(bar, fontsize=7, padding=3 if upright else 1, rotation=90 * upright)
    axis.set_xticks(range(len(names)), names)
    axis.tick_params(labelsize=8)
    axis.set_axisbelow(True)
    axis.grid(alpha=0.3, axis="y")


def draw_buffers(rows: Sequence[Row], folder: Path) -> None:
    """The buffer variants of one width beside each other, as TU Darmstadt's slides show them:
    goodput of long segments, and latencies."""
    from matplotlib.figure import Figure

    rows = _full(rows)
    streams = {
        (row["buffers"], row["direction"]): row
        for row in rows
        if row["mode"] == "stream" and row["payload_bytes"] == BAR_BYTES and row["connections"] == 1
    }
    trips = {
        (row["buffers"], row["mode"]): row["latency_cycles"]
        for row in sorted(rows, key=lambda row: -int(row["payload_bytes"]))
        if row["mode"] in BARS
    }
    if not streams or not trips:
        return
    figure = Figure(figsize=(8.2, 3.4))
    left, right = figure.subplots(1, 2)
    bound = next(iter(streams.values()))["bound_gbps"]
    goodput = {
        label: [streams.get((name, way), {}).get("goodput_gbps") for way in TITLES]
        for name, label in BUFFERS.items()
    }
    draw_bars(left, ["received", "sent", "both, each"], goodput)
    left.axhline(bound, linestyle=":", color=PLAIN, label=f"bound of the link, {bound:.3f}")
    left.set(ylabel="goodput, Gbit/s", ylim=(0, 1.35 * bound))
    left.set_title(f"1 connection, segments of {BAR_BYTES:,} bytes", fontsize=10)
    latencies = {
        label: [trips.get((name, mode)) for mode in BARS] for name, label in BUFFERS.items()
    }
    draw_bars(right, list(BARS.values()), latencies)
    size = min(row["payload_bytes"] for row in rows if row["mode"] == "rtt")
    right.set(ylabel="cycles", ylim=(0, 1.3 * max(trips.values())))
    right.set_title(f"latency in the design, request of {size} bytes", fontsize=10)
    for axis in (left, right):
        axis.legend(fontsize=8, frameon=False, loc="upper right")
    figure.tight_layout()
    _save(figure, folder / "tcp_buffers.svg")


def draw_protocols(rows: Sequence[Row], folder: Path) -> None:
    """Goodput of long payloads and latency of requests by protocol, as TU Darmstadt's slides show
    them. Goodput: theirs, their bound, and ours, of TCP that of the slower direction. Their
    latencies have no numbers; ours are those of the smallest request that all protocols have."""
    from matplotlib.figure import Figure

    peers = json.loads((BENCHMARKS / "peers.json").read_text())
    theirs = {name: peer["protocols"] for name, peer in peers.items() if "protocols" in peer}
    rows = _full(rows)
    ours = {
        protocol: [
            row["goodput_gbps"]
            for row in rows
            if row["mode"] == mode
            and row["payload_bytes"] == BAR_BYTES
            and (mode in FRAMES or (row["connections"] == 1 and row["direction"] in ("rx", "tx")))
        ]
        for mode, protocol in {"stream": "TCP", **FRAMES}.items()
    }
    if not (ours["TCP"] and ours["UDP"]):
        return
    size, cycles = _latencies(rows)
    widths = [5.9, 4.1] if cycles else [5.9]
    figure = Figure(figsize=(sum(widths), 3.4))
    left, *others = figure.subplots(1, len(widths), width_ratios=widths, squeeze=False)[0]
    names = [point["protocol"] for points in theirs.values() for point in points]
    bars: dict[str, list[float | None]] = {
        "Bombus, simulated": [min(ours.get(name, ()), default=None) for name in names]
    }
    for peer, points in theirs.items():
        bars[f"{peer}, published"] = [point["goodput_gbps"] for point in points]
        bars["bound of the link"] = [point["bound_gbps"] for point in points]
    draw_bars(left, names, bars)
    left.set(ylabel="goodput, Gbit/s", ylim=(97, 100.2))
    left.set_title(f"payload of {BAR_BYTES:,} bytes", fontsize=10)
    left.legend(fontsize=8, frameon=False, loc="upper left")
    for right in others:
        draw_bars(right, list(cycles), {"Bombus, simulated": list(cycles.values())})
        right.set(ylabel="cycles", ylim=(0, 1.2 * max(cycles.values())))
        right.set_title(f"latency in the design, request of {size} bytes", fontsize=10)
    figure.tight_layout()
    _save(figure, folder / "tcp_protocols.svg")


def _full(rows: Sequence[Row]) -> list[Row]:
    """Rows with the width of the published figures, the slowest answer last."""
    full = [row for row in rows if row["data_bits"] == FULL_BITS]
    return sorted(full, key=lambda row: row["latency_cycles"] or 0)  # streams have none


def _latencies(rows: Sequence[Row]) -> tuple[int, dict[str, int]]:
    """Bytes of the smallest request that TCP and the protocols of frames have, and the cycles of
    each answer, of rows with one size those of the last; none if they have no size in common."""
    trips: dict[str, dict[int, int]] = {}  # cycles by protocol and size
    labels = {("rtt", name): f"TCP,\n{label}" for name, label in BUFFERS.items()}
    labels |= {(mode, ""): label for mode, label in FRAMES.items()}
    handshakes = [row["latency_cycles"] for row in rows if row["mode"] == "handshake"]
    for row in rows:
        if label := labels.get((row["mode"], row.get("buffers", ""))):
            trips.setdefault(label, {})[row["payload_bytes"]] = row["latency_cycles"]
    sizes = set.intersection(*(set(each) for each in trips.values())) if trips else set()
    if not (sizes and handshakes):
        return 0, {}
    size = min(sizes)
    bars = {"handshake\nof TCP": max(handshakes)}
    return size, bars | {label: trips[label][size] for label in labels.values() if label in trips}


def draw_transfers(rows: Sequence[Row], folder: Path) -> None:
    """Bytes that have arrived, by round trips of the link since the SYN."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.4))
    axis = figure.subplots()
    for place, row in enumerate(rows):
        axis.step(
            row["round_trips"],
            [size / 1024 for size in row["arrived"]],
            where="post",
            color=COLOURS[place],
            linestyle=("-", "--", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)))[place % 5],
            linewidth=1.6,
            label=f"{row['sender']} to {row['receiver']}, {row['clock']} time",
        )
    axis.set(xlabel="round trips of the link since the SYN", ylabel="KiB that have arrived")
    axis.set(xlim=(0, None), ylim=(0, None))
    axis.grid(alpha=0.3)
    figure.tight_layout(rect=(0, 0.14, 1, 1))  # the legend is below the axes: it hides no curve
    figure.legend(fontsize=8, frameon=False, loc="lower center", ncols=2)
    _save(figure, folder / "tcp_transfers.svg")
