# SPDX-License-Identifier: Apache-2.0
"""The two ends of a transfer over TCP: the engine, smoltcp, Linux.

Each takes the frames that arrive at a time, and returns those that it sends at that time. Byte n
of a transfer is n ^ n >> 8.
"""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path
from queue import SimpleQueue
from select import select
from typing import Protocol

import bombus
from bombus import Simulation
from bombus.base.cache import cached_directory, content_key
from bombus.base.errors import UserError
from bombus.base.paths import PEERS
from bombus.live.interface import Interface
from bombus.live.netns import Namespace
from bombus.protocols.tcp.connection import Connection

PORT = 700
MTU = 1500
PATIENCE_SECONDS = 60.0
SMOLTCP = PEERS / "smoltcp"
SMOLTCP_FILES = ("Cargo.toml", "Cargo.lock", "src/main.rs", "src/bin/lockstep.rs")


def content(size: int) -> bytes:
    """The bytes of a transfer."""
    return bytes((n ^ n >> 8) & 0xFF for n in range(size))


def real_us() -> int:
    """Real time."""
    return time.monotonic_ns() // 1000


class End(Protocol):
    """One end of a link. Times are in microseconds."""

    name: str

    def step(self, now: int, frames: list[bytes]) -> list[tuple[int, bytes]]:
        """Frames arrive; those that have been sent since, with their times."""

    def wake(self, now: int) -> int:
        """When it is to be asked again, if no frame arrives before."""

    def close(self) -> bool:
        """Whether all bytes have been sent and received."""


class Engine:
    """The TCP engine in virtual time, with an application that is a server."""

    name = "Bombus"
    SLICE_US = 5000  # between two looks at its timers

    def __init__(self, simulation: Simulation, size: int, *, sends: bool) -> None:
        self._simulation = simulation
        self._start: int | None = None  # the simulation's time at time 0
        self._sends = sends
        self._content = content(size)
        self._listener = bombus.sockets(simulation).listen(PORT)
        self._connection: Connection | None = None
        self._came = bytearray()
        simulation.advance_until_idle()

    def step(self, now: int, frames: list[bytes]) -> list[tuple[int, bytes]]:
        simulation = self._simulation
        if self._start is None:
            self._start = simulation.time_us - now
        simulation.elapse(us=max(0, now + self._start - simulation.time_us))
        for frame in frames:
            simulation.send(frame)
        self._serve()
        return [(now, frame.data) for frame in simulation.receive_all()]

    def _serve(self) -> None:
        """Until the application has nothing more to do."""
        self._simulation.advance_until_idle()
        while bombus.sockets(self._simulation).poll():
            if self._connection is None and self._listener.waiting:
                self._connection = self._listener.accept(timeout=0)
                if self._sends:
                    self._connection.write(self._content)
                    self._connection.shutdown()
            if self._connection is not None and not self._connection.is_closed:
                self._came += self._connection.read()
                if self._connection.at_end:
                    self._connection.close()
            self._simulation.advance_until_idle()

    def wake(self, now: int) -> int:
        return now + self.SLICE_US

    def close(self) -> bool:
        ended = self._connection is not None and self._connection.is_closed
        return ended and self._came == (b"" if self._sends else self._content)


def smoltcp_program(name: str = "lockstep") -> Path:
    """A program of the smoltcp peer, compiled at first use; UserError if that fails."""
    cargo = shutil.which("cargo")
    if cargo is None:
        raise UserError(
            "smoltcp needs the program cargo (https://rustup.rs); --peers linux does not"
        )

    def make(folder: Path) -> None:
        result = subprocess.run(
            [cargo, "build", "--release", "--locked", "--quiet"],
            cwd=SMOLTCP,
            env={**os.environ, "CARGO_TARGET_DIR": str(folder)},
            capture_output=True,
            text=True,
            check=False,
        )
        if result.returncode:
            raise UserError(f"cargo does not build smoltcp: {result.stderr.strip()[-300:]}")

    key = content_key([], [(name, SMOLTCP / name) for name in SMOLTCP_FILES])
    return cached_directory(f"peers/smoltcp-{key}", make) / "release" / name


class Smoltcp:
    """A client by smoltcp in virtual time, with its defaults."""

    name = "smoltcp"

    def __init__(self, address: str, peer: str, size: int, *, sends: bool) -> None:
        role = "send" if sends else "receive"
        self._process = subprocess.Popen(
            [smoltcp_program(), address, peer, str(PORT), role, str(size)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._wake = 0

    def step(self, now: int, frames: list[bytes]) -> list[tuple[int, bytes]]:
        """One frame at a time: it acknowledges what has come together by one segment."""
        sent = [self._ask(now, [frame]) for frame in frames] or [self._ask(now, [])]
        return [(now, frame) for each in sent for frame in each]

    def _ask(self, now: int, frames: list[bytes]) -> list[bytes]:
        to, back = self._process.stdin, self._process.stdout
        assert to and back
        to.write(struct.pack("<QI", now, len(frames)))
        for frame in frames:
            to.write(struct.pack("<I", len(frame)) + frame)
        to.flush()
        self._wake, number = struct.unpack("<QI", back.read(12))
        return [back.read(*struct.unpack("<I", back.read(4))) for _ in range(number)]

    def wake(self, now: int) -> int:
        return max(self._wake, now + 1)

    def close(self) -> bool:
        self._process.communicate()
        return self._process.returncode == 0


# Arguments: client or server, host, port, send or receive, bytes.
SOCKETS = """
import socket, sys
role, host, port, way, size = sys.argv[1:]
content = bytes((n ^ n >> 8) & 0xFF for n in range(int(size)))
if role == "server":
    end, _ = socket.create_server(("", int(port))).accept()
else:
    end = socket.create_connection((host, int(port)))
if way == "send":
    end.sendall(content)
end.shutdown(socket.SHUT_WR)
came = b""
while part := end.recv(1 << 16):
    came += part
sys.exit(came != (b"" if way == "send" else content))
"""


class Linux:
    """A client or server by sockets of Linux in a network namespace, in real time."""

    def __init__(
        self, address: str, peer: str, size: int, *, sends: bool, serves: bool = False
    ) -> None:
        self._namespace = Namespace()
        control = self._read_file("/proc/sys/net/ipv4/tcp_congestion_control").strip()
        self.name = f"Linux ({control})"
        self._interface = Interface("transfer0", netns=self._namespace.path)
        self._interface.bring_up(f"{address}/24", MTU)
        role, way = "server" if serves else "client", "send" if sends else "receive"
        arguments = [role, peer, str(PORT), way, str(size)]
        self._frames: SimpleQueue[tuple[int, bytes]] = SimpleQueue()
        self._over = threading.Event()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        self._process = self._namespace.popen([sys.executable, "-c", SOCKETS, *arguments])
        if serves:
            self._wait_for_listener()

    def _read(self) -> None:
        """In a thread, since the time of a frame counts while the other end is busy."""
        descriptor = self._interface.file_descriptor
        while not self._over.is_set():
            if select([descriptor], [], [], 0.1)[0]:
                self._frames.put((real_us(), os.read(descriptor, 2 * MTU)))

    def _wait_for_listener(self) -> None:
        known = f":{PORT:04X} 00000000:0000 0A"  # listens
        while known not in self._read_file("/proc/net/tcp"):
            time.sleep(0.05)

    def _read_file(self, name: str) -> str:
        return str(self._namespace.run(["cat", name], capture_output=True, text=True).stdout)

    def step(self, now: int, frames: list[bytes]) -> list[tuple[int, bytes]]:
        for frame in frames:
            os.write(self._interface.file_descriptor, frame)
        return [self._frames.get() for _ in range(self._frames.qsize())]

    def wake(self, now: int) -> int:
        return now + 1000

    def close(self) -> bool:
        try:
            return self._process.wait(PATIENCE_SECONDS) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            self._over.set()
            self._reader.join()
            self._namespace.close()
            self._interface.close()
