# SPDX-License-Identifier: Apache-2.0
"""Boards that only send and receive packets, for the benchmark `cluster`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bombus.cluster.description import Description
from bombus.cluster.model import Endpoint, Timing
from bombus.cluster.reading import alike
from bombus.cluster.simulation import Cluster
from bombus.cluster.split import BRIDGE as TILE
from bombus.cluster.topology import Topology

STEP = 1000  # cycles between two looks at the counts
LIMIT = 400  # steps
ENDLESS = 0xFFFF_FFFF
PERIOD = 4700  # cycles between packets that are answered; the scan of sessions has other periods
_DESIGN = """\
name: load_board
data_width: 64
line_rate_gbps: 10
host: {{mac: "02:b0:0b:05:00:01", ip: 10.77.0.2, prefix: 24, gateway: 10.77.0.1}}
tiles:
- name: {tile}
  layers:
  - cluster_node: {{{node}}}
{loads}
  ports: {{{ports}}}
"""


def _parameters(**values: int) -> str:
    return ", ".join(f"{name}: {value}".lower() for name, value in values.items())


def _load(endpoint: Endpoint, channel: int, boards: int, width: int) -> str:
    values = _parameters(
        link_width=width,
        channel=channel,
        num_boards=boards,
        managed=endpoint.managed,
        max_words=endpoint.words,
        buffer_size=endpoint.buffer_size,
        flow_offset=endpoint.flow_offset,
        flow_stride=endpoint.flow_stride,
        init_budget=endpoint.init_budget,
    )
    return f"  - cluster_load: {{{values}}}"


def describe(
    topology: Topology, endpoints: Sequence[Endpoint], folder: Path, timing: Timing
) -> Description:
    """Boards with these endpoints, one for each channel. Writes their design into the folder."""
    boards, width = topology.boards, timing.width
    loads = [_load(each, number, boards, width) for number, each in enumerate(endpoints)]
    return describe_layers(topology, loads, folder, timing)


def describe_layers(
    topology: Topology,
    layers: Sequence[str],
    folder: Path,
    timing: Timing,
    ports: Mapping[str, str] | None = None,
) -> Description:
    """Boards with a node and these layers, lines of YAML. ports: raised ones, but for links."""
    links = max(topology.num_links)
    raised = {f"link{n}": f"link{n}" for n in range(links)} | dict(ports or {})
    design = folder / "load_board.yaml"
    design.write_text(
        _DESIGN.format(
            tile=TILE,
            node=_parameters(
                link_width=timing.width,
                num_links=links,
                num_boards=topology.boards,
                buffer_beats=timing.buffer_beats,
                **({} if timing.check else {"check": False}),
            ),
            loads="\n".join(layers),
            ports=", ".join(f"{port}: {name}" for port, name in raised.items()),
        )
    )
    return alike(design, topology, latency_cycles=timing.latency, tile=TILE)


def start(description: Description, cycles: int = 20_000) -> Cluster:
    """The boards, after cycles in which links are trained and sessions opened."""
    cluster = Cluster(description)
    cluster.run(cycles)
    return cluster


@dataclass(frozen=True)
class Result:
    """What a sink has counted."""

    received: int
    wrong: int
    cycles: int  # from packet `skip` to the last one
    answers: int
    round_trips: int

    def rate(self, skip: int) -> float:
        """Packets per cycle after the first ones."""
        return (self.received - skip - 1) / max(1, self.cycles)


@dataclass(frozen=True)
class Flow:
    """Packets of a channel from a board to another."""

    source: int
    target: int
    channel: int = 0


class Loads:
    """The generators and sinks of a running cluster."""

    def __init__(self, cluster: Cluster, endpoints: Sequence[Endpoint]) -> None:
        self.cluster = cluster
        self.endpoints = endpoints

    def registers(self, board: int, channel: int) -> Any:
        name = f"cluster_load_{channel + 1}" if channel else "cluster_load"
        return self.cluster[board].registers.tiles[TILE][name]

    def echo(self, source: int, target: int, channel: int, packets: int) -> list[int]:
        """Packets one after the other that the target answers; cycles of each round trip."""
        flow = Flow(source, target, channel)
        self._prepare([flow], packets, period=PERIOD)
        self._control(target, channel, echo=1)
        self._control(source, channel, run=1)
        trips: list[int] = []
        total = 0
        for _ in range(packets):
            self.cluster.run(PERIOD)
            found = self._result(source, channel)
            if found.answers > len(trips):
                trips.append(found.round_trips - total)
                total = found.round_trips
        return trips

    def send(self, flow: Flow, packets: int, *, period: int) -> int:
        """One packet in so many cycles. The packets received."""
        self._prepare([flow], packets, period=period)
        self._control(flow.source, flow.channel, run=1)
        self.cluster.run(packets * period + STEP)
        return self._result(flow.target, flow.channel).received

    def rate(
        self,
        flows: Sequence[Flow],
        skip: int,
        packets: int,
        *,
        endless: bool = False,
        stagger: int = 0,
    ) -> tuple[list[Result], int]:
        """Packets of flows. The results at the receivers, and the packets lost or wrong.

        Each sends `packets`; endless: until each receiver has so many. stagger: cycles between the
        starts.
        """
        ends = sorted({(flow.target, flow.channel) for flow in flows})
        self._prepare(flows, ENDLESS if endless else packets, skip=skip)
        begun = self.cluster.cycle
        for number, flow in enumerate(flows):
            self.cluster.run(max(0, begun + number * stagger - self.cluster.cycle))
            self._control(flow.source, flow.channel, run=1)
        for _ in range(LIMIT):
            self.cluster.run(STEP)
            results = [self._result(*end) for end in ends]
            if all(result.received >= packets for result in results):
                break
        for flow in flows:
            self._control(flow.source, flow.channel)
        for _ in range(LIMIT):
            sent = sum(self.registers(each.source, each.channel).sent.count for each in flows)
            last = [self._result(*end) for end in ends]
            if sent == sum(result.received for result in last):
                break
            self.cluster.run(STEP)
        return results, sent - sum(each.received - each.wrong for each in last)

    def _prepare(
        self, flows: Sequence[Flow], packets: int, *, skip: int = 0, period: int = 0
    ) -> None:
        ends = {(flow.target, flow.channel): flow.source for flow in flows}
        ends |= {(flow.source, flow.channel): flow.target for flow in flows}
        for (board, channel), target in sorted(ends.items()):
            at = self.registers(board, channel)
            at.control.write(run=0, clear=1, echo=0, stall=0)
            at.packet.write(target=target, words=self.endpoints[channel].words, period=period)
            at.packets.write(count=packets)
            at.skip.write(count=skip)
            self._control(board, channel)

    def _control(self, board: int, channel: int, *, run: int = 0, echo: int = 0) -> None:
        at = self.registers(board, channel)
        at.control.write(run=run, clear=0, echo=echo, stall=0)

    def _result(self, board: int, channel: int) -> Result:
        at = self.registers(board, channel)
        names = ("received", "wrong", "cycles", "answers", "round_trips")
        return Result(*(getattr(at, name).count for name in names))
