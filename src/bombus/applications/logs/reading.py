# SPDX-License-Identifier: Apache-2.0
"""Fetching a log: an entry a request, repeated until it is answered."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from bombus.applications.logs.messages import (
    Answer,
    LogError,
    Status,
    answer,
    header_bytes,
    pack,
    request,
)
from bombus.applications.logs.places import LogPlace
from bombus.base.output import writing

_WINDOW = 4  # requests that a log keeps
_TRIES = 20
_TIMEOUT_S = 0.2


class Port(Protocol):
    """A UDP port of a design."""

    def send(self, data: bytes) -> None: ...

    def receive(self) -> bytes | None:
        """A datagram from it; None if none arrives in time."""


class UdpPort:
    """A UDP port by a socket of this computer."""

    def __init__(self, address: str, port: int, timeout: float = _TIMEOUT_S) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.settimeout(timeout)
        self._socket.connect((address, port))

    def send(self, data: bytes) -> None:
        try:
            self._socket.send(data)
        except OSError as error:  # an ICMP error for an earlier datagram, or no route
            raise LogError(f"cannot send to {self._where()}: {error.strerror}") from None

    def _where(self) -> str:
        address, port = self._socket.getpeername()
        return f"{address}:{port}"

    def receive(self) -> bytes | None:
        try:
            return self._socket.recv(65535)
        except TimeoutError:
            return None
        except ConnectionRefusedError:
            raise LogError(f"no log answers at {self._where()}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._socket.close()


@dataclass(frozen=True)
class Fetched:
    """A log as it was read: entries `first` to `first` + len(`entries`) - 1."""

    state: Answer
    entries: tuple[bytes, ...]

    @property
    def first(self) -> int:
        return self.state.first

    @property
    def begins(self) -> bool:
        """Whether it contains the first entry since the reset."""
        return self.state.first == 0 and self.state.generation == 0

    def save(self, path: Path) -> None:
        """Writes the state, as an answer, and then the entries."""
        with writing(path):
            path.write_bytes(_state_bytes(self.state) + b"".join(self.entries))


def _state_bytes(state: Answer) -> bytes:
    fields = ("index", "first", "next", "lost", "entry_bits", "generation")
    values = {name: getattr(state, name) for name in fields}
    head = int.from_bytes(request(0, 0)[:3], "little")  # magic and version
    value = pack("answer_t", {**values, "status": state.status, "ring": int(state.ring)}) | head
    return value.to_bytes(header_bytes(), "little")


def load(path: Path) -> Fetched:
    """A log that `Fetched.save` has written."""
    data = path.read_bytes()
    state = answer(data[: header_bytes()])
    if state is None or state.status == Status.OK:
        raise LogError(f"{path} is not a log that `bombus logs` has written")
    size = state.entry_bytes
    body = data[header_bytes() :]
    if len(body) != size * (state.next - state.first):
        raise LogError(f"{path}: {len(body)} bytes of entries instead of {state.next} entries")
    entries = tuple(body[start : start + size] for start in range(0, len(body), size))
    return Fetched(state, entries)


def fetch(
    port: Port,
    place: LogPlace,
    *,
    most: int | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> Fetched:
    """Reads all entries that exist when it begins; `most`: at most so many, the last ones.

    Of a ring, entries that are overwritten meanwhile are missing at the front. LogError: no answer,
    a log of another layout, or one that is cleared meanwhile.
    """
    number = int(time.time_ns() // 1000) & 0xFFFF_FFFF
    state = _ask(port, place, (1 << 64) - 1, number)
    found: dict[int, bytes] = {}
    start = state.first if most is None else max(state.first, state.next - most)
    wanted = list(range(start, state.next))
    tries = 0
    while wanted:
        sent = wanted[:_WINDOW]
        for index in sent:
            port.send(request(index, number))
        answered = 0
        for _ in sent:
            data = port.receive()
            if data is None:
                break
            got = answer(data)
            if got is None or got.number != number or got.index not in sent:
                continue
            if got.generation != state.generation:
                raise LogError(f"{place.name} was cleared while it was read")
            answered += 1
            if got.status == Status.OK:
                found[got.index] = got.entry
            wanted = [index for index in wanted if index != got.index and index >= got.first]
        tries = 0 if answered else tries + 1
        if tries == _TRIES:
            raise LogError(f"{place.name}: no answer any more after {len(found)} entries")
        progress(len(found))
    start = state.next
    while start - 1 in found:
        start -= 1
    entries = tuple(found[index] for index in range(start, state.next))
    return Fetched(replace(state, first=start, number=0), entries)


def _ask(port: Port, place: LogPlace, index: int, number: int) -> Answer:
    for _ in range(_TRIES):
        port.send(request(index, number))
        while (data := port.receive()) is not None:
            state = answer(data)
            if state is None or state.number != number or state.index != index:
                continue
            if state.entry_bits != place.entry_bits:
                raise LogError(
                    f"{place.name} at port {place.port} has entries of {state.entry_bits} bits, "
                    f"those of the design file have {place.entry_bits}: another design runs"
                )
            return state
    raise LogError(f"{place.name}: no answer from UDP port {place.port}")
