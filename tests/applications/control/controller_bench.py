# SPDX-License-Identifier: Apache-2.0
"""Messages to the bench of a controller (benches/controller.sv), and its answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from bombus.applications.control.messages import Key, answer, request
from tests.support.harness import Bench, Layout

KEY = Key(bytes(range(16)))  # of the design
BEAT = 64  # bytes
ITEM = Layout(("data", 8 * BEAT), ("bytes", 7), ("last", 1), ("port", 16))
CONTROL = Layout(
    ("key", 128),
    ("first_page", 16),
    ("last_page", 16),
    ("may_read", 1),
    ("may_write", 1),
    ("secret", 64),
)
TABLE, ENTRIES = 0x1000, 16
APPLIED, REFUSED, HELLOS, BUSY, LONG, MALFORMED, ADDRESS, NO_KEYS, BAD_TAG = range(9)


def beats(message: bytes, port: int = 0) -> Iterator[int]:
    for start in range(0, len(message), BEAT):
        part = message[start : start + BEAT]
        last = int(start + BEAT >= len(message))
        yield ITEM.pack(data=int.from_bytes(part, "little"), bytes=len(part), last=last, port=port)


def messages(items: Iterable[int]) -> Iterator[tuple[int, bytes]]:
    """The messages, each with the port of its first beat."""
    data, port = b"", 0
    for item in items:
        beat = ITEM.unpack(item)
        port = port if data else beat["port"]
        data += beat["data"].to_bytes(BEAT, "little")[: beat["bytes"]]
        if beat["last"]:
            yield port, data
            data = b""
    assert not data


class Driver:
    """A bench; `events`: counted since the reset."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.events = Counter[int]()

    def exchange(self, sent: Iterable[bytes], *, quiet: int = 6000) -> list[bytes]:
        """The answers to messages. `quiet`: cycles without any; the longest batch takes 5,000."""
        for message in sent:
            self.bench.push(list(beats(message)))
        self.bench.drain(limit=10_000_000, quiet=quiet)
        found = [message for _, message in messages(self.bench.items())]
        self.events.update(dict(enumerate(self.bench.events)))
        self.bench.forget()
        return found

    def hello(self, key: Key) -> int:
        """The boot."""
        (found,) = self.exchange([request(key, 0, b"", boot=0, client=1)])
        return answer(key, found).boot

    def reset(self) -> None:
        self.bench.reset()
        self.events.clear()

    @property
    def table(self) -> list[int]:
        status = self.bench.status
        return [status >> 32 * n & 0xFFFF_FFFF for n in range(ENTRIES)]
