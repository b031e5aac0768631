# SPDX-License-Identifier: Apache-2.0
"""A small flit-level simulation of a cluster: wormhole routers with one buffer a link.

Each cycle, a channel moves at most one flit into the buffer at its end. A packet holds the channels
from its tail to its head; a packet at its destination is taken at once.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from bombus.cluster.routing import AnyTables
from bombus.cluster.topology import Port, Topology


@dataclass
class Packet:
    source: int
    target: int
    number: int  # class
    flits: int
    arrived: int = 0


Flit = tuple[Packet, bool]  # the packet, and whether this is its last flit


@dataclass
class Network:
    topology: Topology
    routes: AnyTables
    depth: int = 2  # flits of a buffer
    arrived: list[Packet] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.buffers: dict[Port, deque[Flit]] = {c: deque() for c in self.topology.channels}
        # One source queue for each packet, so that all sources compete at once.
        self.sources: list[deque[Flit]] = []
        self.owner: dict[Port, deque[Flit] | None] = dict.fromkeys(self.topology.channels)
        self.turn = 0

    def send(self, packets: Iterable[Packet]) -> None:
        for packet in packets:
            flits = ((packet, n == packet.flits - 1) for n in range(packet.flits))
            self.sources.append(deque(flits))

    def _step(self) -> bool:
        """One cycle; whether a flit has moved."""
        waiting: list[tuple[int, deque[Flit]]] = [
            (self.topology.peers[channel].board, buffer) for channel, buffer in self.buffers.items()
        ]
        waiting += [(queue[0][0].source, queue) for queue in self.sources if queue]
        first = self.turn % len(waiting) if waiting else 0
        self.turn += 1
        room = {c: self.depth - len(buffer) for c, buffer in self.buffers.items()}
        fresh: list[tuple[deque[Flit], Flit]] = []
        moved = False
        taken: set[Port] = set()
        for board, queue in waiting[first:] + waiting[:first]:
            if not queue:
                continue
            packet, is_last = queue[0]
            if packet.target == board:
                queue.popleft()
                packet.arrived += 1
                moved = True
                if is_last:
                    self.arrived.append(packet)
                continue
            channel = Port(board, self.routes[board][packet.number][packet.target])
            if self.owner[channel] is None:
                self.owner[channel] = queue
            if self.owner[channel] is not queue or channel in taken or room[channel] < 1:
                continue
            taken.add(channel)
            moved = True
            fresh.append((self.buffers[channel], queue.popleft()))
            if is_last:
                self.owner[channel] = None
        for buffer, flit in fresh:
            buffer.append(flit)
        self.sources = [queue for queue in self.sources if queue]
        return moved

    def run(self) -> bool:
        """Until nothing moves; whether all flits have arrived. False: a deadlock."""
        while self._step():
            pass
        return not self.sources and not any(self.buffers.values())


def random_packets(topology: Topology, classes: int, count: int, seed: int) -> list[Packet]:
    rng = random.Random(seed)
    return [
        Packet(*rng.sample(range(topology.boards), 2), rng.randrange(classes), rng.choice((1, 5)))
        for _ in range(count)
    ]
