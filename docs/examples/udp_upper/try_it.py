# SPDX-License-Identifier: Apache-2.0
"""The service in virtual time: no network, no root, exact to the cycle."""

from pathlib import Path

from bombus import Simulation
from bombus.measure.exchanges import introduce
from bombus.protocols.frames import Host, Station, udp_frame

DESIGN = Path(__file__).parent / "udp_upper.yaml"
HEADERS = 14 + 20 + 8  # Ethernet, IPv4, UDP
station = Station.of("02:00:00:00:00:99", "10.77.0.1")  # our own addresses

with Simulation(DESIGN, seed=1) as simulation:
    host = Host.from_manifest(simulation.manifest)
    introduce(simulation, station)  # by ARP, so that the design knows where to answer

    simulation.send(udp_frame(station, host, b"Seven bees in the hive", port=1007))
    answer = simulation.receive()
    assert answer is not None
    print(answer.data[HEADERS:].decode())

    burst = simulation.exchange([udp_frame(station, host, b"bee " * 25, port=1007)] * 1000)
    print(f"{len(burst.received)} more answers")

    simulation.advance_until_idle()  # afterwards, counters are up to date
    for name, count in simulation.tile_counters("upper").items():
        if count:
            print(name, count)
    simulation.check()  # no rule of AXI-Stream was broken
