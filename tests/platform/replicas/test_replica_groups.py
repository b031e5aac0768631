# SPDX-License-Identifier: Apache-2.0
"""The network interface with groups of replicas: choices by each policy, and loads."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import accumulate
from random import Random

import pytest

from tests.platform.replicas.groups_bench import (
    DST_PORT,
    FIRST_SLOT,
    FLOW_HASH,
    LEAST_LOADED,
    NUM_SLOTS,
    ROUND_ROBIN,
    SLOT_BASE,
    Choices,
    Entry,
    check_source,
    flow_message,
    groups_bench,
    initial_slot,
    routed,
    set_pace,
    write_table,
)
from tests.platform.routers.noc_traffic import (
    FLITS,
    MESH_OUT,
    OUT_END,
    SOURCE,
    TABLE,
    initial_entry,
)
from tests.support.harness import (
    PACES,
    SEEDS,
    Benches,
    Message,
    consecutive,
)

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", SEEDS)
def test_every_policy(benches: Benches, seed: int) -> None:
    random = Random(seed)
    bench = groups_bench(benches, seed)
    choices = Choices()
    for pace in PACES:
        bench.forget()
        set_pace(bench, **pace)
        hops = [*FIRST_SLOT, *FIRST_SLOT, 3, 9, 7]
        sent = [flow_message(random, n, random.choice(hops)) for n in range(400)]
        bench.push(SOURCE.stream(sent, random), 0)
        bench.drain()
        check_source(bench, sent, choices)


@pytest.mark.parametrize("seed", SEEDS)
def test_two_sources_share_the_turns(benches: Benches, seed: int) -> None:
    """Turns go on over messages of both; hashes do not care."""
    random = Random(seed)
    bench = groups_bench(benches, seed)
    set_pace(bench, gap=0.2, stall=0.3)
    sent = [
        [flow_message(random, 1000 * s + n, random.choice(list(FIRST_SLOT))) for n in range(300)]
        for s in range(2)
    ]
    for source, messages in enumerate(sent):
        bench.push(SOURCE.stream(messages, random), source)
    bench.drain()
    by_mark = {message["length"]: message for messages in sent for message in messages}
    got = FLITS.messages(bench.items(MESH_OUT))
    choices = Choices()
    lost = {
        mark
        for mark, m in by_mark.items()
        if m.side["next"] in (FLOW_HASH, DST_PORT) and not choices.entry(m)
    }
    assert bench.events[0] == len(lost)
    assert sorted(m["length"] for m in got) == sorted(by_mark.keys() - lost)
    for message in got:
        original = by_mark[message["length"]]
        entry = choices.entry(original)
        assert entry and message == routed(original, entry)


@pytest.mark.parametrize("hop", FIRST_SLOT)
@pytest.mark.parametrize("length", [8, 24])
def test_choice_takes_two_cycles_and_leaves_no_gap(benches: Benches, hop: int, length: int) -> None:
    random = Random(hop)
    bench = groups_bench(benches)
    bench.run(NUM_SLOTS + 1)
    choices = Choices()
    sent: list[Message] = []
    while len(sent) < 60:
        message = replace(flow_message(random, len(sent), hop), payload=random.randbytes(length))
        if hop in (ROUND_ROBIN, LEAST_LOADED) or choices.entry(message):
            sent.append(message)
    bench.push(SOURCE.stream(sent), 0)
    bench.drain()
    received, taken = bench.received(MESH_OUT), bench.taken(0)
    assert consecutive([cycle for cycle, _ in received])
    assert len(received) == len(taken)
    assert received[0].cycle == taken[0] + 2
    check_source(bench, sent, choices)


@pytest.mark.parametrize("hop", [ROUND_ROBIN, 9])
def test_end_is_told_when_the_layers_are_rid_of_a_message(benches: Benches, hop: int) -> None:
    """While it waits in the interface, too: idle layers have nothing left that could end."""
    random = Random(1)
    bench = groups_bench(benches)
    bench.run(NUM_SLOTS + 1)
    bench.stall(MESH_OUT, 0.8)
    sent = [flow_message(random, n, hop) for n in range(20)]
    ends = list(accumulate(FLITS.count(len(message.payload)) for message in sent))
    bench.push(SOURCE.stream(sent), 0)
    while bench.waiting(0):
        bench.run()
        taken = len(bench.taken(0))
        assert bench.events[OUT_END] == sum(end <= taken for end in ends)
    bench.drain()
    assert bench.events[OUT_END] == len(sent)


def test_load_is_told_by_replicas(benches: Benches) -> None:
    """A slot that is written starts without load; the others' counts stay."""
    random = Random(3)
    bench = groups_bench(benches)
    bench.run(NUM_SLOTS + 1)

    def send(count: int) -> list[int]:
        bench.forget()
        bench.push(SOURCE.stream(flow_message(random, 0, LEAST_LOADED) for _ in range(count)))
        bench.drain()
        return [m.side["x"] for m in FLITS.messages(bench.items(MESH_OUT))]

    assert send(9) == [0, 1, 2] * 3
    write_table(bench, SLOT_BASE + 77, (1, 3, 0))
    bench.run()
    bench.control(0)
    bench.run(2)
    assert send(3) == [1, 1, 1]
    assert Counter(send(3)) == Counter([0, 1, 2])
    for replica in range(3):
        bench.control(1 << TABLE.width + replica)
        bench.run(2)
        bench.control(0)
        bench.run(2)
        assert send(2) == [replica] * 2


def test_what_finds_no_room_waits_for_what_is_done(benches: Benches) -> None:
    """Each replica gets as many messages as it has room for; messages to other tiles pass."""
    random, limit = Random(4), 4
    bench = benches("network_interface", seed=1, HasGroups=1, Limit=limit)
    bench.run(NUM_SLOTS + 1)
    first = [initial_slot(FIRST_SLOT[LEAST_LOADED] + n) for n in range(3)]

    def send(hops: list[int], cycles: int = 100) -> list[Entry]:
        """Where messages came that set out in these cycles."""
        bench.forget()
        bench.push(SOURCE.stream(flow_message(random, n, hop) for n, hop in enumerate(hops)), 0)
        bench.run(cycles)
        sides = [message.side for message in FLITS.messages(bench.items(MESH_OUT))]
        return [(side["x"], side["y"], side["port"]) for side in sides]

    def done(replica: int) -> None:
        bench.control(1 << TABLE.width + replica)
        bench.run()
        bench.control(0)

    assert Counter(send([LEAST_LOADED] * 3 * limit)) == Counter(first * limit)
    others = [9, 9, FLOW_HASH, ROUND_ROBIN] * 5
    assert len(send(others)) >= len(others) - 5, "a few hashes have no route"
    assert send([LEAST_LOADED, LEAST_LOADED, 9]) == []
    assert bench.status, "something waits"
    for replica in (2, 0):
        done(replica)
        came = send([])
        assert came[0] == first[replica]
    assert came[1:] == [initial_entry(9)]
    assert not bench.status
