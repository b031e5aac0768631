# SPDX-License-Identifier: Apache-2.0
"""The choice between replicas: hash, loads and completions, as in benches/dispatch_parts.sv."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import pytest

from bombus.design.dispatch import crc
from tests.support.harness import SEEDS, Bench, Benches, Layout

pytestmark = pytest.mark.slow

REPLICAS = (2, 3, 5, 8)
LOAD_LIMIT = (3, 63, 63, 63)
CONTROL = Layout(
    *(("idle", 1), ("finished", 2), ("entered", 1)),
    *(
        (f"{name}{n}", width)
        for n in range(4)
        for name, width in (("forget", 8), ("done", 8), ("take", 1))
    ),
    *(("data", 64), ("other", 1)),
    *((f"away{n}", 1) for n in range(4)),
    *((f"others{n}", 16) for n in range(4)),
    ("hold", 1),
)
STATUS = Layout(
    *(("told", 1), ("choice0", 3), ("choice1", 3), ("choice2", 3), ("choice3", 3)),
    *((f"hash{bits}", 8) for bits in range(1, 9)),
    *((f"dispatched{n}", 8) for n in range(4)),
    *((f"has_room{n}", 1) for n in range(4)),
    *((f"scarce{n}", 1) for n in range(4)),
)


def status(bench: Bench, name: str) -> int:
    return STATUS.get(bench.status, name)


def test_hash_is_a_remainder(benches: Benches) -> None:
    random = Random(1)
    bench = benches("dispatch_parts")
    words = [1 << bit for bit in range(64)] + [random.getrandbits(64) for _ in range(300)]
    for word in words:
        bench.control(CONTROL.pack(data=word))
        for bits in range(1, 9):
            assert status(bench, f"hash{bits}") == crc(word, 64, bits)


@pytest.mark.parametrize("bits", range(1, 9))
def test_neighbours_have_different_hashes(bits: int) -> None:
    """Any run of as many bits as the hash has maps one to one."""
    base = Random(bits).getrandbits(64)
    for shift in (0, 16, 31, 64 - bits):
        values = {crc(base ^ n << shift, 64, bits) for n in range(1 << bits)}
        assert len(values) == 1 << bits


@dataclass
class Loads:
    """Model of least_loaded."""

    count: int
    limit: int
    choice: int = 0
    loads: list[int] = field(init=False)
    known: list[int] = field(init=False)  # loads used for the choice: they are reset late
    others: list[int] = field(init=False)  # messages of other senders that do not count yet
    dispatched: int = 0

    def __post_init__(self) -> None:
        self.loads = [0] * self.count
        self.known = [0] * self.count
        self.others = [0] * self.count

    def step(self, take: bool, done: int, forget: int, others: int = 0) -> None:
        """`others`: two bits for each replica, messages of two other senders."""
        seen = list(self.known)
        if take:
            seen[self.choice] = min(self.limit, seen[self.choice] + 1)
        start = self.choice + int(take)
        order = [(start + i) % self.count for i in range(self.count)]
        chosen = min(order, key=lambda i: seen[i])
        for i in range(self.count):
            up, down = take and i == self.choice, bool(done >> i & 1)
            came = (others >> 2 * i & 3).bit_count()
            if self.others[i]:
                came -= int(down or not up)
                up, down = up or not down, False
            self.others[i] = 0 if forget >> i & 1 else min(7, self.others[i] + came)
            if up and not down:
                self.loads[i] = min(self.limit, self.loads[i] + 1)
            elif down and not up:
                self.loads[i] = max(0, self.loads[i] - 1)
        self.dispatched = int(take) << self.choice
        self.known = list(self.loads)
        self.loads = [0 if forget >> i & 1 else load for i, load in enumerate(self.loads)]
        self.choice = chosen


@pytest.mark.parametrize("senders", [1, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_least_load_is_chosen(benches: Benches, seed: int, senders: int) -> None:
    """Alone, or with two other tiles that send to the replicas, too."""
    random = Random(seed)
    bench = benches("dispatch_parts", seed=seed, NumOthers=senders - 1)
    for take_chance, done_chance, forget_chance, other_chance in (
        *((1.0, 0.0, 0.0, 0.0), (1.0, 1.0, 0.0, 0.1), (0.5, 0.15, 0.0, 0.1)),
        *((0.9, 0.1, 0.02, 0.05), (0.1, 0.5, 0.01, 0.3), (0.0, 0.5, 0.0, 0.2)),
        *((0.7, 0.3, 0.001, 0.1), (0.5, 0.5, 0.0, 0.5), (1.0, 0.9, 0.01, 0.4)),
    ):
        bench.control(0)
        bench.reset(random.randrange(1, 4))
        models = [Loads(*each) for each in zip(REPLICAS, LOAD_LIMIT, strict=True)]
        for _ in range(700):
            values = {}
            for n, model in enumerate(models):
                assert status(bench, f"choice{n}") == model.choice
                assert status(bench, f"dispatched{n}") == model.dispatched
                take = random.random() < take_chance
                done, forget = (
                    sum((random.random() < chance) << i for i in range(8))
                    for chance in (done_chance, forget_chance)
                )
                others = 0
                if senders > 1:
                    others = sum((random.random() < other_chance) << i for i in range(16))
                values |= {f"take{n}": int(take), f"done{n}": done, f"forget{n}": forget}
                values[f"others{n}"] = others
                model.step(take, done, forget, others)
            bench.control(CONTROL.pack(**values))
            bench.run()


@pytest.mark.parametrize("replica", range(5))
def test_what_goes_elsewhere_is_not_told_of(benches: Benches, replica: int) -> None:
    """While a replica's slot leads elsewhere, other tiles hear of no message to it, and it is soon
    not chosen, however high the loads of all are.
    """
    bench = benches("dispatch_parts", NumOthers=2)
    for before in (*range(6), 23, 150, 400):
        bench.reset(1)
        bench.control(CONTROL.pack(take2=1))
        bench.run(before)
        bench.control(CONTROL.pack(take2=1, forget2=1 << replica, away2=1))
        bench.run()
        bench.control(CONTROL.pack(take2=1))
        bench.run()
        chosen = []
        for _ in range(20):
            assert not status(bench, "dispatched2") >> replica & 1
            chosen.append(status(bench, "choice2"))
            bench.run()
        assert replica not in chosen[2:]


class Sender:
    """A sender that takes a choice when it may, each time that the test wants it to."""

    def __init__(self, bench: Bench, n: int) -> None:
        self._bench, self._n = bench, n
        bench.control(0)
        bench.reset(1)
        self._may = False
        self.takes: int | None = None  # the replica, in this cycle

    @property
    def dispatched(self) -> int:
        return status(self._bench, f"dispatched{self._n}")

    def step(
        self, wants: bool, done: int, others: int = 0, forget: int = 0, away: bool = False
    ) -> None:
        bench, n = self._bench, self._n
        take = wants and self._may
        self.takes = status(bench, f"choice{n}") if take else None
        inputs = {"take": int(take), "done": done, "others": others, "forget": forget}
        inputs["away"] = int(away)
        bench.control(CONTROL.pack(**{f"{name}{n}": value for name, value in inputs.items()}))
        has_room, scarce = (status(bench, f"{name}{n}") for name in ("has_room", "scarce"))
        self._may = not scarce or (bool(has_room) and not take)
        bench.run()


@pytest.mark.parametrize("senders", [1, 2, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_loads_stay_below_their_limit(benches: Benches, seed: int, senders: int) -> None:
    """A load exceeds it by 2 for each other sender at most. With nothing done, it is reached; with
    something done, all go on.
    """
    random, limit, n = Random(seed), 6, 1 + seed % 3
    count, margin = REPLICAS[n], 2 * (senders - 1)
    named = [benches("dispatch_parts", seed=1, NumOthers=senders - 1, Limit=limit)]
    named += [
        benches("dispatch_parts", seed=2 + each, NumOthers=senders - 1, Limit=limit)
        for each in range(senders - 1)
    ]
    for want_chance, done_chance in ((1.0, 0.0), (1.0, 0.2), (0.6, 0.6), (1.0, 0.9), (0.2, 0.1)):
        each = [Sender(bench, n) for bench in named]
        loads, sent, most = [0] * count, [0] * senders, 0
        hung = random.randrange(count)
        for cycle in range(600):
            done = sum(
                (loads[i] > 0 and i != hung and random.random() < done_chance) << i
                for i in range(count)
            )
            dispatched = [sender.dispatched for sender in each]
            for number, sender in enumerate(each):
                rest = [t for other, t in enumerate(dispatched) if other != number]
                bits = (t >> i & 1 for i in range(8) for t in (*rest, 0, 0)[:2])
                others = sum(bit << place for place, bit in enumerate(bits))
                sender.step(random.random() < want_chance, done, others)
            for i in range(count):
                loads[i] -= done >> i & 1
            for number, sender in enumerate(each):
                if sender.takes is not None:
                    loads[sender.takes] += 1
                    sent[number] += 1
            most = max(most, *loads)
            assert most <= limit + margin, cycle
        if not done_chance:
            assert min(loads) >= limit
        else:
            assert min(sent) > 0.7 * max(sent) > 25


def test_a_replica_that_is_forgotten_has_room(benches: Benches) -> None:
    bench = benches("dispatch_parts", Limit=5)
    sender = Sender(bench, 1)

    def shares(forget: int = 0, *, away: bool = False) -> list[int]:
        taken = [0] * REPLICAS[1]
        for cycle in range(40):
            written = forget if cycle == 0 else 0
            sender.step(wants=cycle > 3, done=0, forget=written, away=away and cycle == 0)
            if sender.takes is not None:
                taken[sender.takes] += 1
        return taken

    assert shares() == [5] * 3
    assert shares() == [0] * 3
    assert shares(forget=0b010) == [0, 5, 0]
    # The only one that is left may be taken in every cycle; all loads are forgotten.
    assert shares(forget=0b101, away=True) == [0, 5, 0]


def test_least_loaded_takes_turns_among_equals(benches: Benches) -> None:
    bench = benches("dispatch_parts")
    for n, count in enumerate(REPLICAS):
        order = []
        for _ in range(3 * count):
            order.append(status(bench, f"choice{n}"))
            bench.control(CONTROL.pack(**{f"take{n}": 1}))
            bench.run()
        assert order == list(range(count)) * 3


@pytest.mark.parametrize("seed", SEEDS)
def test_completions_tell_of_every_message_once(benches: Benches, seed: int) -> None:
    """Never before it is done, unless the layers are idle; in the end, of all."""
    random = Random(seed)
    bench = benches("dispatch_parts", seed=seed)
    for enter_chance, finish_chance in ((0.3, 0.1), (0.3, 0.3), (1.0, 0.5), (0.05, 0.5)):
        bench.control(0)
        bench.reset(1)
        entered = finished = told = 0
        for _ in range(800):
            told += status(bench, "told")
            assert told <= min(entered, finished)
            enter = int(random.random() < enter_chance)
            ends = [int(random.random() < finish_chance) for _ in range(2)]
            bench.control(CONTROL.pack(entered=enter, finished=ends[0] | ends[1] << 1))
            bench.run()
            entered += enter
            # Completions without an arrival are not carried over.
            finished = min(finished + sum(ends), entered)
        for _ in range(entered + 3):
            bench.control(CONTROL.pack(idle=1))
            told += status(bench, "told")
            bench.run()
        assert told + status(bench, "told") == entered


@pytest.mark.parametrize("seed", SEEDS)
def test_messages_that_nobody_dispatched_are_not_told_of(benches: Benches, seed: int) -> None:
    """Each dispatched message sends a request and is answered once that is answered: two messages
    leave and two arrive, one of which is reported. The tile is never idle.
    """
    random = Random(seed)
    bench = benches("dispatch_parts", seed=seed)
    entered = asked = answered = sent = told = 0
    for cycle in range(2000):
        enter = int(cycle < 1500 and entered - sent < 8 and random.random() < 0.3)
        ask = int(asked < entered and random.random() < 0.5)
        answer = int(answered < asked and random.random() < 0.3)
        send = int(sent < answered and random.random() < 0.5)
        bench.control(CONTROL.pack(entered=enter, other=answer, finished=ask | send << 1))
        bench.run()
        entered, asked = entered + enter, asked + ask
        answered, sent = answered + answer, sent + send
        told += status(bench, "told")
        assert told <= asked
    assert sent == entered > 100
    assert told == entered


def test_completions_forget_others_that_end_without_a_trace(benches: Benches) -> None:
    """A message without output swallows a later completion, but not after the tile was idle."""
    bench = benches("dispatch_parts")
    for idle in (0, 1):
        bench.reset()
        told = 0
        steps = [{"other": 1}, {}, {"idle": idle}, {}, {"entered": 1}, {"finished": 1}, {}, {}, {}]
        for values in steps:
            bench.control(CONTROL.pack(**values))
            bench.run()
            told += status(bench, "told")
        assert told == idle


def test_completions_tell_soon(benches: Benches) -> None:
    bench = benches("dispatch_parts")
    bench.control(CONTROL.pack(entered=1))
    bench.run()
    for values in ({"finished": 1}, {"idle": 1}):
        bench.reset()
        bench.control(CONTROL.pack(entered=1))
        bench.run()
        bench.control(0)
        bench.run(5)
        assert not status(bench, "told")
        bench.control(CONTROL.pack(**values))
        bench.run()
        bench.control(0)
        assert not status(bench, "told")
        bench.run()
        assert status(bench, "told")
        bench.run()
        assert not status(bench, "told")


def test_completions_tell_nothing_while_they_are_held(benches: Benches) -> None:
    """Not even of idle layers; afterwards of all that came."""
    bench = benches("dispatch_parts")
    for values in ({"finished": 1}, {"idle": 1}):
        bench.reset()
        told = []
        steps = [{"entered": 1, "hold": 1}] * 9 + [{"hold": 1, **values}] * 20 + [{}] * 20
        for step in steps:
            bench.control(CONTROL.pack(**step))
            bench.run()
            told.append(status(bench, "told"))
        assert told[:29] == [0] * 29 and sum(told) == 9


def test_completions_keep_what_finishes_at_once(benches: Benches) -> None:
    """Told one after the other, although the layers are never idle."""
    bench = benches("dispatch_parts")
    count, told = 60, 0
    steps = [{"entered": 1}] * 2 * count + [{"finished": 0b11}] * count + [{}] * 2 * count
    for values in steps:
        bench.control(CONTROL.pack(**values))
        bench.run()
        told += status(bench, "told")
    assert told == 2 * count
