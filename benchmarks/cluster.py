# SPDX-License-Identifier: Apache-2.0
"""Bandwidth and latency between boards, as in figures 8 to 11 of the paper on its network.

Source: "A Transport-Layer Network for Distributed FPGA Platforms", section V. Boards in a bar with
cluster_load at each endpoint are simulated; `--model` takes the reference model instead, in which
a link has no bit errors. bound_gbps is the law of `bombus.cluster.law`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

from _cluster_boards import Loads, describe
from rich.table import Table

from bombus.base.errors import UserError
from bombus.base.output import check_writable
from bombus.cluster import law, routing
from bombus.cluster.links import CLASSES
from bombus.cluster.model import Endpoint, Network, Packet, Timing
from bombus.cluster.simulation import Cluster
from bombus.cluster.topology import build
from bombus.measure.bench import report

BOARDS = 4
WIDTH = 128
LATENCY = 75
HOP = 15  # cycles: cluster_link adds 14, cluster_router 1
CLOCK_MHZ = 156.25
LINE_GBPS = WIDTH * CLOCK_MHZ / 1000
WORDS = 8  # of a packet: 64 bytes
STRIDES = (8, 32, 128, 256)
ENDPOINTS = (1, 2, 4)
SHARED = 32  # stride of figure 9
# Table III of the paper, and a better setting in the same buffer: buffer, stride, offset
CONTENDED = {
    "64x1+16": (80, 64, 16),
    "64x1+8": (72, 64, 8),
    "32x2+16": (80, 32, 16),
    "16x1+64": (80, 16, 64),
}


@dataclass(frozen=True)
class Row:
    """Figures of one measurement; docs/cluster/bandwidth.md defines them."""

    figure: str
    topology: str
    hops: int
    endpoints: int
    stride: int
    offset: int
    buffer: int
    bandwidth_gbps: float | None
    bound_gbps: float | None
    round_trip_us: float | None
    lost: int


@dataclass(frozen=True)
class Case:
    """A measurement: boards that send to board 0, and on how many channels."""

    figure: str
    endpoint: Endpoint
    sources: tuple[int, ...]
    endpoints: int = 1
    packets: int = 0  # to receive on each channel
    echoes: bool = False


def _half(stride: int) -> Endpoint:
    """As in figures 8 and 9: the offset is half of the stride."""
    return Endpoint(
        buffer_size=stride + stride // 2,
        flow_offset=stride // 2,
        flow_stride=stride,
        init_budget=1,
        words=WORDS,
    )


def cases() -> Iterator[Case]:
    for stride in STRIDES:
        for hops in range(1, BOARDS):
            yield Case("8", _half(stride), (hops,), packets=8 * stride + 200)
    for count in ENDPOINTS:
        yield Case("9", _half(SHARED), (3,), endpoints=count, packets=12 * SHARED)
    for name, (buffer, stride, offset) in CONTENDED.items():
        endpoint = replace(
            _half(stride), buffer_size=buffer, flow_stride=stride, flow_offset=offset
        )
        yield Case(f"10 {name}", endpoint, (1, 2, 3), packets=1500)
    for hops in range(1, BOARDS):
        yield Case("11", _half(SHARED), (hops,), packets=8, echoes=True)


@dataclass(frozen=True)
class Measured:
    """What was measured: share of the line's bandwidth, or cycles of a round trip."""

    share: float | None
    round_trip: float | None
    lost: int


def _bound(case: Case, timing: Timing) -> float | None:
    if case.echoes:
        return None
    if len(case.sources) > 1:
        return law.several(case.endpoint, case.sources, timing)
    return law.aggregate(case.endpoint, case.endpoints, case.sources[0], timing)


def _in_model(case: Case, timing: Timing) -> Measured:
    made = build("bar", BOARDS)
    kinds = [case.endpoint] * case.endpoints
    network = Network(made, routing.tables(made, CLASSES), kinds, timing)
    if case.echoes:
        return _round_trips(network, case)
    wanted = case.packets * case.endpoints
    for source in case.sources:
        for channel in range(case.endpoints):
            for _ in range(2 * case.packets):
                network.send(Packet(source, 0, channel, case.endpoint.words))
    while len(network.packets) < wanted:
        network.run(network.now + 100)
    skip = wanted // 4
    first, last = network.packets[skip].arrived, network.packets[wanted - 1].arrived
    assert first is not None and last is not None
    network.run()
    lost = 2 * wanted * len(case.sources) - len(network.packets)
    beats = (wanted - skip - 1) * case.endpoint.words / timing.words
    return Measured(beats / (last - first), None, lost)


def _round_trips(network: Network, case: Case) -> Measured:
    trips: list[float] = []
    words = network.timing.words
    (source,) = case.sources

    def arrived(packet: Packet) -> None:
        if packet.destination:
            trips.append(network.now - begun)
        else:
            network.at(network.now, lambda: network.send(Packet(0, source, 0, words)))

    network.on_arrival = arrived
    for _ in range(case.packets):
        begun = network.now
        network.send(Packet(source, 0, 0, case.endpoint.words))
        network.run()
    return Measured(None, sum(trips) / len(trips), case.packets - len(trips))


def _in_rtl(loads: Loads, case: Case, channels: Sequence[int], timing: Timing) -> Measured:
    if case.echoes:
        found = loads.echo(case.sources[0], 0, channels[0], case.packets)
        trip = found.round_trips / max(1, found.answers)
        return Measured(None, trip, case.packets - found.answers)
    senders = [(source, channel) for source in case.sources for channel in channels]
    skip = case.packets // 4
    results, lost = loads.rate(senders, 0, skip, case.packets)
    words = case.endpoint.words / timing.words
    share = sum((each.received - skip - 1) * words / max(1, each.cycles) for each in results)
    return Measured(share, None, lost)


def _rows(model: bool, bit_errors: float) -> Iterator[Row]:
    todo = list(cases())
    if model:
        timing = Timing(width=WIDTH, latency=LATENCY, hop=HOP)
        for case in todo:
            yield _row(case, _in_model(case, timing), timing)
        return
    timing = Timing(width=WIDTH, latency=LATENCY, hop=HOP)
    channels: dict[Endpoint, list[int]] = {}
    endpoints: list[Endpoint] = []
    for case in todo:
        given = channels.setdefault(case.endpoint, [])
        while len(given) < case.endpoints:
            given.append(len(endpoints))
            endpoints.append(case.endpoint)
    with tempfile.TemporaryDirectory() as folder:
        made = build("bar", BOARDS)
        described = describe(made, endpoints, Path(folder), width=WIDTH, latency=LATENCY)
        with Cluster(described) as cluster:
            cluster.run(40_000)  # links are trained, sessions are open
            if bit_errors:
                for board, ports in enumerate(made.num_links):
                    for port in range(ports):
                        link = cluster[board].simulation.beat_links[f"link{port}"]
                        link.configure(bit_errors=bit_errors, seed=board * 4 + port)
            loads = Loads(cluster, endpoints)
            for case in todo:
                used = channels[case.endpoint][: case.endpoints]
                yield _row(case, _in_rtl(loads, case, used, timing), timing)


def _row(case: Case, measured: Measured, timing: Timing) -> Row:
    bound = _bound(case, timing)
    kind = case.endpoint

    def gbps(share: float | None) -> float | None:
        return None if share is None else round(share * LINE_GBPS, 3)

    trip = measured.round_trip
    return Row(
        case.figure,
        "bar",
        max(case.sources),
        case.endpoints,
        kind.flow_stride,
        kind.flow_offset,
        kind.buffer_size,
        gbps(measured.share),
        gbps(bound),
        None if trip is None else round(trip / CLOCK_MHZ, 4),
        measured.lost,
    )


def draw(rows: list[Row], file: Path) -> None:
    """Figure 8: bandwidth by stride, one line for each distance; dotted: the law."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axis = pyplot.subplots(figsize=(5, 3.6))
    single = [row for row in rows if row.figure == "8"]
    for hops, marker in zip(sorted({row.hops for row in single}), ("o-", "s-", "^-"), strict=True):
        series = [row for row in single if row.hops == hops]
        strides = [row.stride for row in series]
        axis.plot(
            strides,
            [row.bandwidth_gbps or 0.0 for row in series],
            marker,
            label="1 hop" if hops == 1 else f"{hops} hops",
            markerfacecolor="none",
        )
        axis.plot(strides, [row.bound_gbps or 0.0 for row in series], "k:")
    axis.set(xscale="log", xlabel="FlowStride, packets of 64 bytes", ylabel="Gb/s")
    axis.set_xticks(STRIDES, [str(stride) for stride in STRIDES])
    axis.minorticks_off()
    axis.grid(alpha=0.3)
    axis.legend()
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})
    pyplot.close(figure)


def main(
    design: Path | None,
    json: Path | None,
    *,
    model: Annotated[bool, "the reference model instead of the RTL"] = False,
    errors_per_billion: Annotated[int, "bit errors of the links per 1e9 bits, RTL only"] = 0,
    picture: Annotated[str, "file for a picture of figure 8 (.svg)"] = "",
) -> None:
    """Bandwidth by distance, stride and number of endpoints; senders that contend; round trips."""
    if design:
        raise UserError("this benchmark has its own designs; leave the design file out")
    if picture:
        check_writable(Path(picture))
    rows = list(_rows(model, errors_per_billion / 1e9))
    table = Table("figure", title="A bar of 4 boards, 64-byte packets on links of 20 Gb/s")
    names = list(asdict(rows[0]))[2:]
    for name in names:
        table.add_column(name, justify="right")
    for row in rows:
        values = asdict(row)
        shown = ("" if values[name] is None else str(values[name]) for name in names)
        table.add_row(row.figure, *shown)
    if picture:
        draw(rows, Path(picture))
    source = "model" if model else "rtl"
    report({"source": source, "rows": [asdict(row) for row in rows]}, json, [table])
    if lost := sum(row.lost for row in rows):
        raise UserError(f"{lost} packets were lost, doubled, out of order or wrong")
