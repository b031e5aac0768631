# SPDX-License-Identifier: Apache-2.0
"""A client and a server at a wire: two simulated TCP engines, programs as their applications."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import bombus
from bombus.protocols.tcp.sockets import Connection, Sockets
from bombus.simulator.build import Library
from bombus.simulator.simulation import Simulation
from tests import ROOT
from tests.protocols.tcp.tcp_link import Link

HOST = ROOT / "docs" / "examples" / "tcp_host" / "tcp_host.yaml"
SERVER, CLIENT = "10.77.0.2", "10.77.0.3"
CLIENT_MAC = "02:b0:0b:05:00:02"
SESSIONS = 16
COARSE_US = 2000


class Pair:
    """The client is always the example with `tcp_host`, or a variant of it.

    `coarse`: timers fire up to a few times COARSE_US late, for tests that wait for many of them.
    """

    def __init__(
        self,
        stack: ExitStack,
        design: Path | Library = HOST,
        pace: float = 0.0,
        *,
        near: Path | Library = HOST,
        seed: int = 0,
        coarse: bool = False,
    ) -> None:
        options: dict[str, Any] = {"assertions": True, "rx_bubble": pace, "tx_stall": pace}
        if coarse:
            options["timer_step_us"] = COARSE_US
        self.far = stack.enter_context(Simulation(design, seed=2 * seed + 1, **options))
        self.near = stack.enter_context(Simulation(near, seed=2 * seed + 2, **options))
        self.near.set_host(mac=CLIENT_MAC, ip=CLIENT)
        self.link = Link(self.far, self.near, *([COARSE_US] if coarse else []))
        self.link.run(50)
        self.client = bombus.sockets(self.near)

    @property
    def ends(self) -> tuple[Simulation, Simulation]:
        return self.near, self.far

    @property
    def server(self) -> Sockets:
        return bombus.sockets(self.far)

    def connected(self, port: int = 80, timeout: float = 1) -> tuple[Connection, Connection]:
        """Both ends of a connection."""
        if port not in self.server.listeners:
            self.server.listen(port)
        near = self.client.connect(SERVER, port, timeout=timeout)
        return near, self.server.listeners[port].accept(timeout=timeout)

    def settle(self, limit_s: float = 4) -> None:
        """Until all sessions are free again."""
        self.link.settle(limit_s)
