# SPDX-License-Identifier: Apache-2.0
"""A board in simulation: frames go through the MACs' preamble, FCS and clock crossings as bytes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.answers import echo_reply
from bombus.protocols.frames import Host, padded, udp_frame
from bombus.simulator.build import build
from bombus.simulator.simulation import Simulation
from tests import ROOT

pytestmark = pytest.mark.slow
WIRE = Path(__file__).parent / "designs" / "frame_wire.yaml"
ECHO = ROOT / "designs" / "udp_echo_1g.yaml"
BOARD = "versa_ecp5"
OVERHEAD = 24  # bytes of preamble, FCS and gap
NS_PER_BYTE = 8  # at 1 Gbit/s
MIN, MAX = 60, 1514  # bytes of a frame without FCS
FRAMES = 5  # of each size, back to back


@pytest.fixture(scope="module")
def simulation() -> Iterator[Simulation]:
    with Simulation(build(WIRE, board=BOARD)) as opened:
        yield opened


def frame(size: int, number: int) -> bytes:
    return bytes((number + 7 * i) % 256 for i in range(size))


@pytest.mark.parametrize("size", [MIN - 1, MIN, 61, 67, 68, MAX - 1, MAX])
def test_frames_come_back_as_they_went(simulation: Simulation, size: int) -> None:
    sent = frame(size, size)
    simulation.send(sent)
    received = simulation.receive()
    assert received is not None
    assert bytes(received) == sent.ljust(MIN, b"\0")
    assert simulation.receive(timeout_cycles=2000) is None


def test_line_rate_at_every_size() -> None:
    """Datagrams in frames of each size, back to back on the link, are answered as fast as they
    arrive; 42 bytes of a frame are headers.
    """
    random = Random(1)
    # As other tests of the board build it.
    with Simulation(build(ECHO, board=BOARD, assertions=False)) as simulation:
        station = neighbour(simulation.manifest)
        introduce(simulation, station)
        host = Host.from_manifest(simulation.manifest)
        for size in range(MIN, MAX + 1):
            sent = [
                padded(udp_frame(station, host, random.randbytes(size - 42), port=7))
                for _ in range(FRAMES)
            ]
            for each in sent:
                simulation.send(each)
            received = [simulation.receive() for _ in sent]
            answers = [bytes(each) for each in received if each]
            assert answers == [echo_reply(each) for each in sent], size
            times = [each.time_ns for each in received if each]
            ns = (times[-1] - times[0]) / (len(sent) - 1)
            assert ns == pytest.approx((size + OVERHEAD) * NS_PER_BYTE, abs=4), size


def test_bad_frames_are_dropped_and_counted(simulation: Simulation) -> None:
    """In turn with a bad FCS, and with an error of the PHY in byte 0, 1, 2 or 3."""
    before = simulation.counters()["wire"]["drop.mac_rx.bad_frame"]
    good = [frame(100 + number, number) for number in range(16)]
    for number, each in enumerate(good):
        simulation.send(each, bad=number % 2 == 1)
    assert [bytes(each) for each in iter(simulation.receive, None)] == good[::2]
    after = simulation.counters()["wire"]["drop.mac_rx.bad_frame"]
    assert after - before == 8
