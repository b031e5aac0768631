# SPDX-License-Identifier: Apache-2.0
"""A Linux host whose frames a program exchanges with a simulation or another host."""

from __future__ import annotations

import fcntl
import os
import socket
import struct
from contextlib import AbstractContextManager, ExitStack
from typing import Self

from bombus.live.interface import Interface
from bombus.live.netns import Namespace, inside, open_namespace

_MTU = 1500
_FRAME_BYTES = 2 * _MTU
_SIOCGIFHWADDR = 0x8927  # linux/sockios.h
_INTERFACE = struct.Struct("16s2s6s16x")  # struct ifreq: name, family, address


class LinuxHost:
    """A network namespace with a TAP, whose frames this program passes on.

    `mac`: of the TAP. `address`: of the host, in a network of 24 bits.
    """

    def __init__(self, name: str, address: str) -> None:
        self.address = address
        self._stack = ExitStack()
        try:
            self.namespace = self._stack.enter_context(Namespace())
            path = self.namespace.path
            interface = self._stack.enter_context(Interface(name, netns=path))
            interface.bring_up(f"{address}/24", _MTU)
            self._descriptor = interface.file_descriptor
            self._inside = open_namespace(path)
            self._stack.callback(os.close, self._inside)
            with self.inside(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
                request = _INTERFACE.pack(name.encode(), b"", b"")
                answer = fcntl.ioctl(any_socket, _SIOCGIFHWADDR, request)
                self.mac: bytes = _INTERFACE.unpack(answer)[2]
            os.set_blocking(self._descriptor, False)
        except BaseException:
            self._stack.close()
            raise

    def inside(self) -> AbstractContextManager[None]:
        """Inside, new sockets are of this host."""
        return inside(self._inside)

    def frames(self) -> list[bytes]:
        """Those that it has sent."""
        found = []
        while True:
            try:
                found.append(os.read(self._descriptor, _FRAME_BYTES))
            except BlockingIOError:
                return found

    def take(self, frame: bytes) -> None:
        os.write(self._descriptor, frame)

    def close(self) -> None:
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
