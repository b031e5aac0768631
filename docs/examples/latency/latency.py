# SPDX-License-Identifier: Apache-2.0
"""Measures the latency of a design's UDP echo, in cycles and nanoseconds of virtual time."""

import sys
from pathlib import Path
from statistics import median

from bombus import Simulation
from bombus.measure.exchanges import introduce
from bombus.protocols.frames import Host, Station, udp_frame
from bombus.simulator.frames import latencies

station = Station.of("02:00:00:00:00:99", "10.77.0.1")  # our own addresses

with Simulation(Path(sys.argv[1]), seed=1) as simulation:
    host = Host.from_manifest(simulation.manifest)
    introduce(simulation, station)  # by ARP, so that the design knows where to answer
    mhz = simulation.manifest["clock_mhz"]

    frame = udp_frame(station, host, bytes(64), port=7)
    for title, window in (("one at a time", 1), ("as many as fit", 0)):
        result = simulation.exchange([frame] * 100, window=window)
        cycles = latencies(result)
        assert len(cycles) == 100 and not result.timed_out
        middle = median(cycles)
        print(
            f"{title}: {min(cycles)} to {max(cycles)} cycles, "
            f"median {middle:g} ({middle * 1000 / mhz:g} ns), {result.cycles} in all"
        )
    simulation.check()  # no rule of AXI-Stream was broken
