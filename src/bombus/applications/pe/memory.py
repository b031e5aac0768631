# SPDX-License-Identifier: Apache-2.0
"""The memory of a processing element, and buffers in it."""

from __future__ import annotations

from dataclasses import dataclass

from bombus.applications.pe.copies import Copies
from bombus.simulator.native import SimulationError

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

    def __init__(self, copies: Copies, size: int, name: str) -> None:
        self._copies = copies
        self._name = name
        self._buffers: list[Buffer] = []  # by address
        self.size = size

    # ---- Bytes ----

    def read(self, address: int, count: int) -> bytes:
        """Bytes from an address on; SimulationError if some do not exist or a read fails."""
        self._check(address, count)
        return self._copies.read(address, count) if count else b""

    def write(self, address: int, data: bytes) -> None:
        """Writes bytes from an address on; SimulationError if some do not exist or a write fails.

        Without a layer `pe_dma` it takes an access of the memory for every four bytes.
        """
        self._check(address, len(data))
        if data:
            self._copies.write(address, data)

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
        """Frees all buffers, after a reset."""
        self._buffers.clear()
        self._copies.forget()
