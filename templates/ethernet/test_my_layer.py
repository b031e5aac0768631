# SPDX-License-Identifier: Apache-2.0
"""my_layer in virtual time: frames of its EtherType return, and others are dropped and counted."""

from pathlib import Path

from bombus import Simulation
from bombus.protocols.frames import ethernet, padded

DESIGN = Path(__file__).parent / "my_layer.yaml"
HOST = bytes.fromhex("02b00b050001")
STATION = bytes.fromhex("020000000099")
ETHER_TYPE = 0x88B5


def test_frames_return() -> None:
    with Simulation(DESIGN, assertions=True, seed=1, rx_bubble=0.2, tx_stall=0.2) as simulation:
        payloads = [bytes(n % 256 for n in range(size)) for size in range(46, 300)]
        frames = [ethernet(HOST, STATION, ETHER_TYPE, each) for each in payloads]
        received = simulation.exchange(frames).received
        expected = [ethernet(STATION, HOST, ETHER_TYPE, each) for each in payloads]
        assert [frame.data for frame in received] == expected

        assert not simulation.exchange([padded(ethernet(HOST, STATION, 0x88B6, b"other"))]).received
        simulation.advance_until_idle()  # counters are up to date
        counters = simulation.tile_counters("service")
        assert counters["event.my_layer.returned"] == len(payloads)
        assert counters["drop.my_layer.other_type"] == 1
        simulation.check()  # no rule of AXI-Stream was broken
