# SPDX-License-Identifier: Apache-2.0
"""Memory of a host, and the requests of packet processors for it that are in flight."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field

from bombus.simulator.native import SimulationError

# What a frame to the host asks for: numbers as in rpu_host.h.
FRAME, WRITE, WRITE_ANSWERED, READ = range(4)


class HostMemory:
    """Bytes by address, from 0; all are 0 at first."""

    def __init__(self, size: int) -> None:
        if not 0 < size <= 1 << 32:
            raise SimulationError(f"host memory: should be 1 to {1 << 32} bytes, not {size}")
        self._bytes = bytearray(size)

    def __len__(self) -> int:
        return len(self._bytes)

    def has(self, address: int, count: int) -> bool:
        """Whether all of these bytes exist."""
        return address >= 0 and count >= 0 and address + count <= len(self._bytes)

    def read(self, address: int, count: int) -> bytes:
        """Bytes from an address on; SimulationError if some do not exist."""
        self._check(address, count)
        return bytes(self._bytes[address : address + count])

    def write(self, address: int, data: bytes) -> None:
        """Writes bytes from an address on; SimulationError if some do not exist."""
        self._check(address, len(data))
        self._bytes[address : address + len(data)] = data

    def _check(self, address: int, count: int) -> None:
        if not self.has(address, count):
            raise SimulationError(
                f"host memory has {len(self._bytes)} bytes, not {count} from {address:#x}"
            )


@dataclass(frozen=True)
class Request:
    """A request of a processor for bytes of the memory."""

    what: int
    processor: int
    tag: int
    address: int
    length: int  # bytes to read
    data: bytes  # to write
    most_bytes: int  # that the processor can take


@dataclass(frozen=True)
class Answer:
    """What a processor gets: the request that it answers, the bytes read, and whether it failed."""

    request: Request
    data: bytes = b""
    failed: bool = False


@dataclass
class Requests:
    """Requests in flight, at most `tags` at a time; the others wait, in order.

    A request takes `latency_ns` from the time at which it has come and has a tag; the memory
    changes at its end.
    `counts`: `reads`, `writes`, and requests that failed: `bad_address` (some bytes do not exist),
    `bad_length` (more bytes than a slot).
    """

    memory: HostMemory
    latency_ns: int
    tags: int
    answer: Callable[[Answer], None]
    counts: Counter[str]
    _waiting: deque[tuple[int, Request]] = field(default_factory=deque)  # with when it came
    _serving: deque[tuple[int, Request]] = field(default_factory=deque)  # with the time of its end

    @property
    def in_flight(self) -> int:
        """Requests that have a tag."""
        return len(self._serving)

    @property
    def waiting(self) -> int:
        """Requests that wait for a tag."""
        return len(self._waiting)

    def open(self, processor: int | None) -> int:
        """Requests that are not finished, of a processor or of all."""
        requests = (*self._waiting, *self._serving)
        return sum(processor in {None, each.processor} for _, each in requests)

    def add(self, request: Request, now_ns: int) -> None:
        """Takes a request, which `run` serves."""
        self._waiting.append((now_ns, request))

    def forget(self) -> None:
        """Gives up all requests."""
        self._waiting.clear()
        self._serving.clear()

    def run(self, now_ns: int) -> None:
        """Ends what has taken its time, and starts what waits for a tag."""
        while self._serving and self._serving[0][0] <= now_ns:
            end, request = self._serving.popleft()
            self._finish(request)
            self._start(end)
        self._start(now_ns)

    def _start(self, now_ns: int) -> None:
        while self._waiting and len(self._serving) < self.tags:
            came, request = self._waiting.popleft()
            self._serving.append((max(came, now_ns) + self.latency_ns, request))

    def _finish(self, request: Request) -> None:
        is_read = request.what == READ
        length = request.length if is_read else len(request.data)
        failure = ""
        if is_read and length > request.most_bytes:
            failure = "bad_length"
        elif not self.memory.has(request.address, length):
            failure = "bad_address"
        self.counts[failure or ("reads" if is_read else "writes")] += 1
        if failure:
            self.answer(Answer(request, failed=True))
        elif is_read:
            self.answer(Answer(request, self.memory.read(request.address, length)))
        else:
            self.memory.write(request.address, request.data)
            if request.what == WRITE_ANSWERED:
                self.answer(Answer(request))
