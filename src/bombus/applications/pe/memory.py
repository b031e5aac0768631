# SPDX-License-Identifier: Apache-2.0
"""The memory of a processing element, by the registers of its layer `pe_memory`, and buffers in
it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bombus.simulator.native import SimulationError

WORD_BYTES = 4
ALIGNMENT = 4096  # of buffers, in bytes: no AXI4 burst crosses a multiple


@dataclass(frozen=True)
class In:
    """An argument: the address of a buffer with these bytes when the kernel starts."""

    data: bytes

    def __len__(self) -> int:
        return len(self.data)


@dataclass(frozen=True)
class Out:
    """An argument: the address of a buffer of so many bytes, which `Outcome.outputs` gets."""

    size: int

    def __len__(self) -> int:
        return self.size


@dataclass(frozen=True)
class InOut:
    """An argument: `In` and `Out` in one."""

    data: bytes

    def __len__(self) -> int:
        return len(self.data)


class Buffer:
    """A part of a memory."""

    def __init__(self, memory: Memory, address: int, size: int) -> None:
        self._memory = memory
        self.address = address
        self.size = size

    def __index__(self) -> int:
        """Its address, so that a buffer is an argument of a kernel."""
        return self.address

    def write(self, data: bytes, offset: int = 0) -> None:
        """Writes bytes from an offset on; SimulationError if they do not fit or a write fails."""
        self._check(offset, len(data))
        self._memory.write(self.address + offset, data)

    def read(self, count: int | None = None, offset: int = 0) -> bytes:
        """So many bytes from an offset on; None: up to the end.

        SimulationError if they do not exist or a read fails.
        """
        count = self.size - offset if count is None else count
        self._check(offset, count)
        return self._memory.read(self.address + offset, count)

    def free(self) -> None:
        """Its bytes may be used by other buffers; SimulationError if it is free."""
        self._memory.release(self)

    def _check(self, offset: int, count: int) -> None:
        if offset < 0 or count < 0 or offset + count > self.size:
            raise SimulationError(
                f"a buffer of {self.size} bytes has no {count} bytes from {offset}"
            )


class Memory:
    """The memory of an element: bytes by address, and an allocator of buffers."""

    def __init__(self, registers: Any, size: int, name: str) -> None:
        self._registers = registers
        self._words = len(registers.word)  # of the window
        self._name = name
        self._buffers: list[Buffer] = []  # by address
        self.size = size

    # ---- Bytes ----

    def read(self, address: int, count: int) -> bytes:
        """Bytes from an address on; SimulationError if some do not exist or a read fails.

        Takes a read of the memory for every four bytes.
        """
        self._check(address, count)
        if not count:
            return b""
        first = address % WORD_BYTES
        with self._noticing(f"read of {count} bytes from {address:#x}"):
            words = (word.bits for word in self._word_range(address, count))
            data = b"".join(word.to_bytes(WORD_BYTES, "little") for word in words)
        return data[first : first + count]

    def write(self, address: int, data: bytes) -> None:
        """Writes bytes from an address on; SimulationError if some do not exist or a write fails.

        Takes a write of the memory for every four bytes.
        """
        self._check(address, len(data))
        if not data:
            return
        before = self.read(address - address % WORD_BYTES, address % WORD_BYTES)
        end = address + len(data)
        after = self.read(end, -end % WORD_BYTES)
        given = before + data + after
        with self._noticing(f"write of {len(data)} bytes to {address:#x}"):
            for number, word in enumerate(self._word_range(address, len(data))):
                at = WORD_BYTES * number
                word.bits = int.from_bytes(given[at : at + WORD_BYTES], "little")

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

    def _check(self, address: int, count: int) -> None:
        if address < 0 or count < 0 or address + count > self.size:
            raise SimulationError(
                f"{self._name} has a memory of {self.size} bytes, not {count} from {address:#x}"
            )

    # ---- Buffers ----

    def allocate(self, size: int) -> Buffer:
        """A buffer, at a multiple of 4 KiB; SimulationError if there is no room for it."""
        if size < 1:
            raise SimulationError(f"{self._name}: a buffer has at least one byte, not {size}")
        address = 0
        for number, other in enumerate((*self._buffers, None)):
            if address + size <= (self.size if other is None else other.address):
                buffer = Buffer(self, address, size)
                self._buffers.insert(number, buffer)
                return buffer
            if other is not None:
                end = other.address + other.size
                address = end + -end % ALIGNMENT
        raise SimulationError(f"the memory of {self._name} has no room for {size} bytes")

    def release(self, buffer: Buffer) -> None:
        """Frees a buffer; SimulationError if it is not one of this memory."""
        if buffer not in self._buffers:
            raise SimulationError(f"{self._name}: the buffer is free")
        self._buffers.remove(buffer)

    def forget(self) -> None:
        """Frees all buffers."""
        self._buffers.clear()
