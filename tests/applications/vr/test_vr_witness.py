# SPDX-License-Identifier: Apache-2.0
"""vr_witness beside its model: every message that it sends, its counters and its state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from bombus.applications.vr.messages import (
    Commit,
    Mode,
    Prepare,
    Request,
    SetUp,
    State,
    Type,
    ValidateRead,
    fragments,
)
from bombus.applications.vr.model import Address, Limits, Sent, Witness
from bombus.base.macros import CHECKS
from tests.applications.vr.vr_cases import REQUESTS, Cases, address, responses, set_ups
from tests.applications.vr.vr_scenarios import LIMITS, SCENARIOS, Scenario
from tests.support.harness import PACES, Beats, Bench, BenchError, Benches, Message, pack_meta
from tests.support.rtl_files import Mutation, sampled

pytestmark = pytest.mark.slow

DROPS = ("malformed", "ignored", "gap", "full", "long", "fragment")
EVENTS = (
    *("acknowledged", "valid", "invalid", "view_change", "recovered", "handled", "sent"),
    *("stored", "memory_error"),
)
PORT = 12345
PENDING = 238  # bit of the status
BEATS = Beats(512)
READ_LATENCY, PREPARE_LATENCY = 3, 3  # cycles from the last beat
CLIENT = Address(0x0A4D0101, 40000)


class World:
    """The layer and its model, fed with the same messages. `further`: parameters of the bench."""

    def __init__(
        self, benches: Benches, seed: int = 1, limits: Limits = LIMITS, **further: int
    ) -> None:
        self.random = Random(seed)
        self.memory = 0  # bits of the control for the external log
        self.limits = limits
        self.model = Witness(limits)
        macros: dict[str, str | int] = {CHECKS: 1}
        parameters = further | {
            "".join(map(str.capitalize, name.split("_"))): value
            for name, value in asdict(limits).items()
            if value != getattr(LIMITS, name)
        }
        self.bench: Bench = benches("vr_witness", seed=seed, macros=macros, **parameters)
        self.time = 0
        self.expected: list[Sent] = []
        self.before: Counter[str] = Counter()

    def forget(self) -> None:
        """After a reset of the layer."""
        self.model = Witness(self.limits)
        self.expected.clear()
        self.before.clear()
        self.bench.forget()

    def control(self) -> None:
        self.bench.control(self.time | self.model.locked << 32 | self.memory << 92)

    def send(self, data: bytes, source: Address = CLIENT) -> None:
        meta = pack_meta(
            length=len(data),
            ip=source.ip,
            l4__ports__src_port=source.port,
            l4__ports__dst_port=PORT,
        )
        self.bench.push(BEATS.beats(Message(data, meta), self.random))
        unhandled = self._unhandled()
        self.expected += self.model.handle(data, source)
        self.model.counted["handled"] += self._unhandled() == unhandled

    def _unhandled(self) -> int:
        return sum(self.model.counted[name] for name in (*DROPS, "stored"))

    def elapse(self, time_us: int) -> None:
        self.time += time_us
        self.control()
        self.expected += self.model.elapse(self.time)

    def check(self) -> list[Sent]:
        """Runs until idle; compares everything that was sent, counted and kept."""
        self.bench.drain(quiet=150)
        for _ in range(50):  # a joined message of many requests
            if not self.bench.status >> 188 & 1:
                break
            self.bench.drain(quiet=150)
        found = []
        for message in BEATS.messages(self.bench.items(), lengths=True):
            assert message["l4.ports.src_port"] == PORT
            to = Address(message["ip"], message["l4.ports.dst_port"])
            found.append(Sent(to, message.payload))
        assert len(found) == len(self.expected)
        for got, wanted in zip(found, self.expected, strict=True):
            assert got.to == wanted.to
            assert got.data == wanted.data
        self.model.counted["sent"] += len(found)
        counted = self.bench.events
        for name, count in zip((*DROPS, *EVENTS), counted, strict=False):
            assert count == self.model.counted[name] - self.before[name], name
        model, status = self.model, self.bench.status
        numbers = [status >> 12 + 48 * n & (1 << 48) - 1 for n in range(3)]
        assert status & 7 == model.state
        assert (status >> 3 & 7, status >> 6 & 7) == (model.index, model.count)
        if model.state not in (State.OFF, State.RECOVERING):
            assert status >> 9 & 7 == model.view % model.count
        assert status >> 190 == model.cleaned
        assert numbers == [model.view, model.last, model.committed]
        lines = sum(len(entry.encode()) // 64 for entry in model.entries.values())
        assert status >> 156 & 0xFFFFFFFF == lines
        assert not status >> 188 & 1, "busy"
        self.expected.clear()
        self.before = model.counted.copy()
        self.bench.forget()
        return found

    def command(self, bit: int, slot: int, nonce: int) -> None:
        """By registers: the command of this bit of the control, 33 recover, 34 set_address."""
        to = address(slot)
        value = slot << 48 | to.port << 32 | to.ip
        value = value << 6 | 3 << 3 | 1
        self.bench.control(nonce << 128 | value << 35 | 1 << bit | self.time | 1 << 32)
        self.bench.run(20)
        self.control()
        self.bench.run(2)

    def set_address(self, slot: int) -> None:
        """By registers; the model takes the same by a message, whose reply does not count."""
        self.command(34, slot, 0)
        ip, port = address(slot)
        message = SetUp(mode=Mode.ADDRESS, slot=slot, ip=ip, port=port)
        self.model.handle(message.encode(), CLIENT)

    def join(self, index: int = 1, count: int = 3) -> None:
        """Normal state in view 0, with an empty log."""
        nonce = self.model._nonce + self.random.randrange(1, 1 << 56)
        for data in set_ups(index, count, nonce):
            self.send(data)
        for data in responses(self.model):
            self.send(data)
        self.check()
        assert self.model.state == State.NORMAL


def request(random: Random, size: int) -> Request:
    return Request(random.getrandbits(64), random.getrandbits(64), random.randbytes(size))


def test_operations_of_all_sizes(benches: Benches) -> None:
    """One by one, and as batches: acknowledged, committed, truncated, and sent to who asks."""
    world = World(benches)
    world.join()
    model, random = world.model, world.random
    for size in range(0, 200, 7):
        for count in (1, 2, 5):
            requests = [request(random, size + n) for n in range(count)]
            message = Prepare.of(0, model.last + 1, requests, model.committed)
            world.send(message.encode())
            world.send(Commit(0, model.last).encode())
        world.check()
    assert model.counted["acknowledged"] == 29 * 3 - model.counted["full"]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_scenarios(benches: Benches, scenario: Scenario) -> None:
    world = World(benches)
    scenario(world)
    world.check()


@pytest.mark.sweep
def test_fragments_are_dropped_without_joining(benches: Benches) -> None:
    world = World(benches, limits=replace(LIMITS, join_lines=0))
    world.join()
    message = Prepare.of(0, 1, [request(world.random, 140)]).encode()
    for part in fragments(message, 1, 100):
        world.send(part)
    world.send(message)
    world.check()
    assert (world.model.counted["malformed"], world.model.last) == (3, 1)


def test_random_messages(benches: Benches) -> None:
    run_random(benches, 40, 10)


@pytest.mark.sweep
def test_million_random_messages(benches: Benches) -> None:
    assert run_random(benches, 100, 510) >= 1_000_000


@pytest.mark.sweep
def test_random_messages_of_the_default_sizes(benches: Benches) -> None:
    """With batches of as many requests as a joined message may have."""
    limits = replace(Limits(), join_lines=256, retry_us=LIMITS.retry_us)
    run_random(benches, 20, 10, limits, (1, 2, 7, 100, 400, 511, 512, 513, 600, 680))


def run_random(
    benches: Benches,
    groups: int,
    batches: int,
    limits: Limits = LIMITS,
    requests: Sequence[int] = REQUESTS,
    **further: int,
) -> int:
    """Groups of batches of 20 messages on average, without those that join; returns how many."""
    seen: Counter[str] = Counter()
    states: Counter[State] = Counter()
    for group in range(groups):
        world = World(benches, seed=group + 1, limits=limits, **further)
        cases = Cases(world.random, world.model, requests)
        world.bench.pace(**PACES[group % len(PACES)])
        world.join(1, world.random.choice((3, 3, 5)))
        for _ in range(batches):
            for _ in range(world.random.randrange(1, 40)):
                world.send(cases.message(), cases.source)
                states[world.model.state] += 1
            world.check()
            if world.random.random() < 0.3:
                world.elapse(world.random.choice((1, 50, 120)))
                world.check()
            if world.model.counted["full"] and world.random.random() < 0.3:
                world.join(1, 3)
        seen += world.model.counted
    absent = {"memory_error"} | ({"long"} if limits.buffer_lines > 100 else set())
    assert set(seen) >= {*DROPS, *EVENTS} - absent
    assert set(states) >= set(State) - {State.OFF}
    return states.total()


def test_reset_in_traffic(benches: Benches) -> None:
    """A reset at any time: the witness is off, and joins again with an empty log."""
    random = Random(5)
    world = World(benches)
    for cycles in range(1, 120, 7):
        world.join()
        cases = Cases(random, world.model)
        for _ in range(30):
            world.send(cases.message())
        world.bench.run(cycles)
        world.bench.reset()
        world.bench.run(20)
        assert world.bench.status & 7 == State.OFF
        world.forget()
        world.set_address(7)  # no message is counted
        world.check()
        world.send(SetUp(mode=Mode.RECOVER, index=1, count=3, nonce=1 << 62).encode())
        world.check()
        assert world.model.state == State.OFF  # it has no addresses
        for _ in range(20):  # of the time before: it votes and acknowledges nothing
            world.send(cases.message())
        assert {sent.data[4] for sent in world.check()} <= {Type.SET_UP_REPLY, Type.RECOVERY}


def test_set_up_by_registers(benches: Benches) -> None:
    """While messages are refused: addresses, recovery, and one more address."""
    world = World(benches)
    world.model.locked = True
    world.control()
    for data in set_ups(1, 3, 9):
        world.send(data)
    world.check()
    assert world.bench.status & 7 == State.OFF

    world.model.locked = False
    for slot in range(8):
        world.set_address(slot)
    world.command(33, 0, 77)
    sent = world.model.handle(SetUp(mode=Mode.RECOVER, index=1, count=3, nonce=77).encode(), CLIENT)
    world.expected += sent[1:]
    world.model.locked = True
    world.check()
    for data in responses(world.model):
        world.send(data)
    world.check()
    assert world.model.state == State.NORMAL
    world.command(33, 0, 77)  # repeated: no second recovery with this nonce
    world.check()


def test_commands_between_messages(benches: Benches) -> None:
    """Messages without a break delay neither a command nor a repeated Recovery."""
    world = World(benches)
    for slot in range(8):
        world.set_address(slot)
    for number in range(400):  # dropped, in 2 cycles each
        world.send(ValidateRead(0, 1, number).encode())
    world.bench.run(20)
    world.command(33, 0, 77)
    sent = world.model.handle(SetUp(mode=Mode.RECOVER, index=1, count=3, nonce=77).encode(), CLIENT)
    world.expected += sent[1:]
    assert world.bench.status & 7 == State.RECOVERING
    world.elapse(LIMITS.retry_us)
    world.bench.run(20)
    assert len(world.bench.items()) == 4
    assert world.bench.waiting()
    world.check()


def test_pending_command(benches: Benches) -> None:
    """It waits for the end of a message, whose answer cannot be sent."""
    world = World(benches)
    world.bench.stall(0, 1.0)
    for _ in range(4):
        world.send(SetUp().encode())
    world.bench.run(20)
    world.set_address(7)
    assert world.bench.status >> PENDING & 1
    world.bench.stall(0, 0.0)
    world.check()
    assert not world.bench.status >> PENDING & 1


def test_pace(benches: Benches) -> None:
    """A read in 2 cycles, answered after 3; a Prepare of 217 bytes in 5, answered after 3."""
    world = World(benches)
    world.join()
    for number in range(50):
        world.send(ValidateRead(0, 1, number).encode())
    world.bench.drain()
    taken, sent = world.bench.taken(), [each.cycle for each in world.bench.received()]
    assert [b - a for a, b in pairwise(taken)] == [2] * 49
    assert [b - a for a, b in zip(taken, sent, strict=True)] == [READ_LATENCY] * 50
    world.check()
    for number in range(10):
        message = Prepare.of(0, number + 1, [request(world.random, 140)]).encode()
        assert len(message) == 217
        world.send(message)
    world.bench.drain()
    taken, sent = world.bench.taken(), [each.cycle for each in world.bench.received()]
    assert [b - a for a, b in pairwise(taken[::4])] == [5] * 9
    last_beats = taken[3::4]
    assert [b - a for a, b in zip(last_beats, sent, strict=True)] == [PREPARE_LATENCY] * 10
    world.check()


def test_pace_of_batches(benches: Benches) -> None:
    """Each 64 bytes of an operation take one cycle, the fields of a request 12 on average."""
    world = World(benches)
    world.join()
    cycles = allowed = 0
    for number in range(20):
        world.random.shuffle(sizes := list(range(0, 128, 9)))
        if number % 2:
            sizes = [world.random.randrange(900, 1000) for _ in range(3)]
        requests = [request(world.random, size) for size in sizes]
        last = world.model.last
        world.send(Prepare.of(0, last + 1, requests, last).encode())
        world.send(Commit(0, last + len(requests)).encode())
        world.bench.drain()
        taken, (reply,) = world.bench.taken(), world.bench.received()
        lines = sum((size + 63) // 64 for size in sizes)
        assert reply.cycle - taken[0] <= lines + 19 * len(sizes)
        cycles += reply.cycle - taken[0]
        allowed += lines + 12 * len(sizes)
        world.check()
    assert cycles <= allowed


# Each breaks a rule of the protocol, or an address in the log.
MUTATIONS = (
    Mutation("vr_control", "else if (~header_i.start_follows) st_next_o = StAsk;", ""),
    Mutation("vr_control", "if (~active | header_i.earlier)", "if (~active)"),
    Mutation("vr_control", "if (~is_normal | header_i.later)", "if (~is_normal)"),
    Mutation(
        "vr_control", "last_request) begin if (facts_i.no_room)", "last_request) begin if (1'b0)"
    ),
    Mutation("vr_replica", "(num_votes > {1'b0, quorum}) & reached_q", "reached_q"),
    Mutation("vr_replica", "(word_i[1] == nonce_i)", "1'b1"),
    Mutation("vr_set_up", "~is_off_i & old_q", "1'b0"),
    Mutation("vr_set_up", "& has_group;", ";"),
    Mutation("vr_transfer", "same_log_i ? now_i.last : now_i.committed", "now_i.last"),
    Mutation(
        "vr_control",
        "if (facts_i.has_quorum & (facts_i.repeated | ~facts_i.had_quorum))",
        "if (1'b1)",
    ),
    Mutation("vr_replica", "clean_o = header_i.clean_is_later ? committed_q : ", "clean_o = "),
    Mutation("vr_control", "if (leader_i[0]) begin", "if (1'b0) begin"),
    Mutation("vr_transfer", "jumps_far_q <= jumps_q &", "jumps_far_q <= 1'b0 &"),
    Mutation("vr_entries", "(lines > rest_q)", "1'b0"),
    Mutation("vr_entries", "~keeps_view_q |", ""),
    Mutation("vr_window", "(has_next_q | ended_q) &", "1'b1 &"),
    Mutation("vr_window", "& ~turns_o;", ";"),
    Mutation("vr_window", "after_q[6] & before_end", "before_end"),
    Mutation("vr_log", "64'(place_q)", "64'b0"),
    Mutation("vr_log_sender", "if (is_first) loaded[32*8+:6] = '0;", ""),
    Mutation("vr_header", "(number_t'(word[4]) <= number_t'(word[3]))", "1'b1"),
    Mutation("vr_join", "held_q & (id == id_q)", "held_q"),
    Mutation("vr_join", "(start_q == have_q)", "(start_q <= have_q)"),
    Mutation("vr_join", "(fragment_end <= {1'b0, total_q})", "1'b1"),
    Mutation("vr_log_sender", "start_q <= start_q + size_t'(FragmentData);", ""),
    Mutation("vr_replica", "(actions_i.commits & ~header_i.op_held)", "1'b0"),
    Mutation("vr_replica", "(st_i == StRoom) & finish_i & facts_o.same_log", "1'b0"),
    Mutation("vr_replica", "finish_i & facts_o.same_log", "finish_i"),
    Mutation("vr_control", "drops_o.gap & header_i.is_prepare", "1'b0"),
    Mutation("vr_log", "opened_q & freed_q & is_over", "1'b0"),
    Mutation("vr_log", "room_q + RoomBits'(pointer_t'(index_value - head_q))", "'0"),
    Mutation("vr_reader", "& ~holds_i", ""),
    Mutation("vr_replica", "retry_due_q & timer_o", "retry_due_q"),
)


@pytest.mark.parametrize(
    "mutation",
    [pytest.param(each, marks=sampled(n + 4), id=str(each)) for n, each in enumerate(MUTATIONS)],
)
def test_mutations_are_found(mutation: Mutation, tmp_path: Path) -> None:
    rtl = mutation.copy(tmp_path)
    with pytest.raises((AssertionError, BenchError)):
        for scenario in SCENARIOS:
            test_scenarios(Benches(rtl), scenario)
        test_commands_between_messages(Benches(rtl))
        run_random(Benches(rtl), 60, 20)
