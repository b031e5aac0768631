# SPDX-License-Identifier: Apache-2.0
"""Joins the fragments of a message as a receiver does (docs/applications/vr/wire.md)."""

from __future__ import annotations

import struct

from bombus.applications.vr.messages import FRAGMENT_HEADER_BYTES, LINE, MessageError

LONGEST = (1 << 14) - 1  # bytes of a message in the hardware


class Joiner:
    """Holds one incomplete message of at most `lines` lines of 64 bytes."""

    def __init__(self, lines: int) -> None:
        self.most = min(lines * LINE, LONGEST)
        self._held: tuple[object, int, int] | None = None  # sender, id, length
        self._data = b""

    def take(self, datagram: bytes, source: object) -> bytes | None:
        """The whole message after its last fragment, None after another one.

        Raises:
            MessageError: the fragment does not continue what is held, which is discarded.
        """
        held, data = self._held, self._data
        self._held, self._data = None, b""
        if len(datagram) <= FRAGMENT_HEADER_BYTES:
            raise MessageError("a fragment without data")
        number, start, length = struct.unpack_from("<QQQ", datagram, 4)
        if start and ((source, number, length) != held or start != len(data)):
            raise MessageError("a fragment that does not continue the message")
        data = data[:start] + datagram[FRAGMENT_HEADER_BYTES:]
        if len(data) > length or length > self.most:
            raise MessageError("a fragment or its message is too long")
        if len(data) == length:
            return data
        self._held, self._data = (source, number, length), data
        return None
