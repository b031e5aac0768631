# SPDX-License-Identifier: Apache-2.0
"""How control messages travel: datagrams of UDP, a stream of TCP, frames of a simulation."""

from __future__ import annotations

import errno
import socket
import time
from typing import Protocol

from bombus.applications.control.ascon import TAG_BYTES
from bombus.applications.control.messages import HEADER_BYTES, MAX_BODY_WORDS, ControlError
from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.frames import ETHERNET_BYTES, IPV4_BYTES, UDP_BYTES, Host, udp_frame
from bombus.registers.model import WORD_BYTES
from bombus.simulator.simulation import Simulation

DEFAULT_PORT = 9
MAX_MESSAGE_BYTES = HEADER_BYTES + WORD_BYTES * MAX_BODY_WORDS + TAG_BYTES
_LENGTH = slice(4, 6)  # in the header: bytes of the body
_IP_MTU_DISCOVER, _IP_PMTUDISC_DO, _IP_MTU = 10, 2, 14  # <linux/in.h>
_UDP_PROTOCOL = b"\x11"
_OWN_PORT = 49_152
_SIMULATED_CYCLES = 200_000


class Transport(Protocol):
    """A way to a controller. `max_bytes`: of a message, each way."""

    max_bytes: int

    def send(self, message: bytes) -> None: ...

    def receive(self, seconds: float) -> bytes | None:
        """The next message; None if none arrives in time."""

    def close(self) -> None: ...


class Udp:
    """A message is a datagram, within the MTU: the stack takes no fragments."""

    def __init__(self, host: str, port: int) -> None:
        self._where = f"udp://{host}:{port}"
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.setsockopt(socket.IPPROTO_IP, _IP_MTU_DISCOVER, _IP_PMTUDISC_DO)
            self._socket.connect((host, port))
            mtu = self._socket.getsockopt(socket.IPPROTO_IP, _IP_MTU)
        except OSError as error:
            self._socket.close()
            raise ControlError(f"{self._where}: {error.strerror or error}") from None
        self.max_bytes = min(mtu - IPV4_BYTES - UDP_BYTES, MAX_MESSAGE_BYTES)

    def send(self, message: bytes) -> None:
        try:
            self._socket.send(message)
        except ConnectionRefusedError:  # an ICMP error for an earlier datagram
            self._socket.send(message)
        except OSError as error:
            raise ControlError(f"{self._where}: {error.strerror or error}") from None

    def receive(self, seconds: float) -> bytes | None:
        self._socket.settimeout(max(seconds, 1e-3))
        try:
            return self._socket.recv(65_535)
        except TimeoutError:
            return None
        except ConnectionRefusedError:
            raise ControlError(
                f"{self._where}: nothing listens there; a live run without a controller "
                "is reached by `bombus run --control FILE` and unix:FILE"
            ) from None
        except OSError as error:
            raise ControlError(f"{self._where}: {error.strerror or error}") from None

    def close(self) -> None:
        self._socket.close()


class Tcp:
    """The messages one after the other; their headers have their lengths."""

    max_bytes = MAX_MESSAGE_BYTES

    def __init__(self, host: str, port: int, *, sealed: bool, timeout: float = 5.0) -> None:
        self._where = f"tcp://{host}:{port}"
        self._tag_bytes = TAG_BYTES if sealed else 0
        self._received = bytearray()
        try:
            self._socket = socket.create_connection((host, port), timeout)
        except OSError as error:
            text = error.strerror or str(error)
            if error.errno == errno.ENOPROTOOPT:  # an ICMP error
                text = "the design has no TCP"
            raise ControlError(f"{self._where}: {text}") from None
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, message: bytes) -> None:
        try:
            self._socket.sendall(message)
        except OSError as error:
            raise ControlError(f"{self._where}: {error.strerror or error}") from None

    def receive(self, seconds: float) -> bytes | None:
        deadline = time.monotonic() + seconds
        while (message := self._whole()) is None:
            self._socket.settimeout(max(deadline - time.monotonic(), 1e-3))
            try:
                part = self._socket.recv(65_536)
            except TimeoutError:
                return None
            except OSError as error:
                raise ControlError(f"{self._where}: {error.strerror or error}") from None
            if not part:
                raise ControlError(f"{self._where}: the connection was closed")
            self._received += part
        return message

    def _whole(self) -> bytes | None:
        if len(self._received) < HEADER_BYTES:
            return None
        body = int.from_bytes(self._received[_LENGTH], "little")
        size = HEADER_BYTES + body + self._tag_bytes
        if len(self._received) < size:
            return None
        message = bytes(self._received[:size])
        del self._received[:size]
        return message

    def close(self) -> None:
        self._socket.close()


class SimulatedUdp:
    """Datagrams in the frames of a simulation, whose time passes while an answer is awaited.

    Other frames that arrive meanwhile are discarded.
    """

    max_bytes = MAX_MESSAGE_BYTES

    def __init__(self, simulation: Simulation, port: int = DEFAULT_PORT) -> None:
        self._simulation, self._port = simulation, port
        self._station = neighbour(simulation.manifest)
        self._host = Host.from_manifest(simulation.manifest)
        introduce(simulation, self._station)

    def send(self, message: bytes) -> None:
        frame = udp_frame(
            self._station, self._host, message, port=self._port, source_port=_OWN_PORT
        )
        self._simulation.send(frame)

    def receive(self, seconds: float) -> bytes | None:
        ports = self._port.to_bytes(2) + _OWN_PORT.to_bytes(2)
        start = ETHERNET_BYTES + IPV4_BYTES
        while (frame := self._simulation.receive(timeout_cycles=_SIMULATED_CYCLES)) is not None:
            data = bytes(frame.data)
            if data[23:24] == _UDP_PROTOCOL and data[start : start + 4] == ports:
                length = int.from_bytes(data[start + 4 : start + 6])
                return data[start + UDP_BYTES : start + length]
        return None

    def close(self) -> None:
        """Nothing to do: the simulation stays open."""
