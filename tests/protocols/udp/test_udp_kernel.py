# SPDX-License-Identifier: Apache-2.0
"""UDP kernels with plain AXI-Streams, behind udp_stream: in the design, and in a program."""

from __future__ import annotations

from random import Random

import pytest

from bombus.measure.exchanges import introduce
from bombus.protocols.frames import Host, Station, udp_frame
from bombus.simulator.simulation import Simulation
from tests import ROOT

pytestmark = pytest.mark.slow

DESIGN = ROOT / "docs" / "examples" / "udp_kernel" / "udp_kernel.yaml"
HEADERS = 14 + 20 + 8  # Ethernet, IPv4, UDP
STATION = Station.of("02:00:00:00:00:99", "10.77.0.1")
SIZES = (*range(131), 1000, 1471, 1472, 2047, 2048)
MIRROR, PROGRAM = 7, 9000


def payload(frame: bytes) -> bytes:
    """The content of a datagram, without padding."""
    length = int.from_bytes(frame[38:40], "big")
    return frame[HEADERS : HEADERS + length - 8]


@pytest.mark.parametrize("pace", [0.0, 0.4])
def test_a_kernel_in_the_design(pace: float) -> None:
    random = Random(1)
    with Simulation(DESIGN, assertions=True, rx_bubble=pace) as simulation:
        host = Host.from_manifest(simulation.manifest)
        introduce(simulation, STATION)
        sent = [random.randbytes(size) for size in SIZES]
        frames = [udp_frame(STATION, host, each, port=MIRROR) for each in sent]
        came = simulation.exchange(frames, window=8).received
        assert [payload(frame.data) for frame in came] == sent
        assert all(frame.data[34:38] == bytes([0, 7, 40000 >> 8, 40000 & 255]) for frame in came)
        # Longer ones are not returned, and do not affect others.
        simulation.exchange(
            [udp_frame(STATION, host, bytes(n), port=MIRROR) for n in (2049, 4096, 5000, 3)]
        )
        assert simulation.tile_counters("mirror")["event.udp_stream.too_long"] == 3
        assert simulation.tile_counters("mirror")["event.udp_stream.sent"] == len(SIZES) + 1
        simulation.check()


@pytest.mark.parametrize("pace", [0.0, 0.4])
def test_a_program_is_the_kernel(pace: float) -> None:
    random = Random(2)
    with Simulation(DESIGN, assertions=True, rx_bubble=pace, tx_stall=pace) as simulation:
        host = Host.from_manifest(simulation.manifest)
        introduce(simulation, STATION)
        into, out = simulation.streams["app_tx"], simulation.streams["app_rx"]
        for size in SIZES:
            data = random.randbytes(size)
            simulation.send(udp_frame(STATION, host, data, port=PROGRAM))
            message = out.receive(100)
            assert message is not None
            assert message.data == data
            into.send(data[::-1], user=message.user)  # to where it came from
            frame = simulation.receive()
            assert frame is not None
            assert payload(frame.data) == data[::-1]
        simulation.check()
