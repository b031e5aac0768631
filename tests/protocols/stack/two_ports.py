# SPDX-License-Identifier: Apache-2.0
"""A design with two MAC ports beside its model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from bombus.protocols.frames import Host, Station, announcement, arp_request, ping_frame, udp_frame
from bombus.protocols.ports import Ports
from bombus.protocols.stack import Outcome
from bombus.simulator.counters import DROP
from bombus.simulator.simulation import Simulation
from tests import DESIGNS as TEST_DESIGNS
from tests import ROOT
from tests.support import message_sums
from tests.support.bench import LIMIT_CYCLES, TIMER_STEP_US, difference

SHARED = ROOT / "designs" / "two_ports.yaml"
EACH = TEST_DESIGNS / "two_stacks.yaml"
BOTH = pytest.mark.parametrize(
    "design",
    [
        pytest.param(SHARED, id="shared stack"),
        pytest.param(EACH, id="stack each", marks=pytest.mark.sweep),
    ],
)
PORTS = (0, 1)
STATIONS = (
    Station.of("02:00:00:00:00:63", "10.77.0.99"),
    Station.of("02:00:00:00:00:64", "10.78.0.99"),
)
# Where the design relays to, and the ports of that.
RELAY_TO = Station.of("02:00:00:00:00:65", "10.78.0.1")
RELAY_PORT = 9000
LINE_GBPS = 10
GAP_CYCLES = 60  # enough for all but a packet with options
Frames = Sequence[tuple[int, bytes]]  # MAC port, frame


class Bench:
    """The design beside its model; both stations have introduced themselves."""

    def __init__(self, design: Path, seed: int = 1) -> None:
        self.simulation = Simulation(
            design, seed=seed, assertions=True, timer_step_us=TIMER_STEP_US
        )
        self.is_shared = design == SHARED
        self.hosts = [Host.from_manifest(self.simulation.manifest, port) for port in PORTS]
        self.start()

    def start(self) -> None:
        """After a reset: each port announces itself, and all is forgotten."""
        self.forget()
        for port, host in enumerate(self.hosts):
            frames = [frame.data for frame in self.simulation.receive_all(port)]
            assert frames == [announcement(host)]
        self.introduce()

    def forget(self) -> None:
        """A fresh model."""
        self.model = Ports(self.hosts, share_errors=self.is_shared)

    def introduce(self) -> None:
        self.dropped = self._drop_counters()
        self.run([(port, arp_request(STATIONS[port], self.hosts[port])) for port in PORTS])

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            waiting = message_sums.check(self.simulation)
            questions = [stack.questions for stack in self.model.stacks]
            assert waiting == sum(len(queue) for asked in questions for queue in asked.values())
            self.simulation.check()
        self.simulation.close()

    def _drop_counters(self) -> Counter[str]:
        total: Counter[str] = Counter()
        for tile in self.simulation.manifest["tiles"]:
            names = {name for name in tile["counters"] if name.startswith(DROP)}
            total.update(self.simulation.tile_counters(tile["name"], names))
        return total

    def drops(self) -> Counter[str]:
        """By `layer.reason`, since the last call."""
        now = self._drop_counters()
        change, self.dropped = now - self.dropped, now
        return Counter({name.removeprefix(DROP): n for name, n in change.items()})

    def predict(self, frames: Frames) -> tuple[list[list[bytes]], Counter[str]]:
        replies: list[list[bytes]] = [[] for _ in PORTS]
        drops: Counter[str] = Counter()
        for port, frame in frames:
            self.add(replies, drops, port, self.model.process(frame, port))
        return replies, drops

    @staticmethod
    def add(replies: list[list[bytes]], drops: Counter[str], port: int, outcome: Outcome) -> None:
        replies[port] += outcome.replies
        drops.update(outcome.drops)

    def run(self, frames: Frames, gap_cycles: int = 0) -> None:
        self.compare(frames, *self.predict(frames), gap_cycles=gap_cycles)

    def compare(
        self, frames: Frames, replies: list[list[bytes]], drops: Counter[str], gap_cycles: int = 0
    ) -> None:
        """Exactly these replies come, each by its port, and these drops are counted."""
        exchange = self.simulation.exchange(
            [frame for _, frame in frames],
            ports=[port for port, _ in frames],
            gap_cycles=gap_cycles,
            limit_cycles=LIMIT_CYCLES,
        )
        assert not exchange.timed_out
        for port in PORTS:
            came = [frame.data for frame in exchange.received if frame.port == port]
            assert not (problem := difference(replies[port], came)), f"port {port}: {problem}"
        found = self.drops()
        assert found == drops, (found, drops)

    def probes(self, mark: bytes = b"probe") -> list[tuple[int, bytes]]:
        return [
            (port, make(STATIONS[port], self.hosts[port], mark * (port + 1)))
            for port in PORTS
            for make in (ping_frame, udp_frame)
        ]
