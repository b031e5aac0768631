# SPDX-License-Identifier: Apache-2.0
"""Copies to and from the memory of a processing element: by the streams of a layer `pe_dma`, or
else by the registers of its layer `pe_memory`. The bytes exist; there is at least one.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from bombus.simulator.native import SimulationError
from bombus.simulator.streams import Message, Stream

WORD_BYTES = 4

# Of pe_dma.sv
READ, WRITE = b"READ", b"WRIT"
_HEADER = struct.Struct("<QI4s")  # address, length, opcode
_REASONS = {
    1: "the memory has answered with an error",
    2: "the layer pe_dma has refused it",
    3: "the message had another length",
}
PIECE_BYTES = 65536  # of a message
ANSWER_US = 1000  # from one answer to the next, or from the first copy to its answer


class Copies(Protocol):
    """Reads and writes bytes by address. SimulationError if the memory does not do so."""

    def read(self, address: int, count: int) -> bytes:
        """So many bytes from an address on."""

    def write(self, address: int, data: bytes) -> None:
        """Writes bytes from an address on."""

    def forget(self) -> None:
        """The design was reset."""


class RegisterCopies:
    """By the registers of `pe_memory`: an access of the memory for every four bytes."""

    def __init__(self, registers: Any, name: str) -> None:
        self._registers = registers
        self._words = len(registers.word)  # of the window
        self._name = name

    def read(self, address: int, count: int) -> bytes:
        """As `Copies`."""
        first = address % WORD_BYTES
        with self._noticing(f"read of {count} bytes from {address:#x}"):
            words = (word.bits for word in self._word_range(address, count))
            data = b"".join(word.to_bytes(WORD_BYTES, "little") for word in words)
        return data[first : first + count]

    def write(self, address: int, data: bytes) -> None:
        """As `Copies`; words that it covers in part are read before."""
        end = address + len(data)
        before, after = address % WORD_BYTES, -end % WORD_BYTES
        given = self.read(address - before, before) if before else b""
        given += data
        given += self.read(end, after) if after else b""
        with self._noticing(f"write of {len(data)} bytes to {address:#x}"):
            for number, word in enumerate(self._word_range(address, len(data))):
                at = WORD_BYTES * number
                word.bits = int.from_bytes(given[at : at + WORD_BYTES], "little")

    def forget(self) -> None:
        """As `Copies`."""

    @contextmanager
    def _noticing(self, what: str) -> Iterator[None]:
        """SimulationError if the layer counts a failed access meanwhile."""
        before = self._registers.failed.count
        yield
        if failed := (self._registers.failed.count - before) % (1 << 32):
            raise SimulationError(f"{self._name}: {what}: {failed} accesses failed")

    def _word_range(self, address: int, count: int) -> Iterator[Any]:
        """The registers of the words with these bytes, each while the window shows it."""
        shown = None
        for number in range(address // WORD_BYTES, -(-(address + count) // WORD_BYTES)):
            position, index = divmod(number, self._words)
            if position != shown:
                self._registers.window.position = position
                shown = position
            yield self._registers.word[index]


class StreamCopies:
    """By the streams of `pe_dma`: a message for every 64 KiB, all of them sent at once."""

    def __init__(self, copy_in: Stream, copy_out: Stream, name: str) -> None:
        self._in, self._out = copy_in, copy_out
        self._beat = copy_in.data_bytes
        self._name = name
        self._late = 0  # answers to earlier copies that have not arrived

    def read(self, address: int, count: int) -> bytes:
        """As `Copies`."""
        pieces = [
            (at, min(PIECE_BYTES, address + count - at))
            for at in range(address, address + count, PIECE_BYTES)
        ]
        for at, size in pieces:
            self._send(READ, at, size)
        answers = self._answers(len(pieces), f"read of {count} bytes from {address:#x}")
        # The first beat begins at a multiple of its size.
        offset = address % self._beat
        return b"".join(
            answer.data[offset : offset + size]
            for answer, (_, size) in zip(answers, pieces, strict=True)
        )

    def write(self, address: int, data: bytes) -> None:
        """As `Copies`."""
        starts = range(0, len(data), PIECE_BYTES)
        for start in starts:
            piece = data[start : start + PIECE_BYTES]
            at = address + start
            self._send(WRITE, at, len(piece), bytes(at % self._beat) + piece)
        self._answers(len(starts), f"write of {len(data)} bytes to {address:#x}")

    def forget(self) -> None:
        """As `Copies`: no answer follows."""
        self._late = 0

    def _send(self, opcode: bytes, address: int, size: int, data: bytes = b"") -> None:
        header = _HEADER.pack(address, size, opcode)
        self._in.send(header.ljust(self._beat, b"\0") + data)
        self._late += 1

    def _answers(self, count: int, what: str) -> Sequence[Message]:
        """The answers to the latest copies. SimulationError after the last one if one failed, or
        if one does not arrive in time; a later copy then receives it first.
        """
        answers: list[Message] = []
        while self._late:
            answer = self._out.receive(ANSWER_US)
            if answer is None:
                raise SimulationError(f"{self._name}: {what}: no answer after {ANSWER_US} us")
            self._late -= 1
            if self._late < count:
                answers.append(answer)
        for answer in answers:
            if status := answer.data[-1]:
                reason = _REASONS.get(status, f"status {status}")
                raise SimulationError(f"{self._name}: {what}: {reason}")
        return answers
