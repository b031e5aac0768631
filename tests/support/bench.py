# SPDX-License-Identifier: Apache-2.0
"""A design side by side with the model of it: whatever goes into one goes into the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

from bombus.protocols.frames import Host, Station, announcement, arp_request, ping_frame, udp_frame
from bombus.protocols.stack import ERROR_BURST, ERROR_REFILL_US, Outcome, Stack
from bombus.simulator.counters import DROP
from bombus.simulator.simulation import Simulation
from tests import DESIGNS as TEST_DESIGNS
from tests import ROOT
from tests.support import message_sums

DESIGNS = {
    64: ROOT / "designs" / "udp_echo_10g.yaml",
    128: TEST_DESIGNS / "udp_echo_128.yaml",
    256: TEST_DESIGNS / "udp_echo_256.yaml",
    512: ROOT / "designs" / "udp_echo.yaml",
}
FUSED = ROOT / "designs" / "udp_echo_fused.yaml"
# Every layer cuts ready, for a device with slow wires.
CUT = ROOT / "designs" / "udp_echo_5g.yaml"
# 28 tiles; applications answer after the number of cycles in a datagram's first two bytes.
SCALE = ROOT / "benchmarks" / "scale.yaml"
# The same mesh at 512 bits: its simulator takes minutes to build.
SCALE_28 = ROOT / "designs" / "scale_28.yaml"
# `make test` has the narrowest with a tile for each layer, and the widest in two tiles.
ALL_DESIGNS = [
    pytest.param(
        file, marks=() if file in (DESIGNS[64], FUSED) else pytest.mark.sweep, id=file.stem
    )
    for file in (*DESIGNS.values(), FUSED)
]
ECHO_REPLICAS = ROOT / "designs" / "udp_echo_replicas.yaml"
# Without assertions, since its simulator takes long to build anyway.
UNCHECKED = [SCALE_28]

PEER = Station.of("02:00:00:00:00:63", "10.77.0.99")
GATEWAY = Station.of("02:00:00:00:00:01", "10.77.0.1")
TAGGED = Station.of("02:00:00:00:00:64", "10.77.0.100", tci=0x6123)
# Behind the gateway: its frames come from the gateway's MAC address.
FAR = Station(GATEWAY.mac, b"\xc6\x33\x64\x07")

ARP_TRIES = 3
# An unanswered question is given up after less than this.
GIVE_UP_SECONDS = 5
# Nothing is sent this close to a token of the ICMP rate limit.
REFILL_MARGIN_US = 1000
# A round through the open questions takes 128 cycles.
TIMER_STEP_US = 1000
# Time after which a new address has been announced.
ANNOUNCE_US = 3000
# More than any exchange here takes, so that a stuck design makes a test fail, not hang.
LIMIT_CYCLES = 4_000_000


def _short(frame: bytes) -> str:
    text = frame.hex()
    return f"{len(frame)} bytes {text if len(text) <= 200 else text[:200] + '...'}"


def difference(expected: Iterable[bytes], found: Iterable[bytes], limit: int = 3) -> str:
    """The difference between two multisets of frames, for a message; empty if they are equal."""
    wanted, came = Counter(expected), Counter(found)
    lines = []
    for title, bag in (("missing", wanted - came), ("not expected", came - wanted)):
        if bag:
            lines.append(f"{title}: {sum(bag.values())} frames")
            lines += [f"  {count} x {_short(frame)}" for frame, count in list(bag.items())[:limit]]
    return "\n".join(lines)


def udp_ports(manifest: Mapping[str, Any]) -> frozenset[int]:
    """The UDP ports that a design's applications have."""
    layers = [layer for tile in manifest["tiles"] for layer in tile["layers"]]
    return frozenset(la["params"]["udp_port"] for la in layers if "udp_port" in la["params"])


class Bench:
    """A simulation and its model. All stations in `stations` have introduced themselves.

    Runs with assertions, which cost a quarter of the speed, unless the design is in `UNCHECKED`.
    """

    def __init__(
        self,
        design: Path,
        stations: Sequence[Station] = (PEER, GATEWAY, TAGGED),
        **options: Any,
    ) -> None:
        defaults = {"timer_step_us": TIMER_STEP_US, "assertions": design not in UNCHECKED}
        self.simulation = Simulation(design, **{**defaults, **options})
        manifest = self.simulation.manifest
        self.model = Stack(Host.from_manifest(manifest), udp_ports(manifest))
        self._sequence = 0
        self.after_reset()
        self.introduce(stations)

    @property
    def host(self) -> Host:
        return self.model.host

    def after_reset(self) -> None:
        """Call after a reset: the design announces itself and has lost its state."""
        self.model = Stack(self.model.host, self.model.udp_ports)
        came = [frame.data for frame in self.simulation.receive_all()]
        assert came == [announcement(Host.from_manifest(self.simulation.manifest))]
        self.dropped = self._drop_counters()

    def announced(self) -> None:
        """Call after changing the host's address: it announces the new one, once."""
        self.simulation.elapse(us=ANNOUNCE_US)
        assert [frame.data for frame in self.simulation.receive_all()] == [announcement(self.host)]

    def introduce(self, stations: Iterable[Station]) -> None:
        self.run([arp_request(station, self.host) for station in stations])

    def close(self) -> None:
        self.simulation.close()

    def __enter__(self) -> Bench:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self.conserved()
                self.simulation.check()
        finally:
            self.close()

    # ---- Counters ----

    def counts(self) -> Counter[str]:
        """All counters by name without the tile, summed over tiles."""
        total: Counter[str] = Counter()
        for values in self.simulation.counters().values():
            for name, value in values.items():
                total[name] += value
        return total

    def drops(self) -> Counter[str]:
        """Dropped messages by `layer.reason` since the last call of this or of `run`."""
        now = self._drop_counters()
        change = now - self.dropped
        self.dropped = now
        return _drops(change)

    def _drop_counters(self) -> Counter[str]:
        """As `counts`, without the other counters: each takes cycles to read."""
        total: Counter[str] = Counter()
        for tile in self.simulation.manifest["tiles"]:
            names = {name for name in tile["counters"] if name.startswith(DROP)}
            total.update(self.simulation.tile_counters(tile["name"], names))
        return total

    def conserved(self) -> None:
        """Checks that the message sums of all tiles balance; only messages held by the model
        wait.
        """
        waiting = message_sums.check(self.simulation)
        assert waiting == sum(map(len, self.model.questions.values()))

    # ---- Frames ----

    def predict(self, frames: Iterable[bytes]) -> tuple[list[bytes], Counter[str]]:
        """The model's answers to frames, and the drops."""
        replies: list[bytes] = []
        drops: Counter[str] = Counter()
        for frame in frames:
            outcome = self.model.process(frame)
            replies += outcome.replies
            drops.update(outcome.drops)
        return replies, drops

    def run(
        self, frames: Sequence[bytes], *, ordered: bool = False, **exchange_options: Any
    ) -> list[bytes]:
        """Sends frames and expects exactly the model's answers and drops; returns the answers.

        `ordered`: also in the order of the requests, as on any single path through a design.
        """
        replies, drops = self.predict(frames)
        return self.compare(frames, replies, drops, ordered=ordered, **exchange_options)

    def compare(
        self,
        frames: Sequence[bytes],
        replies: list[bytes],
        drops: Counter[str],
        *,
        ordered: bool,
        **exchange_options: Any,
    ) -> list[bytes]:
        """Sends frames and expects exactly these replies and drops."""
        options = {"limit_cycles": LIMIT_CYCLES, **exchange_options}
        exchange = self.simulation.exchange(frames, **options)
        came = [frame.data for frame in exchange.received]
        assert not exchange.timed_out, f"{len(came)} answers, then nothing in {LIMIT_CYCLES} cycles"
        assert came == replies or not (problem := difference(replies, came)), problem
        assert not ordered or came == replies, "answers came in another order"
        self.expect_drops(drops)
        return came

    def expect_drops(self, drops: Counter[str]) -> None:
        found = self.drops()
        assert found == drops, (
            f"dropped too much: {dict(found - drops)}, too little: {dict(drops - found)}"
        )

    def send_bad(self, frame: bytes) -> None:
        """A frame with a bad FCS."""
        self.simulation.send(frame, bad=True)
        came = [answer.data for answer in self.simulation.receive_all()]
        assert came == list(self.model.process(frame, bad=True).replies)
        self.expect_drops(Counter({"mac_rx.bad_frame": 1}))

    def probes(self, station: Station = PEER) -> list[bytes]:
        """A ping and a datagram that differ from all earlier ones."""
        self._sequence += 1
        mark = self._sequence.to_bytes(4)
        return [
            ping_frame(station, self.host, mark * 5, sequence=self._sequence & 0xFFFF),
            udp_frame(station, self.host, mark * 6),
        ]

    def alive(self, stations: Iterable[Station] = (PEER,)) -> None:
        """Checks that the design answers ping and UDP, and that no layer is stuck."""
        for station in stations:
            assert len(self.run(self.probes(station))) == 2
        assert not self.simulation.in_flight

    # ---- Time ----

    def rest(self) -> None:
        """Lets time pass until the ICMP rate limit is open, and stays so for a while."""
        self.simulation.elapse(us=(ERROR_BURST + 1) * ERROR_REFILL_US)
        past = self.simulation.time_us % ERROR_REFILL_US
        self.simulation.elapse(us=ERROR_REFILL_US - past + REFILL_MARGIN_US)
        self.model.refill()

    def give_up(self) -> None:
        """Lets enough time pass that nothing waits for ARP any more; checks the drops."""
        asked = list(self.model.questions)
        outcome: Outcome = self.model.give_up()
        self.simulation.elapse(seconds=GIVE_UP_SECONDS)
        came = [frame.data for frame in self.simulation.receive_all()]
        repeated = {self.model.question(ip) for vid, ip in asked if vid is None}
        tagged = any(vid is not None for vid, _ in asked)
        # One request for each has already been sent.
        assert tagged or set(came) == repeated
        assert len(came) == (ARP_TRIES - 1) * len(asked)
        self.expect_drops(Counter(outcome.drops))
        self.model.refill()
        assert not self.simulation.busy


def _drops(change: Counter[str]) -> Counter[str]:
    return Counter(
        {name.removeprefix(DROP): n for name, n in change.items() if n and name.startswith(DROP)}
    )
