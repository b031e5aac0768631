# SPDX-License-Identifier: Apache-2.0
"""rpu_share: messages by flow or in turn, whole, once, in order; a full lane holds up no other."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, pairwise
from random import Random

import pytest

from bombus.design.dispatch import crc
from tests.support.harness import PACES, Beats, Bench, Benches, Message, consecutive, pack_meta

pytestmark = pytest.mark.slow

WIDTH = 64
BEATS = Beats(WIDTH)
EVEN = 0xE4E4E4E4
ALL = 0b1111


def settings(lanes: int = ALL, *, in_turn: bool = False, flows: int = EVEN) -> int:
    return flows << 5 | in_turn << 4 | lanes


def message(random: Random, number: int, flow: int, length: int) -> Message:
    """Its flow is in the addresses and ports, its number in the first bytes."""
    payload = (number.to_bytes(3) + random.randbytes(length))[: max(3, length)]
    meta = pack_meta(
        ip=flow * 7919,
        l4__ports__src_port=flow % 1000,
        l4__ports__dst_port=0,
        length=len(payload),
    )
    return Message(payload, meta)


def messages(random: Random, count: int, flows: int, longest: int = 60) -> list[Message]:
    return [
        message(random, n, random.randrange(flows), random.randrange(3, longest))
        for n in range(count)
    ]


def lane_of(each: Message, flows: int) -> int:
    key = each["ip"] << 32 | each["l4.ports.src_port"] << 16 | each["l4.ports.dst_port"]
    return flows >> 2 * crc(key, 64, 4) & 3


def got(bench: Bench) -> list[list[Message]]:
    return [BEATS.messages(bench.items(lane), lengths=True) for lane in range(4)]


def numbers(each: Iterable[Message]) -> list[int]:
    return [int.from_bytes(one.payload[:3]) for one in each]


def all_numbers(bench: Bench) -> list[int]:
    """Of what has come by all lanes, sorted; each lane has its own in order."""
    there = got(bench)
    assert all(numbers(each) == sorted(numbers(each)) for each in there)
    return sorted(numbers(chain.from_iterable(there)))


@pytest.mark.parametrize("pace", PACES, ids=str)
def test_by_flow(benches: Benches, pace: dict[str, float]) -> None:
    random = Random(1)
    bench = benches("rpu_share")
    for flows in (EVEN, 0, 0xFFFFFFFF, random.getrandbits(32)):
        bench.forget()
        bench.control(settings(0b0001, flows=flows))  # which are enabled does not count
        bench.run(3)
        bench.pace(**pace)
        sent = messages(random, 400, 50)
        bench.push(BEATS.stream(sent, random))
        bench.drain()
        for lane, there in enumerate(got(bench)):
            assert there == [each for each in sent if lane_of(each, flows) == lane]
        assert bench.status == 0


@pytest.mark.parametrize("pace", PACES, ids=str)
@pytest.mark.parametrize("lanes", [ALL, 0b0101, 0b1000])
def test_in_turn(benches: Benches, pace: dict[str, float], lanes: int) -> None:
    random = Random(2)
    bench = benches("rpu_share")
    bench.control(settings(lanes, in_turn=True))
    bench.run(3)
    bench.pace(**pace)
    sent = messages(random, 400, 50)
    bench.push(BEATS.stream(sent, random))
    bench.drain()
    there = got(bench)
    for lane, each in enumerate(there):
        assert bool(each) == bool(lanes >> lane & 1)
    assert all_numbers(bench) == list(range(len(sent)))
    assert {each.payload for lane in there for each in lane} == {each.payload for each in sent}


def test_each_in_its_turn(benches: Benches) -> None:
    """Lanes that always have room get the same, without a gap, also for messages of one beat."""
    random = Random(3)
    bench = benches("rpu_share")
    bench.control(settings(in_turn=True))
    bench.run(3)
    sent = [message(random, n, n, 8) for n in range(200)]
    bench.push(BEATS.stream(sent))
    bench.drain()
    assert [numbers(each) for each in got(bench)] == [list(range(n, 200, 4)) for n in range(4)]
    assert consecutive(bench.taken()[4:])
    for lane in range(4):
        assert {b.cycle - a.cycle for a, b in pairwise(bench.received(lane)[1:])} == {4}


def test_a_lane_without_room_holds_up_nobody(benches: Benches) -> None:
    random = Random(4)
    bench = benches("rpu_share")
    bench.control(settings(in_turn=True))
    bench.stall(2, 1.0)
    bench.run(3)
    sent = messages(random, 300, 50)
    bench.push(BEATS.stream(sent))
    bench.drain()
    assert [bool(each) for each in got(bench)] == [True, True, False, True]
    bench.stall(2, 0.0)
    bench.push(BEATS.stream(messages(random, 300, 50)))
    bench.drain()
    assert got(bench)[2]


def test_switched_under_traffic(benches: Benches) -> None:
    """Messages stay whole, and none is lost or doubled, whatever is written when."""
    random = Random(5)
    bench = benches("rpu_share")
    bench.pace(gap=0.1, stall=0.2)
    sent = messages(random, 1500, 50, 100)
    bench.push(BEATS.stream(sent, random))
    while bench.waiting():
        flows = random.choice([EVEN, random.getrandbits(32)])
        lanes = random.randrange(1, 16)
        bench.control(settings(lanes, in_turn=random.random() < 0.5, flows=flows))
        bench.run(random.randrange(1, 40))
    bench.drain()
    assert all_numbers(bench) == list(range(len(sent)))


def test_reset_in_traffic(benches: Benches) -> None:
    random = Random(6)
    bench = benches("rpu_share")
    bench.control(settings(in_turn=True))
    for _ in range(20):
        bench.pace(stall=0.5)
        bench.push(BEATS.stream(messages(random, 30, 50)))
        bench.run(random.randrange(1, 60))
        bench.reset(1)
        bench.pace()
        bench.run(3)
        sent = messages(random, 30, 50)
        bench.push(BEATS.stream(sent))
        bench.drain()
        assert all_numbers(bench) == list(range(30))
