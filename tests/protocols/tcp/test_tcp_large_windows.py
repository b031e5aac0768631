# SPDX-License-Identifier: Apache-2.0
"""Windows of a receive buffer that is larger than a header can tell without a scale."""

from __future__ import annotations

from itertools import pairwise

import pytest

from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.frames import Host
from bombus.protocols.tcp.peer import pattern
from bombus.simulator.simulation import Simulation
from tests import ROOT
from tests.protocols.tcp.tcp_wire import MSS, NOP, SCALE, Wire, decode

pytestmark = pytest.mark.slow

DESIGN = ROOT / "benchmarks" / "tcp.yaml"  # receive buffers of 128 KiB
PORT, TO = 20_000, 9  # tcp_load only reads from such a port
SEGMENTS, LENGTH = 60, 1400
ISS = 0xFFFF_F000


@pytest.mark.sweep
@pytest.mark.parametrize("scale", [None, 7])
def test_no_acknowledgement_is_a_duplicate(scale: int | None) -> None:
    """An acknowledgement that says nothing new makes the sender retransmit (RFC 5681, 2)."""
    with Simulation(DESIGN, assertions=True) as simulation:
        host, station = Host.from_manifest(simulation.manifest), neighbour(simulation.manifest)
        introduce(simulation, station)
        came: list[Wire] = []

        def send(*wires: Wire) -> None:
            for wire in wires:
                simulation.send(wire.frame(station, host))
            simulation.elapse(us=100)
            while (frame := simulation.receive(timeout_cycles=0)) is not None:
                if (answer := decode(frame.data)) is not None:
                    came.append(answer)

        options = bytes((MSS, 4, *(1460).to_bytes(2)))
        if scale is not None:
            options += bytes((NOP, SCALE, 3, scale))
        send(Wire(PORT, TO, ISS, 0, frozenset({"SYN"}), options=options))
        opening = came.pop()
        assert opening.flags == {"SYN", "ACK"}
        first = Wire(PORT, TO, ISS + 1, opening.seq + 1, frozenset({"ACK"}))
        send(first)
        assert not came
        places = range(first.seq, first.seq + SEGMENTS * LENGTH, LENGTH)
        send(*(first.but(seq=seq, payload=pattern(seq, LENGTH)) for seq in places))
        told = [(wire.ack, wire.window) for wire in came]
        assert told[-1][0] == (first.seq + SEGMENTS * LENGTH) % 2**32
        assert all(not wire.payload and wire.flags == {"ACK"} for wire in came)
        assert all(before != after for before, after in pairwise(told))
        assert sum(simulation.errors().values()) == 0
