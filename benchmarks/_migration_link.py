# SPDX-License-Identifier: Apache-2.0
"""Linux hosts and a manager on the link of a simulated stack.

A switch between the MAC port and the hosts passes frames on by their destination. The stack's time
passes only in `Link`; the timers of Linux run in real time.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Sequence
from ipaddress import IPv4Address

from bombus import Simulation
from bombus.applications.control import messages
from bombus.applications.control.messages import Key, Status
from bombus.base.errors import UserError
from bombus.live.linux_host import LinuxHost
from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.frames import ETHERNET_BYTES, IPV4_BYTES, UDP_BYTES, Host, udp_frame
from bombus.registers.access import format_of, pack
from bombus.registers.items import words_of

SECRET = bytes(range(16))  # the example key of docs/examples/control
CONTROL_PORT, OWN_PORT = 9, 49_152
UNUSED_PORT = 1
ARP_STEPS = 400
LIMIT_US = 200  # until the answer of the controller
BUSY_STEP_US = 1
IDLE_STEP_US = 1000
QUIET_US = 300  # without a frame: only timers will change something


class Link:
    """The link of MAC port 0, with hosts and a manager."""

    def __init__(self, simulation: Simulation, hosts: Sequence[LinuxHost]) -> None:
        self.simulation, self.hosts = simulation, hosts
        self.station = neighbour(simulation.manifest)
        introduce(simulation, self.station)
        self.answers: list[bytes] = []  # to the manager
        self._last_frame_us = 0
        stack = str(IPv4Address(Host.from_manifest(simulation.manifest).ip))
        for host in hosts:  # it and the stack learn each other's MAC
            with host.inside(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
                any_socket.sendto(b"", (stack, UNUSED_PORT))
            for _ in range(ARP_STEPS):
                self.wait()

    @property
    def now_us(self) -> int:
        return self.simulation.time_us

    def run(self, us: int) -> None:
        """Lets so much of the stack's time pass."""
        end = self.now_us + us
        while (left := end - self.now_us) > 0:
            self._collect()
            if self.simulation.in_flight:
                cycles = self.simulation.clock_hz // 1_000_000 * min(left, BUSY_STEP_US)
                self.simulation.advance(cycles)
            else:
                self.simulation.elapse(us=left)
            self._deliver()
        self._collect()

    def wait(self) -> None:
        """Waits a little for what the stack or a host does next.

        In a quiet link only timers act: as much real time passes as time of the stack.
        """
        self._collect()
        if self.simulation.in_flight or self.now_us - self._last_frame_us < QUIET_US:
            self.run(BUSY_STEP_US)
            return
        time.sleep(IDLE_STEP_US / 1e6)
        self.run(IDLE_STEP_US)

    def _collect(self) -> None:
        for host in self.hosts:
            for frame in host.frames():
                self.simulation.send(frame)
                self._last_frame_us = self.now_us

    def _deliver(self) -> None:
        while (frame := self.simulation.receive(timeout_cycles=0)) is not None:
            self._last_frame_us = self.now_us
            target = frame.data[:6]
            if target == self.station.mac:
                self.answers.append(frame.data)
            for host in self.hosts:
                if target == host.mac or target[0] & 1:
                    host.take(frame.data)


class Manager:
    """A program on the link that writes to the design's tables by its controller."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._stack = Host.from_manifest(link.simulation.manifest)
        self._key = Key(SECRET)
        self._client = int.from_bytes(os.urandom(8))
        self._number = self._boot = 0
        self.run(self._sealed(0, b""))

    def prepared(self, tile: str, fields: dict[str, int]) -> bytes:
        """A request that writes entry 0 of the nat in a tile."""
        table = self._link.simulation.registers.tiles[tile].nat.mapping
        kind = format_of(table)
        assert kind is not None
        words = words_of(pack(kind, fields), kind.words)
        self._number += 1
        return self._sealed(self._number, messages.write_block(table[0].where(), words))

    def run(self, request: bytes) -> None:
        """Sends a request until it is answered; the stack's time passes."""
        link = self._link
        while True:
            link.answers.clear()
            frame = udp_frame(
                link.station, self._stack, request, port=CONTROL_PORT, source_port=OWN_PORT
            )
            link.simulation.send(frame)
            end = link.now_us + LIMIT_US
            while not link.answers and link.now_us < end:
                link.run(BUSY_STEP_US)
            for data in link.answers:
                start = ETHERNET_BYTES + IPV4_BYTES
                length = int.from_bytes(data[start + 4 : start + 6])
                found = messages.answer(self._key, data[start + UDP_BYTES : start + length])
                # A repeated request whose answer was lost has been carried out.
                if found.status not in (Status.OK, Status.REPEATED):
                    raise UserError(f"the controller answers {found.status.name}")
                self._boot = found.boot
                return

    def _sealed(self, number: int, body: bytes) -> bytes:
        return messages.request(self._key, number, body, boot=self._boot, client=self._client)
