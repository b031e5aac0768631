# SPDX-License-Identifier: Apache-2.0
"""Simulated designs at the ends of wires, in one virtual time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import bombus
from bombus.protocols.tcp.sockets import Sockets
from bombus.simulator.simulation import Simulation

STEP_US = 2  # while something is in flight
LONG_STEP_US = 500  # while all wait for timers, by default
TIME_WAIT_US = 1_000_100  # the default of the engine, and a little


class Link:
    """Connects MAC port 0 of `left` and `right`; waiting for sockets advances all.

    `further`: designs whose MAC port 0 is connected to port 1 of `left`, port 2, and so on.
    """

    def __init__(
        self,
        left: Simulation,
        right: Simulation,
        long_step_us: int = LONG_STEP_US,
        *,
        further: Sequence[Simulation] = (),
    ) -> None:
        self.ends = (left, right, *further)
        # The MAC port of the source, by source and target
        self._ports: dict[tuple[Simulation, Simulation], int] = {}
        for port, end in enumerate(self.ends[1:]):
            self._ports[left, end] = port
            self._ports[end, left] = 0
        self._long_step_us = long_step_us
        self.sockets: list[Sockets] = []
        # What becomes of a frame from one end on its way to the other
        self.carry: Callable[[Simulation, Simulation, bytes], None] = self.deliver
        for end in self.ends:
            wired = {port for (source, _), port in self._ports.items() if source is end}
            for port in set(range(end.mac_ports)) - wired:
                end.link(port, up=False)
            if any(stream.kinds for stream in end.streams.values()):
                bombus.sockets(end).pass_time = self.step
                self.sockets.append(bombus.sockets(end))

    def deliver(self, source: Simulation, target: Simulation, frame: bytes) -> None:
        target.send(frame, self._ports[target, source])

    def step(self, most_us: int = STEP_US) -> None:
        """Advances by a short step, or a longer one if nothing is in flight."""
        self._pass()  # time may have passed without the link, as while registers were read
        busy = any(end.in_flight for end in self.ends)
        us = min(most_us, STEP_US if busy else self._long_step_us)
        for end in self.ends:
            end.elapse(us=us)
        self._pass()
        for sockets in self.sockets:
            sockets.poll()

    def _pass(self) -> None:
        """Passes on all frames that have left a design."""
        for (source, target), port in self._ports.items():
            while (frame := source.receive(port, timeout_cycles=0)) is not None:
                self.carry(source, target, frame.data)

    def wait(self, is_done: Callable[[], bool], limit_s: float, what: str) -> None:
        """Lets time pass until a condition holds; TimeoutError after `limit_s` seconds."""
        end = self.ends[0].time_us + round(limit_s * 1_000_000)
        while not is_done():
            if (left := end - self.ends[0].time_us) <= 0:
                raise TimeoutError(f"{what} in {limit_s} seconds")
            self.step(left)

    def run(self, us: int) -> None:
        end = self.ends[0].time_us + us
        while (left := end - self.ends[0].time_us) > 0:
            self.step(left)

    def settle(self, limit_s: float = 4) -> None:
        """Until all sessions are free again."""
        self.wait(
            lambda: not any(sockets.connections for sockets in self.sockets),
            limit_s,
            "sessions that are not free",
        )
        self.run(TIME_WAIT_US)
