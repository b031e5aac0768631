# SPDX-License-Identifier: Apache-2.0
"""drop_log alone: pulses of one cycle, late and unknown messages, drops that do not fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

import pytest

from bombus.applications.logs.entries import DropEntry, drop_entry
from bombus.design.rtl import struct_layout
from tests.support.harness import Bench, Benches
from tests.support.rtl_files import Mutation, sampled

pytestmark = pytest.mark.slow

DROPS, STREAMS, HEADER_BYTES, KEPT = 5, 2, 16, 8
COUNTERS = (300, 6, 7, 8, 9)  # of the drops
STREAM_OF = (0, 0, 1, 1, None)
NUMBER_BITS, KNOWN = 17, 1 << 16
META_BITS = struct_layout("observed_beat_t", "bombus_pkg")["meta"].width


@dataclass(frozen=True)
class Beat:
    """A beat that is taken, of a message with so many bytes."""

    data: bytes
    last: bool = True
    length: int = 0
    meta: int = 0
    is_packet: bool = True

    def bits(self) -> int:
        value = self.meta
        for field_, width in ((self.is_packet, 1), (self.length, 14), (self.last, 1), (1, 1)):
            value = value << width | field_
        return value


BEAT_BITS = META_BITS + 17


@dataclass
class Cycle:
    """What is seen in a cycle: `pulses`: number of the message of each drop; None: not known."""

    pulses: dict[int, int | None] = field(default_factory=dict)
    beats: dict[int, Beat] = field(default_factory=dict)

    def item(self) -> int:
        pulses = messages = data = beats = 0
        for drop, number in self.pulses.items():
            pulses |= 1 << drop
            known = 0 if number is None else KNOWN | number % (1 << 16)
            messages |= known << NUMBER_BITS * drop
        for stream, beat in self.beats.items():
            data |= int.from_bytes(beat.data, "little") << 64 * stream
            beats |= beat.bits() << BEAT_BITS * stream
        value = beats << 64 * STREAMS | data
        value = value << NUMBER_BITS * DROPS | messages
        return value << DROPS | pulses


def message(random: Random, size: int) -> list[Beat]:
    """Beats of a message with `size` bytes."""
    data = random.randbytes(size)
    parts = [data[at : at + 8] for at in range(0, max(1, size), 8)]
    meta = random.getrandbits(META_BITS)
    return [
        Beat(part.ljust(8, b"\0"), number == len(parts) - 1, size, meta)
        for number, part in enumerate(parts)
    ]


def head(beats: Sequence[Beat]) -> bytes:
    return b"".join(beat.data for beat in beats)[: min(HEADER_BYTES, beats[0].length)]


def run(bench: Bench, cycles: Sequence[Cycle]) -> list[DropEntry]:
    bench.forget()
    bench.pace()
    bench.push([cycle.item() for cycle in cycles])
    bench.drain()
    bench.run(80)
    assert bench.status == 0
    return [drop_entry(item.to_bytes(200, "little")[:BYTES]) for item in bench.items()]


BYTES = -(-(struct_layout("drop_entry_t", "log_pkg")["meta"].offset + META_BITS) // 8)
BYTES += HEADER_BYTES


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rate", [0.1, 0.45])
def test_every_drop_has_its_message(benches: Benches, seed: int, rate: float) -> None:
    """Verdicts come before, with or after the bytes that are logged, also two in a cycle."""
    random = Random(seed)
    bench = benches("drop_log", seed=seed, HeaderBytes=HEADER_BYTES, Kept=KEPT)
    cycles = [Cycle() for _ in range(3_000)]
    pulses: list[tuple[int, int, int, bytes]] = []
    for stream in range(STREAMS):
        at = number = 0
        while at < 2_900:
            beats = message(random, random.choice([1, 8, 9, 16, 17, 40]))
            if random.random() < rate:
                drop = random.randrange(2) + 2 * stream
                when = at + random.randrange(1, 5)
                if drop not in cycles[when].pulses:
                    cycles[when].pulses[drop] = number
                    pulses.append((when, drop, number, head(beats)))
            for beat in beats:
                cycles[at].beats[stream] = beat
                at += random.choice([1, 1, 1, 3])
            number += 1
    for when in random.sample(range(2_900), 100):
        cycles[when].pulses[4] = None
        pulses.append((when, 4, 0, b""))
    entries = run(bench, cycles)
    start = min(entry.stamp.cycle for entry in entries) - min(when for when, *_ in pulses)
    expected = Counter(
        (when, COUNTERS[drop], first if drop < 4 else None) for when, drop, _, first in pulses
    )
    found = Counter(
        (entry.stamp.cycle - start, entry.counter, entry.packet.head if entry.packet else None)
        for entry in entries
    )
    assert found <= expected
    # A reason again in the cycle in which another one of its stream is queued
    missing = (expected - found).total()
    assert bench.events[0] <= missing <= 2 * bench.events[0] <= len(pulses) // 20
    assert {entry.stamp.time_us for entry in entries} == {77}


@pytest.mark.parametrize("later", [0, KEPT - 2, KEPT - 1, KEPT, 40])
def test_a_message_that_is_no_longer_kept(benches: Benches, later: int) -> None:
    bench = benches("drop_log", HeaderBytes=HEADER_BYTES, Kept=KEPT)
    cycles = [
        Cycle(beats={1: Beat(bytes([number] * 8), length=8)}) for number in range(1, later + 2)
    ]
    cycles += [Cycle() for _ in range(8)]
    cycles.append(Cycle({2: 0}))
    (entry,) = run(bench, cycles)
    assert entry.counter == COUNTERS[2]
    if later < KEPT - 1:
        assert entry.packet is not None
        assert (entry.packet.head, entry.packet.length) == (b"\1" * 8, 8)
    else:
        assert entry.packet is None


def test_fields_of_messages_that_are_no_packets(benches: Benches) -> None:
    bench = benches("drop_log", HeaderBytes=HEADER_BYTES, Kept=KEPT)
    beat = Beat(b"12345678", length=8, meta=(1 << META_BITS) - 1)
    other = Beat(b"abcdefgh", length=8, meta=(1 << META_BITS) - 1, is_packet=False)
    cycles = [Cycle(beats={0: beat, 1: other}), Cycle({0: 0, 3: 0})]
    packet, unknown = sorted(run(bench, cycles), key=lambda entry: -entry.counter)
    assert packet.is_packet and not unknown.is_packet
    assert packet.packet is not None and unknown.packet is not None
    assert (packet.packet.ip, unknown.packet.ip) == (0xFFFF_FFFF, 0)
    assert (packet.packet.head, unknown.packet.head) == (b"12345678", b"abcdefgh")


def test_drops_that_do_not_fit_are_counted(benches: Benches) -> None:
    """The first bytes of a message do not come: 32 drops wait, further ones are missed."""
    bench = benches("drop_log", HeaderBytes=HEADER_BYTES, Kept=KEPT)
    first = Beat(b"12345678", last=False, length=16)
    cycles = [Cycle(beats={0: first}), *(Cycle({0: 0}) for _ in range(50))]
    cycles += [Cycle() for _ in range(10)]
    cycles += [Cycle(beats={0: Beat(b"abcdefgh", length=16)})]
    entries = run(bench, cycles)
    assert len(entries) + bench.events[0] == 50
    assert len(entries) in (32, 33)
    assert all(e.packet is not None and e.packet.head == b"12345678abcdefgh" for e in entries)
    # Other streams are not affected meanwhile.
    cycles[20].beats[1] = Beat(b"ABCDEFGH", length=8)
    cycles[25].pulses[2] = 0
    bench = benches("drop_log", HeaderBytes=HEADER_BYTES, Kept=KEPT)
    entries = run(bench, cycles)
    assert entries[0].counter == COUNTERS[2]


def test_it_is_busy_while_a_drop_waits(benches: Benches) -> None:
    """Simulators skip no cycle in which its entry could be written."""
    bench = benches("drop_log", HeaderBytes=HEADER_BYTES, Kept=KEPT)
    first = Beat(b"12345678", last=False, length=16)
    bench.push([Cycle(beats={0: first}).item(), Cycle({0: 0}).item()])
    bench.drain()
    bench.run(40)
    assert bench.status == 1
    (entry,) = run(bench, [Cycle(beats={0: Beat(b"abcdefgh", length=16)})])
    assert entry.packet is not None and entry.packet.head == b"12345678abcdefgh"


def test_pulses_of_one_reason_while_another_is_queued(benches: Benches) -> None:
    """Two reasons of a stream in every cycle: one item a cycle, so half of them are missed."""
    bench = benches("drop_log", HeaderBytes=HEADER_BYTES, Kept=KEPT)
    beat = Beat(b"12345678", length=8)
    cycles = [Cycle(beats={0: beat}), Cycle(), Cycle(), *(Cycle({0: 0, 1: 0}) for _ in range(20))]
    entries = run(bench, cycles)
    lower = [entry for entry in entries if entry.counter == COUNTERS[0]]
    assert len(lower) == 20
    assert len(entries) + bench.events[0] == 40


def test_a_reason_that_waits_for_long(benches: Benches) -> None:
    """What waits behind another reason for 63 cycles is missed; the next drop in that cycle is
    logged with its own message.
    """
    bench = benches("drop_log", HeaderBytes=HEADER_BYTES, Kept=KEPT)
    cycles = [Cycle(beats={0: Beat(bytes([n] * 8), length=8)}) for n in range(3)]
    cycles += [Cycle({0: 0, 1: 1 if n < 32 else 2}) for n in range(100)]
    entries = run(bench, cycles)
    (late,) = (entry for entry in entries if entry.counter == COUNTERS[1])
    first = min(entry.stamp.cycle for entry in entries)
    assert late.stamp.cycle - first >= 32
    assert late.packet is not None and late.packet.head == bytes([2] * 8)


ALL = partial(test_every_drop_has_its_message, seed=0, rate=0.45)
BROKEN: tuple[tuple[Mutation, Callable[[Benches], None]], ...] = (
    (
        Mutation("drop_heads", "later >= 16'(Kept)", "later > 16'(Kept)"),
        partial(test_a_message_that_is_no_longer_kept, later=KEPT - 1),
    ),
    (
        Mutation("drop_heads", "beat_i.is_packet ? beat_i.meta : '0", "beat_i.meta"),
        test_fields_of_messages_that_are_no_packets,
    ),
    (Mutation("drop_queue", "stamp_q.cycle - 48'(age_q[d])", "stamp_q.cycle"), ALL),
    (
        Mutation("drop_queue", "(|pending_q & ~room) | ", ""),
        test_drops_that_do_not_fit_are_counted,
    ),
    (Mutation("drop_log", "complete[n] | ~known[n]", "1'b1"), ALL),
)


@pytest.mark.parametrize(
    ("mutation", "test"),
    [pytest.param(*broken, marks=sampled(n), id=str(n)) for n, broken in enumerate(BROKEN)],
)
def test_each_fault_is_found(
    tmp_path: Path, mutation: Mutation, test: Callable[[Benches], None]
) -> None:
    broken = Benches(rtl=mutation.copy(tmp_path))
    with pytest.raises(AssertionError):
        test(broken)
