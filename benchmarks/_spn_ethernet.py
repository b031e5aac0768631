# SPDX-License-Identifier: Apache-2.0
"""Requests to a kernel for sum-product networks on plain Ethernet: each is one frame."""

from __future__ import annotations

from _service_messages import Messages
from _service_udp import UdpService

from bombus import Simulation
from bombus.applications.spn import messages
from bombus.measure.exchanges import neighbour
from bombus.protocols.frames import ETHERNET_BYTES, Host, ethernet

ETHER_TYPE = 0x88B5


class EthernetService(UdpService):
    """Replies are found by their batch, which is the number of the request."""

    header_bytes = ETHERNET_BYTES

    def __init__(self, simulation: Simulation, messages: Messages) -> None:
        self.simulation = simulation
        self.messages = messages
        self.host = Host.from_manifest(simulation.manifest)
        self.station = neighbour(simulation.manifest)

    def _frame(self, number: int, request: bytes) -> bytes:
        return ethernet(self.host.mac, self.station.mac, ETHER_TYPE, request)

    def _number(self, data: bytes) -> int:
        head = self.station.mac + self.host.mac + ETHER_TYPE.to_bytes(2)
        if len(data) < self.header_bytes + messages.HEADER.size or not data.startswith(head):
            return -1
        return int(messages.HEADER.unpack_from(data, self.header_bytes)[-1])

    def _payload(self, frame: bytes, number: int) -> bytes | None:
        """Without the padding."""
        fields = messages.HEADER.unpack_from(frame, self.header_bytes)
        end = self.header_bytes + messages.HEADER.size + fields[3]
        if end > len(frame):
            self.messages.count_wrong(number, "a length that exceeds the frame")
            return None
        return frame[self.header_bytes : end]
