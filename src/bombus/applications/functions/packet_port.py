# SPDX-License-Identifier: Apache-2.0
"""Frames of a network interface, for the carrier of a moved session."""

from __future__ import annotations

import socket
import time
from typing import Self

from bombus.base.errors import UserError

_ALL_PROTOCOLS = 3  # ETH_P_ALL
_FRAME_BYTES = 16_384
_WAIT_SECONDS = 0.0005


class PacketPort:
    """An AF_PACKET socket; needs CAP_NET_RAW. `mac`: of the interface."""

    def __init__(self, interface: str) -> None:
        try:
            self._socket = socket.socket(
                socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ALL_PROTOCOLS)
            )
            self._socket.bind((interface, 0))
        except OSError as error:
            raise UserError(f"{interface}: {error.strerror}") from None
        self._socket.setblocking(False)
        self.mac: bytes = self._socket.getsockname()[4]

    def send(self, frame: bytes) -> None:
        self._socket.send(frame)

    def frames(self) -> list[bytes]:
        found: list[bytes] = []
        while True:
            try:
                data, address = self._socket.recvfrom(_FRAME_BYTES)
            except BlockingIOError:
                return found
            if address[2] != socket.PACKET_OUTGOING:
                found.append(data)

    def wait(self) -> None:
        time.sleep(_WAIT_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
