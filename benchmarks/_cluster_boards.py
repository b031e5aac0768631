# SPDX-License-Identifier: Apache-2.0
"""Boards that only send and receive packets, for the benchmark `cluster`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bombus.cluster import routing
from bombus.cluster.description import BoardDescription, Description, LinkDescription, RegisterWrite
from bombus.cluster.links import CLASSES, Links
from bombus.cluster.model import Endpoint
from bombus.cluster.simulation import Cluster
from bombus.cluster.split import BRIDGE as TILE
from bombus.cluster.split import NODE
from bombus.cluster.topology import Topology

STEP = 1000  # cycles between two looks at the counts
LIMIT = 400  # steps
_DESIGN = """\
name: load_board
data_width: 64
line_rate_gbps: 10
host: {{mac: "02:b0:0b:05:00:01", ip: 10.77.0.2, prefix: 24, gateway: 10.77.0.1}}
tiles:
- name: {tile}
  layers:
  - cluster_node: {{link_width: {width}, num_links: {links}, num_boards: {boards}}}
{loads}
  ports: {{{ports}}}
"""


def _load(endpoint: Endpoint, channel: int, boards: int, width: int) -> str:
    return (
        f"  - cluster_load: {{link_width: {width}, channel: {channel}, "
        f"num_boards: {boards}, managed: {str(endpoint.managed).lower()}, "
        f"max_words: {endpoint.words}, buffer_size: {endpoint.buffer_size}, "
        f"flow_offset: {endpoint.flow_offset}, flow_stride: {endpoint.flow_stride}, "
        f"init_budget: {endpoint.init_budget}}}"
    )


def describe(
    topology: Topology, endpoints: Sequence[Endpoint], folder: Path, *, width: int, latency: int
) -> Description:
    """Boards with these endpoints, one for each channel. Writes their design into the folder."""
    links = max(topology.num_links)
    design = folder / "load_board.yaml"
    design.write_text(
        _DESIGN.format(
            tile=TILE,
            width=width,
            links=links,
            boards=topology.boards,
            loads="\n".join(
                _load(each, number, topology.boards, width) for number, each in enumerate(endpoints)
            ),
            ports=", ".join(f"link{n}: link{n}" for n in range(links)),
        )
    )
    found = Links(topology, routing.tables(topology, CLASSES))
    boards = []
    for board, name in enumerate(topology.names):
        writes = tuple(
            RegisterWrite(TILE, register, value, NODE, index)
            for register, index, value in found.registers(board)
        )
        boards.append(BoardDescription(board, name, design, writes))
    joined = tuple(LinkDescription(*link.ends, latency) for link in topology.links)
    return Description("load", tuple(boards), joined)


@dataclass(frozen=True)
class Result:
    """What a sink has counted."""

    received: int
    wrong: int
    cycles: int  # from packet `skip` to the last one
    answers: int
    round_trips: int


class Loads:
    """The generators and sinks of a running cluster."""

    def __init__(self, cluster: Cluster, endpoints: Sequence[Endpoint]) -> None:
        self.cluster = cluster
        self.endpoints = endpoints

    def registers(self, board: int, channel: int) -> Any:
        name = f"cluster_load_{channel + 1}" if channel else "cluster_load"
        return self.cluster[board].registers.tiles[TILE][name]

    def echo(self, source: int, target: int, channel: int, packets: int) -> Result:
        """Packets one after the other that the target answers; what the source has counted."""
        period = 4000
        self._prepare([(source, channel)], target, packets, period=period)
        self._start([(source, channel)], target, echo=True)
        self.cluster.run(packets * period)
        return self._result(source, channel)

    def rate(
        self, senders: Sequence[tuple[int, int]], target: int, skip: int, packets: int
    ) -> tuple[list[Result], int]:
        """Endless packets from (board, channel) to a board. The results there by channel, when each
        channel has received `packets`, and the packets lost or wrong until all have arrived.
        """
        channels = sorted({channel for _, channel in senders})
        self._prepare(senders, target, 0xFFFF_FFFF, skip=skip)
        self._start(senders, target)
        for _ in range(LIMIT):
            self.cluster.run(STEP)
            results = [self._result(target, channel) for channel in channels]
            if all(result.received >= packets for result in results):
                break
        for board, channel in senders:
            self.registers(board, channel).control.write(run=0, clear=0, echo=0, stall=0)
        for _ in range(LIMIT):
            self.cluster.run(STEP)
            sent = sum(self.registers(*sender).sent.count for sender in senders)
            last = [self._result(target, channel) for channel in channels]
            if sent == sum(result.received for result in last):
                break
        return results, sent - sum(each.received - each.wrong for each in last)

    def _prepare(
        self,
        senders: Sequence[tuple[int, int]],
        target: int,
        packets: int,
        *,
        skip: int = 0,
        period: int = 0,
    ) -> None:
        ends = {*senders, *((target, channel) for _, channel in senders)}
        for board, channel in sorted(ends):
            at = self.registers(board, channel)
            at.control.write(run=0, clear=1, echo=0, stall=0)
            at.packet.write(target=target, words=self.endpoints[channel].words, period=period)
            at.packets.write(count=packets)
            at.skip.write(count=skip)

    def _start(
        self, senders: Sequence[tuple[int, int]], target: int, *, echo: bool = False
    ) -> None:
        for channel in sorted({channel for _, channel in senders}):
            at = self.registers(target, channel)
            at.control.write(run=0, clear=0, echo=int(echo), stall=0)
        for board, channel in senders:
            self.registers(board, channel).control.write(run=1, clear=0, echo=0, stall=0)

    def _result(self, board: int, channel: int) -> Result:
        at = self.registers(board, channel)
        names = ("received", "wrong", "cycles", "answers", "round_trips")
        return Result(*(getattr(at, name).count for name in names))
