# SPDX-License-Identifier: Apache-2.0
"""my_layer in virtual time: the bytes of two connections come back."""

from pathlib import Path

from bombus import Simulation
from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.tcp.peer import ACK, PSH, Peers

DESIGN = Path(__file__).parent / "my_layer.yaml"
PORT = 7
STEPS = 2000  # of 16 cycles, for a reply


def test_bytes_are_returned() -> None:
    with Simulation(DESIGN, assertions=True, seed=1) as simulation:
        peers = Peers(simulation, neighbour(simulation.manifest), line_rate_gbps=10)
        introduce(simulation, peers.station)
        ends = [
            peers.open(port, PORT, mss=1460, iss=1000, collects=True) for port in (20000, 20001)
        ]
        peers.connect(ends)
        for number, end in enumerate(ends):
            for size in (1, 7, 8, 9, 64, 1460):
                request = bytes((number + each) % 256 for each in range(size))
                peers.send(end, ACK | PSH, request)
                assert end.collected is not None
                for _ in range(STEPS):
                    if len(end.collected) >= size:
                        break
                    peers.step()
                assert end.collected == request
                end.collected.clear()
        peers.reset(ends)
        simulation.check()  # no rule of AXI-Stream was broken
