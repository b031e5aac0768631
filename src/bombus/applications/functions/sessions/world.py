# SPDX-License-Identifier: Apache-2.0
"""Stacks of one design with one address, a model of their peer, and a carrier.

Frames of the peer reach one of the stacks, frames of all reach the peer. A Linux host with the same
address can be one more stack.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Self

from bombus.applications.functions.sessions.carrier import Carrier
from bombus.applications.functions.sessions.wire import Packet, body_of, packet_of
from bombus.base.errors import UserError
from bombus.live.linux_host import LinuxHost
from bombus.measure.exchanges import introduce
from bombus.protocols.frames import (
    ARP_REQUEST,
    PROTOCOL_TCP,
    TYPE_ARP,
    Host,
    Station,
    arp_reply,
    ip_frame,
    padded,
)
from bombus.protocols.tcp.model import Endpoint, State
from bombus.protocols.tcp.segment import Segment
from bombus.simulator.simulation import Simulation

PEER = Station.of("02:00:00:00:00:63", "10.77.0.99")
CARRIER = Station.of("02:00:00:00:00:fa", "10.77.0.250")
PORT, PEER_PORT = 7, 40_000
STEP_CYCLES = 500  # 2 us
DELAY_US = 30  # to the peer


@dataclass
class Side:
    """One of the stacks, as the carrier's port."""

    world: World
    simulation: Simulation
    to_carrier: list[bytes] = field(default_factory=list)

    def send(self, frame: bytes) -> None:
        self.simulation.send(frame)

    def frames(self) -> list[bytes]:
        self.world.collect()
        found, self.to_carrier = self.to_carrier, []
        return found

    def wait(self) -> None:
        self.world.step(jumps=False)


class World:
    """`loss`: probability by frame between the peer and the stacks."""

    def __init__(self, design: Path, *, loss: float = 0.0, seed: int = 1, scale: int = 7) -> None:
        self.random, self.loss = Random(seed), loss
        self.sides = [Side(self, Simulation(design, seed=seed + n)) for n in range(2)]
        self.at: int | LinuxHost = 0
        self.linux: LinuxHost | None = None
        self.serve: Callable[[], None] | None = None  # the application on Linux
        self.peer_timestamp = 0  # the last one sent
        self.host = Host.from_manifest(self.sides[0].simulation.manifest)
        for side in self.sides:
            introduce(side.simulation, PEER)
        self.peer = Endpoint(iss=self.random.getrandbits(32), scale=scale)
        self.sent, self.echoed, self.resets = bytearray(), bytearray(), 0
        self.us = 0
        self._on_way: list[tuple[int, Segment]] = []  # to the peer, with the time of arrival

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for side in self.sides:
            side.simulation.close()

    def carrier(self, at: int) -> Carrier:
        return Carrier(self.sides[at], CARRIER, self.host)

    def write(self, size: int) -> None:
        data = self.random.randbytes(size)
        self.sent += data
        self.peer.send(data)

    def connect(self) -> None:
        self.peer.connect()
        self.until(lambda: self.peer.state is State.ESTABLISHED)
        for _ in range(20):  # its acknowledgement has arrived, if it is not lost
            self.step(jumps=False)

    def until(self, condition: Callable[[], bool], steps: int = 200_000) -> None:
        for _ in range(steps):
            if condition():
                return
            if self.peer.failed:
                raise UserError("the peer's connection has failed")
            self.step()
        raise UserError("the peer waits for ever")

    def all_echoed(self) -> bool:
        return len(self.echoed) == len(self.sent)

    def step(self, *, jumps: bool = True) -> None:
        """2 us, or a millisecond if nothing is in flight and time `jumps`."""
        self._from_peer()
        if self.linux is not None:
            time.sleep(0.0002)
            if self.serve is not None:
                self.serve()
            for frame in self.linux.frames():
                self._take(self.linux, frame)
        idle = (
            jumps and not self._on_way and not any(side.simulation.in_flight for side in self.sides)
        )
        for side in self.sides:
            if idle:
                side.simulation.elapse(us=1000)
            else:
                side.simulation.advance(STEP_CYCLES)
        self.us += 1000 if idle else 2
        self.peer.tick(self.us)
        self.collect()
        while self._on_way and self._on_way[0][0] <= self.us:
            self.peer.receive(self._on_way.pop(0)[1])

    def _from_peer(self) -> None:
        for segment in self.peer.take():
            if segment.timestamps is not None:
                self.peer_timestamp = segment.timestamps[0]
            if self.random.random() < self.loss:
                continue
            ends = (PEER.ip, PEER_PORT), (self.host.ip, PORT)
            body = body_of(Packet(*ends, segment))
            frame = padded(ip_frame(PEER, self.host, PROTOCOL_TCP, body))
            if isinstance(self.at, LinuxHost):
                self.at.take(self.at.mac + frame[6:])
            else:
                self.sides[self.at].send(frame)

    def collect(self) -> None:
        for side in self.sides:
            while (frame := side.simulation.receive(timeout_cycles=0)) is not None:
                self._take(side, frame.data)
        self.echoed += self.peer.read()
        if not self.sent.startswith(bytes(self.echoed)):
            raise UserError("the echo's bytes differ from those of the peer")

    def _take(self, side: Side | LinuxHost, data: bytes) -> None:
        if isinstance(side, LinuxHost):
            if (answer := _resolution(data, self.host)) is not None:
                side.take(side.mac + answer[6:])
        elif data[:6] == CARRIER.mac or (data[0] & 1 and data[38:42] == CARRIER.ip):
            side.to_carrier.append(data)
        elif (answer := _resolution(data, self.host)) is not None:
            side.send(answer)
        if data[:6] == PEER.mac and (packet := packet_of(data)) is not None:
            self.resets += "rst" in packet.segment.flags
            if self.random.random() >= self.loss:
                self._on_way.append((self.us + DELAY_US, packet.segment))


class LinuxEcho:
    """The application of a connection on Linux."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection, self._pending = connection, b""
        connection.setblocking(False)

    def __call__(self) -> None:
        with suppress(BlockingIOError):
            self._pending += self._connection.recv(65_536)
        with suppress(BlockingIOError):
            if self._pending:
                self._pending = self._pending[self._connection.send(self._pending) :]

    def is_idle(self) -> bool:
        return not self._pending


def _resolution(frame: bytes, host: Host) -> bytes | None:
    """The answer to an ARP request for the peer."""
    asks = frame[12:14] == TYPE_ARP.to_bytes(2) and frame[20:22] == ARP_REQUEST.to_bytes(2)
    return padded(arp_reply(PEER, host)) if asks and frame[38:42] == PEER.ip else None
