# SPDX-License-Identifier: Apache-2.0
"""Software of collective operations: the layers `cluster_collect` of a running cluster.

    ring = Ring(cluster, ring_order(topology.graph))
    sums = ring.all_reduce(vectors, is_float=True)

Vectors are arrays of 32-bit words (`bombus.cluster.collectives`), in the order of the ring, as long
as each other and a multiple of a beat. The command is the first beat of a message (`command_t` of
rtl/cluster/collectives/collective_pkg.sv).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum

import numpy as np

from bombus.base.errors import UserError
from bombus.cluster.collectives import Words
from bombus.cluster.simulation import Cluster
from bombus.cluster.split import BRIDGE

LAYER = "cluster_collect"
_STEP = 16  # cycles between two looks at the results


class Operation(IntEnum):
    """`collective_pkg::op_e`."""

    BARRIER = 0
    BROADCAST = 1
    REDUCE = 2
    ALL_REDUCE = 3


class Ring:
    """Boards of a running cluster in the order of a ring, for operations one after the other.

    order: numbers of all boards of the ring. tile: that has the layer, on each board. The streams
    of the layer are raised as `vector` and `result`. An operation raises UserError if boards have
    no result after `limit` cycles.
    """

    def __init__(
        self, cluster: Cluster, order: Sequence[int], *, tile: str = BRIDGE, limit: int = 200_000
    ) -> None:
        self.order = tuple(order)
        self.cycles = 0  # from the first command of the last operation to its last result
        self.beat_bytes = cluster.link_bits(0) // 8
        self._cluster, self._limit = cluster, limit
        self._tag = 0
        for position, board in enumerate(order):
            register = getattr(cluster[board].registers.tiles[tile], LAYER).ring
            register.write(
                position=position,
                last=len(order) - 1,
                following=order[(position + 1) % len(order)],
                preceding=order[position - 1],
            )
            register.read()  # it is written now

    def barrier(self) -> None:
        """Ends when all boards have begun it."""
        self._run(Operation.BARRIER, {}, 0)

    def broadcast(self, vector: Words, root: int = 0) -> list[Words]:
        """The vector of the board at position `root`, as each board has received it."""
        return self._run(Operation.BROADCAST, {root: vector}, len(vector), root=root)

    def reduce(self, vectors: Sequence[Words], root: int = 0, *, is_float: bool = False) -> Words:
        """The sum of the vectors at position `root`: of int32, or of float32."""
        given = dict(enumerate(vectors))
        count = len(vectors[0])
        return self._run(Operation.REDUCE, given, count, root=root, is_float=is_float)[root]

    def all_reduce(self, vectors: Sequence[Words], *, is_float: bool = False) -> list[Words]:
        """The sum of the vectors, as each board has it."""
        given = dict(enumerate(vectors))
        return self._run(Operation.ALL_REDUCE, given, len(vectors[0]), is_float=is_float)

    def _run(
        self,
        operation: Operation,
        vectors: Mapping[int, Words],
        words: int,
        *,
        root: int = 0,
        is_float: bool = False,
    ) -> list[Words]:
        """The results by position; empty where a board has none."""
        beats, rest = divmod(4 * words, self.beat_bytes)
        if rest or any(len(vector) != words for vector in vectors.values()):
            raise UserError(
                f"vectors should have the same length, a multiple of {self.beat_bytes // 4} words"
            )
        self._tag = (self._tag + 1) % 256
        command = beats | root << 20 | is_float << 28 | operation << 29 | self._tag << 31
        head = command.to_bytes(self.beat_bytes, "little")
        begun = self._cluster.cycle
        for position, board in enumerate(self.order):
            part = vectors[position].tobytes() if position in vectors else b""
            self._cluster[board].call("streams.vector.send", head + part)
        found: dict[int, Words] = {}
        while len(found) < len(self.order):
            self._cluster.run(_STEP)
            for position, board in enumerate(self.order):
                if position in found:
                    continue
                if (message := self._cluster[board].call("streams.result.receive")) is None:
                    break  # most boards end at the same time
                found[position] = np.frombuffer(message.data, np.uint32)
            if self._cluster.cycle - begun > self._limit:
                late = ", ".join(map(str, sorted({*range(len(self.order))} - found.keys())))
                raise UserError(f"no result after {self._limit} cycles at positions {late}")
        self.cycles = self._cluster.cycle - begun
        return [found[position] for position in range(len(self.order))]
