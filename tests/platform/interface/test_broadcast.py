# SPDX-License-Identifier: Apache-2.0
"""Words that packet processors broadcast: all see all, in one order, in the same cycle."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from tests.support.harness import PACES, Benches

pytestmark = pytest.mark.slow

MEMBERS = 16
HOST_WAITS = 64  # cycles (rpu_mailbox)


@pytest.mark.parametrize("pace", PACES, ids=str)
def test_all_see_all_in_one_order(benches: Benches, pace: dict[str, float]) -> None:
    random = Random(1)
    bench = benches("broadcast", NumMembers=MEMBERS)
    bench.control((1 << MEMBERS) - 1)
    bench.pace(gap=pace["gap"], stall=0.0)
    sent = []
    # No more than a queue has room for, then the next.
    for _ in range(20):
        for member in range(MEMBERS):
            words = [16 + random.randrange(16) << 32 | random.getrandbits(32) for _ in range(2)]
            bench.push(words, member)
            sent += words
        bench.drain(quiet=100)
    first = bench.items(0)
    assert sorted(first) == sorted(sent)
    assert all(bench.items(member) == first for member in range(MEMBERS))
    assert bench.events[:MEMBERS] == [0] * MEMBERS


@pytest.mark.parametrize("members", (2, 5, MEMBERS))
def test_members_take_turns(benches: Benches, members: int) -> None:
    """While all have words, no member sends a second one before all have sent the first."""
    bench = benches("broadcast", NumMembers=members)
    bench.control((1 << members) - 1)
    for member in range(members):
        bench.push([16 << 32 | member] * 2, member)
    bench.drain(quiet=100)
    senders = [item & 0xFF for item in bench.items(0)]
    assert sorted(senders[:members]) == sorted(senders[members:]) == list(range(members))


def test_cycles(benches: Benches) -> None:
    """From the write to where the core can read it: one alone, and the last of all at once."""
    bench = benches("broadcast", NumMembers=MEMBERS)
    bench.control((1 << MEMBERS) - 1)
    bench.push([16 << 32 | 1], 5)
    bench.drain(quiet=50)
    at = {bench.received(member)[0].cycle for member in range(MEMBERS)}
    assert len(at) == 1, "not in the same cycle"
    alone = at.pop() - bench.taken(5)[0]
    bench.forget()
    for member in range(MEMBERS):
        bench.push([(16 + member) << 32 | member], member)
    bench.drain(quiet=50)
    last = max(each.cycle for member in range(MEMBERS) for each in bench.received(member))
    first = min(bench.taken(member)[0] for member in range(MEMBERS))
    print(f"alone {alone} cycles, all at once {last - first}")
    assert alone <= 16
    assert last - first <= 105


def test_one_that_does_not_read_holds_up_nobody(benches: Benches) -> None:
    bench = benches("broadcast", NumMembers=4)
    bench.control(0b1110)
    bench.pace(gap=0.9, stall=0.0)
    words = [31 << 32 | n for n in range(100)]
    bench.push(words, 1)
    bench.drain(quiet=50)
    assert [bench.items(member) for member in (1, 2, 3)] == [words] * 3
    assert bench.events[:4] == [100 - 32, 0, 0, 0]
    bench.control(0b1111)
    bench.drain(quiet=100)
    assert bench.items(0) == words[:32]


def test_words_that_are_no_messages(benches: Benches) -> None:
    bench = benches("broadcast", NumMembers=4)
    bench.control(0b1111)
    bench.push([3 << 32 | 7], 2)
    bench.drain(quiet=50)
    assert all(bench.items(member) == [] for member in range(4))


@pytest.mark.parametrize("reads", (True, False))
def test_the_host_waits_a_bounded_time(benches: Benches, reads: bool) -> None:
    """While messages come in every cycle, one of the host takes the place of one of them, in the
    queue of its processor only.
    """
    members, words, messages = 4, 500, 12
    bench = benches("broadcast", NumMembers=members)
    bench.control(0b1111 if reads else 0b1110)
    for member in range(1, members):
        bench.push([(16 + member) << 32 | n for n in range(words)], member)
    bench.run(200)
    start = bench.cycle
    asked = [n << 32 | 0xABC0 + n for n in range(messages)]
    bench.push(asked, members)
    bench.drain(quiet=200)
    taken = bench.taken(members)
    assert taken[-1] < bench.taken(1)[-1], "only when all was over"
    waits = [later - at for at, later in pairwise([start, *taken])]
    assert min(waits[1:]) >= HOST_WAITS // 2 and max(waits) <= HOST_WAITS + 3, waits
    host = [item for item in bench.items(0) if item >> 32 < 16]
    assert host == [item for item in asked if item in host]
    assert bool(host) == reads
    lost = (members - 1) * words + messages - len(bench.items(0))
    if reads:  # two that are lost in one cycle count as one
        assert bench.events[0] <= lost <= bench.events[0] + messages
    assert all(item >> 32 >= 16 for item in bench.items(1))


def test_a_message_of_the_host_alone_is_not_lost(benches: Benches) -> None:
    bench = benches("broadcast", NumMembers=4)
    bench.control(0b1111)
    bench.push([5 << 32 | 7, 6 << 32 | 8], 4)
    bench.drain(quiet=100)
    assert bench.items(0) == [5 << 32 | 7, 6 << 32 | 8]
    assert bench.events[:4] == [0] * 4
