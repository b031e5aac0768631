# SPDX-License-Identifier: Apache-2.0
"""The example of a layer between two layers: each answer as from a stack without it."""

from __future__ import annotations

import random

import pytest

from bombus.base import paths
from bombus.measure.exchanges import introduce
from bombus.protocols.frames import (
    Host,
    Station,
    arp_request,
    padded,
    ping_frame,
    udp_frame,
)
from bombus.protocols.stack import Stack
from bombus.simulator.build import Library, build
from bombus.simulator.simulation import Simulation

DESIGN = paths.EXAMPLES / "between" / "between.yaml"
GATEWAY = Station.of("02:00:00:00:00:98", "10.77.0.1")
MAPPED = Station.of("02:00:00:00:00:99", "10.77.0.9")
FAR = Station.of("02:00:00:00:00:98", "10.78.255.255")  # outside the mapped subnet
LENGTHS = (*range(140), 1471, 1472)


@pytest.fixture(scope="module")
def library() -> Library:
    return build(DESIGN)


@pytest.mark.slow
@pytest.mark.parametrize("pace", [0.0, 0.5])
def test_answers_are_those_of_a_stack_without_the_layers(library: Library, pace: float) -> None:
    content = random.Random(1).randbytes(max(LENGTHS))
    with Simulation(library, seed=2, rx_bubble=pace, tx_stall=pace) as simulation:
        host = Host.from_manifest(simulation.manifest)
        model = Stack(host)
        for station in (GATEWAY, MAPPED):
            introduce(simulation, station)
        frames = [
            udp_frame(station, host, content[:length], port=7, source_port=40000 + length)
            for length in LENGTHS
            for station in (MAPPED, FAR)
        ]
        frames += [ping_frame(station, host, content[:99]) for station in (MAPPED, FAR)]
        for station in (GATEWAY, MAPPED):
            model.process(padded(arp_request(station, host)))
        found = [each.data for each in simulation.exchange(frames).received]
        expected = [reply for frame in frames for reply in model.process(frame).replies]
        assert sorted(found) == sorted(expected)
        simulation.advance_until_idle()
        for tile in ("map_rx", "map_tx"):
            counters = simulation.tile_counters(tile)
            assert counters["event.peer_map.mapped"] == len(LENGTHS)
        simulation.check()
