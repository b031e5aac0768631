# SPDX-License-Identifier: Apache-2.0
"""A UDP port of a design in virtual time."""

from __future__ import annotations

from bombus.applications.logs.places import LogPlace
from bombus.applications.logs.reading import Fetched, fetch
from bombus.protocols.frames import ETHERNET_BYTES, IPV4_BYTES, UDP_BYTES, Host, Station, udp_frame
from bombus.simulator.simulation import Simulation

_HEADERS = ETHERNET_BYTES + IPV4_BYTES + UDP_BYTES
_SOURCE_PORT = 50_000
_WAIT_CYCLES = 2_000


class SimulatedPort:
    """Datagrams of a station that the design has a neighbour entry for (`introduce`).

    Frames for others that arrive meanwhile are discarded.
    """

    def __init__(self, simulation: Simulation, station: Station, port: int) -> None:
        self._simulation = simulation
        self._station = station
        self._host = Host.from_manifest(simulation.manifest)
        self._port = port

    def send(self, data: bytes) -> None:
        frame = udp_frame(
            self._station, self._host, data, port=self._port, source_port=_SOURCE_PORT
        )
        self._simulation.send(frame)

    def receive(self) -> bytes | None:
        while (frame := self._simulation.receive(timeout_cycles=_WAIT_CYCLES)) is not None:
            data = frame.data
            ports = (self._port, _SOURCE_PORT)
            if data[23] == 17 and data[34:38] == b"".join(p.to_bytes(2) for p in ports):
                length = int.from_bytes(data[38:40])
                return data[_HEADERS : _HEADERS - UDP_BYTES + length]
        return None


def fetch_simulated(simulation: Simulation, station: Station, place: LogPlace) -> Fetched:
    """A log of a running simulation."""
    return fetch(SimulatedPort(simulation, station, place.port), place)
