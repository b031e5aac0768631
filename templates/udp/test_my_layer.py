# SPDX-License-Identifier: Apache-2.0
"""my_layer in virtual time: replies, drops and counters."""

from pathlib import Path

from bombus import Simulation
from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.answers import echo_reply
from bombus.protocols.frames import Host, padded, udp_frame

DESIGN = Path(__file__).parent / "my_layer.yaml"
PORT = 7


def test_datagrams_are_answered() -> None:
    with Simulation(DESIGN, assertions=True, seed=1, rx_bubble=0.2, tx_stall=0.2) as simulation:
        host, station = Host.from_manifest(simulation.manifest), neighbour(simulation.manifest)
        introduce(simulation, station)
        payloads = [bytes(range(size % 256)) for size in range(1, 200)]
        frames = [padded(udp_frame(station, host, each, port=PORT)) for each in payloads]
        received = simulation.exchange(frames).received
        assert [frame.data for frame in received] == [echo_reply(frame) for frame in frames]

        services = [udp_frame(station, host, b"?", port=PORT, source_port=each) for each in (0, 7)]
        assert not simulation.exchange(services).received
        simulation.advance_until_idle()  # counters are up to date
        counters = simulation.tile_counters("service")
        assert counters["event.my_layer.answered"] == len(payloads)
        assert counters["drop.my_layer.no_client"] == 2
        simulation.check()  # no rule of AXI-Stream was broken
