# SPDX-License-Identifier: Apache-2.0
"""Distribution among packet processors, by number, changed while the design runs.

    distribution = bombus.processors(simulation).distribution
    distribution.disable(3)
    distribution.policy = "round_robin"

Frames go to tiles (`Balancer`), and where a tile has several processors, to one of its lanes. What
is changed takes effect at once for all; before it does, sources with a register `gate.hold` hold
their frames until the processors have finished what they have. So nothing of a flow overtakes what
came before it, unless a program has not finished after `HOLD_CYCLES`: `undrained` counts that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from bombus.design.rtl import constant
from bombus.simulator.balancer import IN_TURN, Balancer, Shares
from bombus.simulator.simulation import Simulation

BY_FLOW = "flow_hash"
BY_LOAD = "least_loaded"
_UNORDERED = (IN_TURN, BY_LOAD)  # policies that keep no order
HOLD_CYCLES = 2000
# Cycles without movement after which no message can still be in flight to a tile.
QUIET_CYCLES = 192
COUNTER_LAG = 64  # cycles


@dataclass(frozen=True)
class Position:
    """Position of a packet processor in the design."""

    tile: str
    layer: str
    lane: int | None  # number within its tile, from 0; None if it is the only one
    registers: Any  # of the layer

    @property
    def name(self) -> str:
        return self.tile if self.lane is None else f"{self.tile}.{self.layer}"


class Requests(Protocol):
    """Requests of processors to their host; there may be none."""

    def open_requests(self, processor: int | None = None) -> int:
        """Requests whose answer has not left the host, of a processor or of all."""
        ...

    def flight_cycles(self) -> int:
        """Longest time of a request on its way to the host, beyond that of a short one."""
        ...


class _Lanes:
    """The registers that distribute a tile's messages among its processors."""

    def __init__(self, block: Any) -> None:
        self._block = block

    def write(self, lanes: Sequence[int], *, in_turn: bool) -> None:
        """`lanes`: lanes that get messages; flows of other lanes are moved to one of these."""
        most = constant("rpu_tile_pkg::MaxLanes")
        own = [flow % most for flow in range(1 << constant("rpu_tile_pkg::FlowBits"))]
        # The others' share is spread evenly.
        given = [
            lane if lane in lanes else lanes[flow // most % len(lanes)]
            for flow, lane in enumerate(own)
        ]
        width = (most - 1).bit_length()
        self._block.flows.lanes = sum(lane << width * flow for flow, lane in enumerate(given))
        self._block.share.write(lanes=sum(1 << lane for lane in lanes), in_turn=int(in_turn))


class Distribution(Shares):
    """The distribution among the packet processors of a design.

    Within a tile, frames go to its lanes by flow; under `round_robin` and `least_loaded` they go to
    the lanes in turn, except to those without room.

    `undrained`: changes made while processors still had messages, which may have been overtaken.
    `drained`: whether none had when the last change was made.
    """

    def __init__(
        self,
        simulation: Simulation,
        positions: Sequence[Position],
        balancer: Balancer | None,
        requests: Requests,
    ) -> None:
        super().__init__(len(positions))
        self._simulation = simulation
        self._positions = list(positions)
        self._requests = requests
        self._balancer = balancer
        self._in_turn = balancer is not None and balancer.policy in _UNORDERED
        self.undrained = 0
        self.drained = False
        self._lanes = {}
        self._gates = []
        gated = []
        for tile in simulation.manifest["tiles"]:
            block = simulation.registers.tiles[tile["name"]]
            for name in (layer["name"] for layer in tile["layers"]):
                if name not in block:
                    continue
                if set(block[name]) >= {"share", "flows"}:
                    self._lanes[tile["name"]] = _Lanes(block[name])
                if "gate" in set(block[name]):
                    self._gates.append(block[name].gate)
                    gated.append(tile["name"])
        # Addresses of counters: of the sources, which also have the MAC ports, and of processors
        self._set_out, self._arrived = self._counters(gated)
        self._left, self._come = self._counters(self._tiles())

    def begin(self, number: int) -> None:
        """A processor starts: its tile distributes by flow after a reset."""
        if self._in_turn:
            self._write_lanes(self._positions[number].tile, self._enabled)

    @property
    def policies(self) -> list[str]:
        return self._balancer.policies if self._balancer else [BY_FLOW, IN_TURN]

    def _current(self) -> str:
        if self._balancer:
            return self._balancer.policy
        return IN_TURN if self._in_turn else BY_FLOW

    def _switch(self, policy: str) -> None:
        with self._held():
            if self._balancer:
                self._balancer.policy = policy
            self._in_turn = policy in _UNORDERED
            for tile in self._lanes:
                self._write_lanes(tile, self._enabled)

    def _share(self, enabled: set[int]) -> None:
        with self._held():
            for tile in self._tiles():
                own = {n for n, each in enumerate(self._positions) if each.tile == tile}
                if own & enabled != own & self._enabled:
                    self._write_lanes(tile, enabled)
                if self._balancer is None or tile not in self._balancer.tiles:
                    continue
                number = self._balancer.tiles.index(tile)
                if (number in self._balancer.enabled) != bool(own & enabled):
                    if own & enabled:
                        self._balancer.enable(number)
                    else:
                        self._balancer.disable(number)

    def _counters(self, tiles: Iterable[str]) -> tuple[list[int], list[int]]:
        """Addresses of the low words of the counters of messages that leave and enter tiles."""
        counters = [self._simulation.registers.tiles[tile].counters for tile in tiles]
        out = [each.noc_out_messages.where() for each in counters]
        return out, [each.noc_in_messages.where() for each in counters]

    def _tiles(self) -> list[str]:
        return list(dict.fromkeys(each.tile for each in self._positions))

    def _write_lanes(self, tile: str, enabled: set[int]) -> None:
        """Writes the enabled lanes of a tile; if there are none, all lanes, for messages that may
        still arrive.
        """
        positions = list(enumerate(self._positions))
        lanes = [each.lane or 0 for n, each in positions if each.tile == tile and n in enabled]
        every = [each.lane or 0 for _, each in positions if each.tile == tile]
        if tile in self._lanes:
            self._lanes[tile].write(lanes or every, in_turn=self._in_turn)

    # ---- Order ----

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Inside, the sources hold their frames and the processors have none."""
        for gate in self._gates:
            gate.hold = 1
        try:
            self.drained = bool(self._gates) and self._drain()
            self.undrained += not self.drained
            yield
        finally:
            for gate in self._gates:
                gate.hold = 0

    def _drain(self) -> bool:
        """Waits until nothing is in flight or inside, or for `HOLD_CYCLES`; whether nothing is.

        The sources have little room for what they hold, so it asks without pause. Where all
        messages to the processors are those of the sources, and all others go back to the same
        tiles, it counts; otherwise it waits until nothing moves.
        """
        simulation = self._simulation
        start = quiet_since = simulation.cycle
        host_cycles = self._requests.flight_cycles()
        before: tuple[int, ...] = ()
        while simulation.cycle - start < HOLD_CYCLES:
            # The end of a way before its beginning, so that what is in flight is never missed, and
            # the beginning when all that has passed it has been counted.
            come = self._sum(self._come)
            self._pass(start + COUNTER_LAG)
            set_out = self._sum(self._set_out)
            slots = any(each.registers.status["slots"] for each in self._positions)
            if slots or self._requests.open_requests():
                before = ()
                continue
            counted = simulation.cycle + COUNTER_LAG
            arrived = self._sum(self._arrived)
            self._pass(counted)
            left = self._sum(self._left)
            now = come, arrived, set_out, left
            if not host_cycles and (come, arrived) == (set_out, left) and self._is_last(set_out):
                return True
            if now != before:
                before, quiet_since = now, simulation.cycle
            elif simulation.cycle - quiet_since >= QUIET_CYCLES + host_cycles:
                return True
        return False

    def _is_last(self, set_out: int) -> bool:
        """Whether nothing more has set out: under `least_loaded` a message may have waited for room
        behind its gate.
        """
        return self._current() != BY_LOAD or self._sum(self._set_out) == set_out

    def _pass(self, cycle: int) -> None:
        """Advances to a cycle, if it has not passed."""
        self._simulation.advance(max(0, cycle - self._simulation.cycle))

    def _sum(self, addresses: Sequence[int]) -> int:
        """Sum of counters, without what overflows a word."""
        return sum(map(self._simulation.read_register, addresses)) & 0xFFFFFFFF
