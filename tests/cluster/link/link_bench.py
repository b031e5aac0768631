# SPDX-License-Identifier: Apache-2.0
"""Two links between boards and the wires between them (`benches/cluster_link.sv`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import NamedTuple

from scapy.layers.sctp import crc32c as scapy_crc32c

from tests.support.harness import Bench, Benches, Layout

A, B = 0, 1
WIRE = 2  # streams out: the beats on the wire from A, and from B
EVENTS = (
    *("packet_out", "packet_in", "beat_out", "beat_in", "crc_error", "bad_word"),
    *("retry", "resync", "duplicate", "lost", "up", "down"),
)
WORD = 8  # bytes
FAULTS = Layout(
    ("burst", 32),
    ("errors", 32),
    ("losses", 32),
    ("_", 3),
    ("down", 2),
    ("resets", 2),
    ("clean", 2),
    ("disables", 2),
    ("drains", 2),
    ("known", 2),
    ("expected_a", 16),
    ("expected_b", 16),
    ("holds", 2),
)
STATUS = Layout(
    *(("up", 2), ("drained", 2), ("known", 2), ("_", 2), ("expected_a", 16), ("expected_b", 16))
)
HEADER = Layout(
    ("length", 8), ("yield", 1), ("credit", 1), ("channel", 5), ("source", 8), ("destination", 8)
)

DATA = 1 << 31  # in the first half of a packet's first word
TRAIN = 6
CONTROL = Layout(("payload", 28), ("kind", 3), ("data", 1))
TRAINING = Layout(("own", 13), ("heard", 13), ("up", 1), ("knows", 1))
SESSION_KEY = Layout(("receiver", 13), ("sender", 13))


def crc32c(data: bytes, key: int = 0) -> bytes:
    """As it stands on the wire, added to a session key. Scapy returns the number whose big-endian
    bytes RFC 3309 sends.
    """
    return bytes(
        a ^ b
        for a, b in zip(
            scapy_crc32c(data).to_bytes(4, "big"), key.to_bytes(4, "little"), strict=True
        )
    )


class Packet(NamedTuple):
    header: int
    payload: bytes


def packet(random: Random, words: int) -> Packet:
    header = random.getrandbits(HEADER.width) >> 8 << 8 | words
    return Packet(header, random.randbytes(WORD * words))


def packets(random: Random, lengths: Iterable[int]) -> list[Packet]:
    return [packet(random, words) for words in lengths]


class Links:
    """A bench in which both sides send; `width` in bits."""

    def __init__(
        self,
        benches: Benches,
        width: int,
        seed: int = 1,
        name: str = "cluster_link",
        **parameters: int,
    ) -> None:
        self.width = width
        self.beat_bytes = width // 8
        self.bench: Bench = benches(name, seed=seed, DataWidth=width, **parameters)
        self.sent: tuple[list[Packet], list[Packet]] = ([], [])
        self._faults: dict[str, int] = {}

    def faults(self, **values: int) -> None:
        """Sets fields of the bench's `faults_t`; the others stay."""
        self._faults |= values
        self.bench.control(FAULTS.pack(**self._faults))

    def noise(self, *, ber: float = 0.0, loss: float = 0.0, burst: int = 1) -> None:
        """`ber`: chance of a bit to be the first wrong one of a burst; `loss`: of a beat to
        vanish.
        """
        chance = min(1.0, ber * self.width)
        scale = (1 << 32) - 1
        self.faults(errors=int(chance * scale), losses=int(loss * scale), burst=burst)

    def train(self, limit: int = 30_000) -> None:
        for _ in range(limit // 50):
            if self.status("up") == 3:
                self.bench.run(1500)  # until both receivers are in step
                return
            self.bench.run(50)
        raise AssertionError("the link does not come up")

    def wire(self, side: int) -> list[bytes]:
        """The words that a side has sent."""
        words: list[bytes] = []
        for item in self.bench.items(WIRE + side):
            data = (item & ((1 << self.width) - 1)).to_bytes(self.beat_bytes, "little")
            words += [data[n : n + WORD] for n in range(0, len(data), WORD)]
        return words

    def session_key(self, side: int) -> int:
        """What a side adds to CRCs: its session and the other one's, by its last training word."""
        halves = (int.from_bytes(word[:4], "little") for word in reversed(self.wire(side)))
        payload = next(
            CONTROL.get(half, "payload")
            for half in halves
            if not half & DATA and CONTROL.get(half, "kind") == TRAIN
        )
        sessions = TRAINING.unpack(payload)
        return SESSION_KEY.pack(receiver=sessions["heard"], sender=sessions["own"])

    def status(self, name: str) -> int:
        return STATUS.get(self.bench.status, name)

    def drain(self, sides: int = 0b11) -> None:
        """Disables both links, and returns what the other side has not received."""
        self.faults(disables=3)
        self.bench.run(20)
        # What one side expects is for the sender of the other.
        known = self.status("known")
        self.faults(
            known=known >> 1 | (known & 1) << 1,
            expected_a=self.status("expected_b"),
            expected_b=self.status("expected_a"),
            drains=sides,
        )

    def end_drain(self) -> None:
        """After a drain: the links may come up again."""
        self.faults(drains=0)
        self.bench.run(10)
        self.faults(disables=0)

    def send(self, side: int, sent: Sequence[Packet]) -> None:
        self.sent[side].extend(sent)
        self.bench.push([beat for each in sent for beat in self.beats(each)], side)

    def beats(self, sent: Packet) -> list[int]:
        size = self.beat_bytes
        parts = [sent.payload[at : at + size] for at in range(0, len(sent.payload), size)] or [b""]
        head = sent.header << self.width + 1
        last = 1 << self.width
        return [
            head | (last if n == len(parts) - 1 else 0) | int.from_bytes(part, "little")
            for n, part in enumerate(parts)
        ]

    def received(self, sender: int) -> list[Packet]:
        """The whole packets of a sender that have arrived."""
        found: list[Packet] = []
        data = b""
        for item in self.bench.items(sender):
            data += (item & ((1 << self.width) - 1)).to_bytes(self.beat_bytes, "little")
            if item >> self.width & 1:
                header = item >> self.width + 1
                words = WORD * HEADER.get(header, "length")
                assert not any(data[words:]), "words beyond the payload are not zero"
                assert len(data) < words + self.beat_bytes or not words
                found.append(Packet(header, data[:words]))
                data = b""
        return found

    def settle(self, limit: int = 400_000) -> None:
        """Runs until all that was sent has arrived."""
        for _ in range(limit // 500):
            self.bench.run(500)
            if all(self.counts(1 - side)["packet_in"] >= len(self.sent[side]) for side in (A, B)):
                break
        self.bench.run(1500)

    def check(self) -> None:
        """Everything that was sent has arrived, once and in order."""
        for side in (A, B):
            came = self.received(side)
            assert len(came) == len(self.sent[side]), self.counts()
            assert came == self.sent[side]

    def counts(self, side: int | None = None) -> dict[str, int]:
        """Events of one side, or the sums of both."""
        events = self.bench.events
        sides = (A, B) if side is None else (side,)
        return {name: sum(events[32 * each + n] for each in sides) for n, name in enumerate(EVENTS)}
