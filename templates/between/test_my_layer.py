# SPDX-License-Identifier: Apache-2.0
"""my_layer in virtual time: packets pass, and those of the blocked peer are dropped and counted."""

from pathlib import Path

from bombus import Simulation
from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.answers import echo_reply
from bombus.protocols.frames import Host, padded, udp_frame

DESIGN = Path(__file__).parent / "my_layer.yaml"


def test_one_peer_is_blocked() -> None:
    with Simulation(DESIGN, assertions=True, seed=1, rx_bubble=0.2, tx_stall=0.2) as simulation:
        host, station = Host.from_manifest(simulation.manifest), neighbour(simulation.manifest)
        introduce(simulation, station)
        frames = [padded(udp_frame(station, host, bytes(size), port=7)) for size in range(1, 200)]
        received = simulation.exchange(frames).received
        assert [frame.data for frame in received] == [echo_reply(frame) for frame in frames]

        registers = simulation.tile("filter").registers.my_layer
        registers.blocked.ip = int.from_bytes(station.ip)
        assert not simulation.exchange(frames).received
        simulation.advance_until_idle()  # counters are up to date
        counters = simulation.tile_counters("filter")
        assert counters["event.my_layer.passed"] == len(frames)
        assert counters["drop.my_layer.blocked"] == len(frames)

        registers.blocked.ip = 0
        assert len(simulation.exchange(frames).received) == len(frames)
        simulation.check()  # no rule of AXI-Stream was broken
