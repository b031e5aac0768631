# SPDX-License-Identifier: Apache-2.0
"""Bandwidth and latency between boards, as in figures 8 to 11 of the paper on its network.

Source: "A Transport-Layer Network for Distributed FPGA Platforms", section V. Boards in a bar with
cluster_load at each endpoint are simulated, then the collective operations of a torus. `--model`
takes the reference model instead, in which a link has no bit errors. bound_gbps is the law of
`bombus.cluster.law`, and of collective operations what the links allow.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import Annotated

from _cluster_boards import Flow, Loads, describe, start
from _cluster_cases import HOPS, Case, bound, cases
from _cluster_collectives import Operation, operations
from _cluster_report import draw, table

from bombus.base.errors import UserError
from bombus.base.output import check_writable
from bombus.cluster import law, routing
from bombus.cluster.links import CLASSES
from bombus.cluster.model import Endpoint, Network, Packet, Timing
from bombus.cluster.topology import build
from bombus.measure.bench import report

CLOCK_MHZ = 156.25


@dataclass(frozen=True)
class Row:
    """Figures of one measurement; docs/benchmarks.md defines them."""

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
class Measured:
    """What was measured: share of the line's bandwidth, or cycles of a round trip."""

    share: float | None
    round_trip: float | None
    lost: int


# ---- The reference model ----


def _in_model(case: Case, timing: Timing) -> Measured:
    made = build("bar", HOPS + 1)
    kinds = [case.endpoint] * case.endpoints
    network = Network(made, routing.tables(made, CLASSES), kinds, timing)
    if case.echoes:
        return _model_round_trips(network, case)
    wanted, skip = case.packets * case.endpoints, case.skip * case.endpoints
    count = (2 if case.endless else 1) * case.packets
    for source, target in case.flows:
        for channel in range(case.endpoints):
            for _ in range(count):
                network.send(Packet(source, target, channel, case.endpoint.words))
    network.run()
    arrived = [each.arrived for each in network.packets if not each.destination]
    lost = count * case.endpoints * len(case.flows) - len(network.packets)
    beats = (wanted - skip - 1) * case.endpoint.words / timing.words
    first, last = arrived[skip], arrived[wanted - 1]
    assert first is not None and last is not None
    return Measured(beats / (last - first), None, lost)


def _model_round_trips(network: Network, case: Case) -> Measured:
    trips: list[float] = []
    words = network.timing.words
    ((source, _),) = case.flows

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
    return Measured(None, median(trips), case.packets - len(trips))


# ---- The RTL ----


def _in_rtl(loads: Loads, case: Case, channels: Sequence[int], timing: Timing) -> Measured:
    if case.echoes:
        ((source, target),) = case.flows
        trips = loads.echo(source, target, channels[0], case.packets)
        return Measured(None, median(trips) if trips else None, case.packets - len(trips))
    flows = [Flow(*flow, channel) for channel in channels for flow in case.flows]
    words = case.endpoint.words / timing.words
    turn = case.endpoint.flow_stride * words / law.share(case.endpoint, case.hops, timing)
    results, lost = loads.rate(
        flows,
        case.skip,
        case.packets,
        endless=case.endless,
        stagger=round(turn / case.endpoints) if case.endpoints > 1 else 0,
    )
    shares = [result.rate(case.skip) * words for result in results]
    targets = {flow.target for flow in flows}
    return Measured(sum(shares) / len(targets), None, lost)


def _of_boards(todo: Sequence[Case], timing: Timing) -> Iterator[Row]:
    """Cases that share their boards."""
    timing = replace(timing, buffer_beats=todo[0].link_buffer)
    channels: dict[Endpoint, list[int]] = {}
    endpoints: list[Endpoint] = []
    for case in todo:
        given = channels.setdefault(case.endpoint, [])
        while len(given) < case.endpoints:
            given.append(len(endpoints))
            endpoints.append(case.endpoint)
    with tempfile.TemporaryDirectory() as folder:
        described = describe(build("bar", HOPS + 1), endpoints, Path(folder), timing)
        with start(described) as cluster:
            loads = Loads(cluster, endpoints)
            for case in todo:
                for link in range(len(described.links)):
                    cluster.impair(link, bit_errors=case.bit_errors)
                used = channels[case.endpoint][: case.endpoints]
                yield _row(case, _in_rtl(loads, case, used, timing), timing, used)
            cluster.check()


def rows_of_all(timing: Timing, *, model: bool = False, full: bool = False) -> list[Row]:
    """All rows of the benchmark."""
    return list(_rows(timing, model=model, full=full))


def _rows(timing: Timing, *, model: bool, full: bool) -> Iterator[Row]:
    todo = [each for each in cases(full=full) if timing.check or not each.bit_errors]
    if model:
        for case in todo:
            if not case.bit_errors:
                given = replace(timing, buffer_beats=case.link_buffer)
                channels = [0] * case.endpoints
                yield _row(case, _in_model(case, given), given, channels)
        return
    for _, group in groupby(todo, key=lambda case: case.part):
        yield from _of_boards(list(group), timing)
    for operation in operations(timing, full=full):
        yield _of_operation(operation, timing)


def _gbps(share: float | None, timing: Timing) -> float | None:
    return None if share is None else round(share * timing.width * CLOCK_MHZ / 1000, 3)


def _us(cycles: float | None) -> float | None:
    return None if cycles is None else round(cycles / CLOCK_MHZ, 4)


def _row(case: Case, measured: Measured, timing: Timing, channels: Sequence[int]) -> Row:
    kind = case.endpoint
    return Row(
        case.figure,
        "bar",
        case.hops,
        case.endpoints,
        kind.flow_stride if kind.managed else 0,
        kind.flow_offset if kind.managed else 0,
        kind.buffer_size if kind.managed else case.link_buffer,
        _gbps(measured.share, timing),
        _gbps(bound(case, timing, channels), timing),
        _us(measured.round_trip),
        measured.lost,
    )


def _of_operation(operation: Operation, timing: Timing) -> Row:
    share = operation.bound_cycles / operation.cycles if operation.bound_cycles else None
    return Row(
        operation.name,
        operation.topology,
        1,
        operation.boards,
        operation.endpoint.flow_stride,
        operation.endpoint.flow_offset,
        operation.endpoint.buffer_size,
        _gbps(share, timing),
        None if share is None else _gbps(1.0, timing),
        _us(operation.cycles),
        operation.wrong,
    )


def main(
    design: Path | None,
    json: Path | None,
    *,
    model: Annotated[bool, "the reference model instead of the RTL"] = False,
    full: Annotated[bool, "more strides, endpoints and settings"] = False,
    unchecked: Annotated[bool, "links without CRC and retry"] = False,
    pictures: Annotated[str, "folder for the pictures of figures 8 to 11"] = "",
) -> None:
    """Bandwidth by distance, stride and endpoints; senders that contend; links; collectives."""
    if design:
        raise UserError("this benchmark has its own designs; leave the design file out")
    if pictures:
        check_writable(Path(pictures) / "cluster_8.svg")
    timing = Timing(check=not unchecked)
    rows = [asdict(row) for row in rows_of_all(timing, model=model, full=full)]
    if pictures:
        draw(rows, Path(pictures))
    report({"source": "model" if model else "rtl", "rows": rows}, json, [table(rows)])
    if lost := sum(row["lost"] for row in rows):
        raise UserError(f"{lost} packets were lost, doubled, out of order or wrong")
