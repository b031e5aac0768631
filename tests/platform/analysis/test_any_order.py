# SPDX-License-Identifier: Apache-2.0
"""Chains that visit tiles in any order: with a window they never stall, with one that is too
large they do."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from bombus.generation import generate
from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.frames import Host, udp_frame
from bombus.simulator.build import build_library
from bombus.simulator.counters import DROP
from bombus.simulator.simulation import Simulation
from bombus.simulator.stalls import ring
from tests import DESIGNS as TEST_DESIGNS
from tests.support import message_sums

pytestmark = pytest.mark.slow

DESIGN = TEST_DESIGNS / "any_order.yaml"
STATIONS = (1, 2, 3)
DROP_INSIDE, CUT = 5, 6  # of station.sv
PORTS = (7000, 7001)
# Two sources share the window, and two replicas a station.
VARIANT = (
    ("udp_rx, itinerary]", "udp_rx, itinerary, {itinerary: {udp_port: 7001}}]"),
    ("station: 3, next", "station: 3, replicas: 2, dispatch: round_robin, next"),
    ("at: [1, 1]", "at: [[1, 1], [0, 2]]"),
    ("window: auto", "algorithm: o1turn, window: auto"),
)


def changed(folder: Path, *edits: tuple[str, str]) -> Path:
    """The design with texts replaced."""
    text = DESIGN.read_text()
    for old, new in (("sources: [", f"sources: [{DESIGN.parent}/"), *edits):
        assert old in text, old
        text = text.replace(old, new)
    file = folder / DESIGN.name
    file.write_text(text.replace(", station.sv", f", {DESIGN.parent}/station.sv"))
    return file


def steps(random: Random, *, losses: bool) -> int:
    """The start of a datagram: 2 to 5 visits, never the same station twice in a row."""
    visits: list[int] = []
    for _ in range(random.randint(2, 5)):
        visits.append(random.choice([each for each in STATIONS if [each] != visits[-1:]]))
    if losses and random.random() < 0.3:
        # Dropped by a layer or for want of a route, or cut to a beat.
        visits[-1] = random.choice((DROP_INSIDE, CUT, visits[-2]))
    return sum(visit << 3 * n for n, visit in enumerate(visits))


def datagrams(
    simulation: Simulation, count: int, *, seed: int, losses: bool, ports: Sequence[int] = PORTS[:1]
) -> list[bytes]:
    random = Random(seed)
    host, station = Host.from_manifest(simulation.manifest), neighbour(simulation.manifest)
    sizes = (0, 20, 60, 1400)
    return [
        udp_frame(
            station,
            host,
            steps(random, losses=losses).to_bytes(2, "little")
            + bytes(random.choice((*sizes, random.randrange(1400), random.randrange(9000)))),
            port=random.choice(ports),
        )
        for _ in range(count)
    ]


def drops(simulation: Simulation) -> Counter[str]:
    found: Counter[str] = Counter()
    for tile in simulation.manifest["tiles"]:
        counters = simulation.tile_counters(tile["name"])
        found.update({key: n for key, n in counters.items() if key.startswith(DROP) and n})
    return found


@pytest.mark.parametrize(
    "edits",
    [
        pytest.param((), id="one source"),
        pytest.param(VARIANT, marks=pytest.mark.sweep, id="two sources and replicas"),
    ],
)
def test_with_a_window_it_never_stalls(
    edits: Sequence[tuple[str, str]], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with Simulation(changed(tmp_path, *edits), assertions=True) as simulation:
        message_sums.leave_out(simulation)
        introduce(simulation, neighbour(simulation.manifest))
        simulation.watch(5_000)
        sent = came = 0
        # Credits of flits that leave in a layer, or before entering the mesh, are returned too:
        # together they exceed a window.
        for seed, losses, stalled in ((1, False, 0.0), (2, True, 0.0), (3, True, 0.5)):
            simulation.pace(tx_stall=stalled)
            ports = PORTS if edits else PORTS[:1]
            frames = datagrams(simulation, 1_000, seed=seed, losses=losses, ports=ports)
            came += len(simulation.exchange(frames, limit_cycles=300_000).received)
            sent += len(frames)
            assert simulation.stalls() == []
            assert not simulation.in_flight
            assert came + drops(simulation).total() == sent
            # All credits are back, soon after the last message.
            simulation.advance(2_000)
            window = simulation.registers.window[0]
            assert window.in_flight.flits == 0
            assert window.waited.cycles > 0
        # Flits are in flight while messages are, and no source waits when there is nothing to send.
        waited = window.waited.cycles
        simulation.advance(1_000)
        assert window.waited.cycles == waited
        for frame in datagrams(simulation, 100, seed=4, losses=False):
            simulation.send(frame)
        highest = 0
        while simulation.in_flight:
            simulation.advance(100)
            highest = max(highest, window.in_flight.flits)
        assert highest > 1
        found = drops(simulation)
        assert min(found["drop.no_route"], found["drop.station.wanted"]) > 100
        simulation.check()
    ctypes.CDLL(None).fflush(None)
    assert "Assertion failed" not in "".join(capfd.readouterr())


@pytest.mark.sweep
def test_with_a_window_that_is_too_large_it_does(tmp_path: Path) -> None:
    design = changed(tmp_path, ("window: auto", "window: 10000"))
    generate.generate(design, tmp_path / "generated", allow_deadlock=True)
    with Simulation(build_library(tmp_path / "generated")) as simulation:
        message_sums.leave_out(simulation)
        introduce(simulation, neighbour(simulation.manifest))
        simulation.watch(5_000)
        frames = datagrams(simulation, 3_000, seed=1, losses=False)
        assert len(simulation.exchange(frames, limit_cycles=150_000).received) < 2_000
        names = {stall.name for stall in ring(simulation.stalls())}
        # Two stations that send to each other, at least
        assert len(names & {"layer one", "layer two", "layer three"}) >= 2
