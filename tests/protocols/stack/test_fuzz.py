# SPDX-License-Identifier: Apache-2.0
"""Mutated frames in large numbers: the model agrees with every answer and every counter.

`BOMBUS_FUZZ_SEED` chooses other frames, `BOMBUS_FUZZ_FRAMES` how many the sweep has in all
(100,000). A failure names both the seed and the batch.
"""

from __future__ import annotations

import os
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bombus.protocols.frames import (
    ARP_REPLY,
    ARP_REQUEST,
    ETHERNET_BYTES,
    IPV4_BYTES,
    TYPE_ARP,
    TYPE_IPV4,
    Host,
    sums_to_zero,
)
from bombus.protocols.stack import ERROR_BURST, Outcome, Stack
from tests.protocols.stack.frame_mutation import Mutator, ip_start
from tests.support.bench import DESIGNS, FAR, FUSED, GATEWAY, PEER, TAGGED, Bench

pytestmark = pytest.mark.slow

SEED = os.environ.get("BOMBUS_FUZZ_SEED", "1")
FRAMES = {
    "sample": 10_000,
    "sweep": int(os.environ.get("BOMBUS_FUZZ_FRAMES", "100000")),
}
NEIGHBOURS = [PEER, GATEWAY, TAGGED]
STATIONS = [*NEIGHBOURS, FAR]
BATCH = 2500
# Enough for everything except packets with options, of which few occur in a row.
GAP_CYCLES = 24
# Bytes used of the queue of packets that wait for an address.
WAITING_BYTES = 6000
FORGET_SECONDS = 320
WILD = 2000
# Frames shown for a failure.
SUSPECTS = 3

# Shares of the frames: most on the design that simulates fastest. Idle cycles at the input, and
# stalls at the output.
PARTS = [
    *[(FUSED, f"fused-{n}", 0.12, 0.2 * n, 0.15 * n) for n in range(5)],
    *[(DESIGNS[512], f"512-{n}", 0.08, 0.3 * n, 0.3 * n) for n in range(2)],
    (DESIGNS[256], "256", 0.08, 0.1, 0.1),
    (DESIGNS[128], "128", 0.08, 0.1, 0.1),
    (DESIGNS[64], "64", 0.08, 0.1, 0.05),
]
SAMPLES = ("fused-0", "fused-4", "512-1", "64")  # the other parts are left to `make test-all`


@dataclass
class Batch:
    frames: list[bytes] = field(default_factory=list)
    replies: list[bytes] = field(default_factory=list)
    drops: Counter[str] = field(default_factory=Counter)


class Batches:
    """Sorts mutated frames into batches whose outcome does not depend on timing.

    A frame that would exceed ARP's questions, its memory, or the limit of ICMP errors is put into a
    later batch; one that changes ARP bindings goes to `wild`.
    """

    def __init__(self, mutator: Mutator, model: Stack) -> None:
        self._mutator = mutator
        self._model = model
        self._later: list[bytes] = []
        self.wild: list[bytes] = []

    def next(self, count: int) -> Batch:
        """The next batch; the model processes it."""
        batch = Batch()
        source = self._source()
        while len(batch.frames) < count:
            frame = next(source)
            if self._teaches(frame):
                self.wild.append(frame)
            elif (outcome := self._outcome(frame)) is not None:
                batch.frames.append(frame)
                batch.replies += outcome.replies
                batch.drops.update(outcome.drops)
            else:
                self._later.append(frame)
        return batch

    def _source(self) -> Iterator[bytes]:
        before, self._later = self._later, []
        yield from before
        while True:
            yield self._mutator.frame()

    def _teaches(self, frame: bytes) -> bool:
        start = ip_start(frame)
        if int.from_bytes(frame[start - 2 : start]) != TYPE_ARP:
            return False
        tci = int.from_bytes(frame[14:16]) & 0xFFF if start > ETHERNET_BYTES else None
        known = self._model.bindings.get((tci, frame[start + 14 : start + 18]))
        return known != frame[start + 8 : start + 14]

    def _outcome(self, frame: bytes) -> Outcome | None:
        """The outcome of a frame; None, without any effect, if it is uncertain."""
        model = self._model
        tokens = dict(model.error_tokens)
        before = {key: list(waiting) for key, waiting in model.questions.items()}
        outcome = model.process(frame)
        # The order of packets of two protocols is uncertain, and so is which one is dropped.
        certain = not {"eth_tx.no_room"} & set(outcome.drops)
        for key, waiting in model.questions.items():
            if waiting != before.get(key):
                # Two protocols race for the first question; with the same tag, this does not
                # matter.
                certain = waiting[0][0] == waiting[-1][0]
        # More errors could meet in the bucket of one peer, or reach the limit of all.
        errors = sum(ERROR_BURST - left for left in model.error_tokens.values())
        certain = certain and errors <= ERROR_BURST
        size = sum(len(packet) + 64 for queue in model.questions.values() for _, packet in queue)
        if certain and size <= WAITING_BYTES:
            return outcome
        model.error_tokens = tokens
        model.questions = before
        return None


def assert_legal(frame: bytes, host: Host) -> None:
    """Whatever ARP told the design, its frames are well-formed and have its own addresses."""
    start = ip_start(frame)
    assert frame[6:12] == host.mac
    if int.from_bytes(frame[start - 2 : start]) == TYPE_ARP:
        body = frame[start:]
        assert body[:6] == bytes.fromhex("000108000604")
        assert int.from_bytes(body[6:8]) in (ARP_REQUEST, ARP_REPLY)
        assert body[8:18] == host.mac + host.ip
        return
    assert int.from_bytes(frame[start - 2 : start]) == TYPE_IPV4
    assert not frame[0] & 1
    assert frame[start] == 0x45
    assert sums_to_zero(frame[start : start + IPV4_BYTES])
    assert frame[start + 12 : start + 16] == host.ip


def run_wild(bench: Bench, frames: list[bytes]) -> None:
    """Arbitrary ARP messages: answers are legal, and eventually everything is forgotten."""
    for frame in bench.simulation.exchange(frames, gap_cycles=100).received:
        assert_legal(frame.data, bench.host)
    bench.simulation.elapse(seconds=FORGET_SECONDS)
    for frame in bench.simulation.receive_all():
        assert_legal(frame.data, bench.host)
    bench.drops()
    bench.model.bindings.clear()
    bench.model.refill()
    bench.introduce(NEIGHBOURS)
    bench.alive(STATIONS)
    bench.conserved()


def culprits(design: Path, frames: list[bytes]) -> list[str]:
    """Frames of which one or a few make a design fail, as hex digits, limited in number."""
    suspects: list[list[bytes]] = [frames]
    while suspects and len(suspects[0]) > 1:
        size = (len(suspects[0]) + 7) // 8
        parts = [part[n : n + size] for part in suspects for n in range(0, len(part), size)]
        failing = [part for part in parts if _fails(design, part)]
        if not failing:
            break  # only together
        suspects = failing[:SUSPECTS]
    return [frame.hex() for part in suspects for frame in part][:SUSPECTS]


def _fails(design: Path, frames: list[bytes]) -> bool:
    try:
        with Bench(design, stations=NEIGHBOURS) as bench:
            bench.rest()
            bench.run(frames, gap_cycles=GAP_CYCLES)
            bench.give_up()
            bench.alive(STATIONS)
    except AssertionError:
        return True
    return False


@pytest.mark.parametrize("frames", ["sample", pytest.param("sweep", marks=pytest.mark.sweep)])
@pytest.mark.parametrize(
    ("design", "part", "share", "bubble", "stall"),
    [
        pytest.param(*each, marks=pytest.mark.sweep if each[1] not in SAMPLES else (), id=each[1])
        for each in PARTS
    ],
)
def test_mutated_frames(
    design: Path, part: str, share: float, bubble: float, stall: float, frames: str
) -> None:
    seed = f"{SEED}-{part}"
    # The state of registers without reset differs from part to part, too.
    with Bench(design, stations=NEIGHBOURS, seed=zlib.crc32(seed.encode())) as bench:
        bench.simulation.pace(rx_bubble=bubble, tx_stall=stall)
        batches = Batches(Mutator(seed, bench.host, STATIONS), bench.model)
        left = round(FRAMES[frames] * share)
        number = 0
        while left > 0:
            bench.rest()
            batch = batches.next(min(BATCH, left))
            try:
                bench.compare(
                    batch.frames, batch.replies, batch.drops, gap_cycles=GAP_CYCLES, ordered=False
                )
                bench.give_up()
                bench.introduce(NEIGHBOURS)
                bench.alive(STATIONS)
                bench.conserved()
                bench.simulation.check()
            except AssertionError as error:
                where = f"BOMBUS_FUZZ_SEED={SEED}, part {part}, batch {number}"
                pytest.fail(f"{where}: {error}\n" + "\n".join(culprits(design, batch.frames)))
            left -= len(batch.frames)
            number += 1
        assert batches.wild
        run_wild(bench, batches.wild[:WILD])


def test_same_seed_same_frames() -> None:
    host = Host(bytes(6), bytes(4), bytes(4))

    def some(seed: str) -> list[bytes]:
        mutator = Mutator(seed, host, STATIONS)
        return [mutator.frame() for _ in range(200)]

    assert some("a") == some("a") != some("b")
