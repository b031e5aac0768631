# SPDX-License-Identifier: Apache-2.0
"""The network interface with groups of replicas: tables that are written while it runs."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
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
    HERE,
    MESH_OUT,
    PLACES,
    SOURCE,
    check_constant_route,
    random_length,
)
from tests.support.harness import (
    SEEDS,
    Bench,
    Benches,
)

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", SEEDS)
def test_slot_moves_under_traffic(benches: Benches, seed: int) -> None:
    """One flow: each message goes where its slot led when it was sent; none is lost."""
    random = Random(seed)
    bench = groups_bench(benches, seed)
    bench.run(NUM_SLOTS + 1)
    set_pace(bench, gap=0.3, stall=0.6)
    flow = flow_message(random, 0, FLOW_HASH)
    slot = Choices().slot(flow)
    places = [place for place in PLACES if place != HERE]
    entry = (*places[0], 0)
    write_table(bench, SLOT_BASE + slot, entry)
    bench.run()
    bench.control(0)
    count = 200
    sent = [replace(flow, payload=random.randbytes(random_length(random))) for _ in range(count)]
    bench.push(SOURCE.stream(sent), 0)
    history: dict[int, Entry] = {}
    while bench.waiting(0):
        history[bench.cycle] = entry
        bench.control(0)
        if random.random() < 0.2:
            entry = (*random.choice(places), random.randrange(4))
            write_table(bench, SLOT_BASE + slot, entry)
        elif random.random() < 0.2:  # other slots, and one that is not there
            there = [n for n in range(NUM_SLOTS) if n != slot]
            other = random.choice([random.choice(there), slot + NUM_SLOTS])
            write_table(bench, SLOT_BASE + other, None)
        bench.run()
    bench.control(0)
    bench.drain()
    received = bench.received(MESH_OUT)
    check_constant_route([item for _, item in received])
    got = FLITS.messages([item for _, item in received])
    assert [m.payload for m in got] == [m.payload for m in sent]
    assert bench.events[0] == 0
    taken = iter(bench.taken(0))
    used = set()
    for message in got:
        cycles = [next(taken) for _ in range(FLITS.count(len(message.payload)))]
        route = (message.side["x"], message.side["y"], message.side["port"])
        # Chosen in the cycle after that in which the first flit was taken.
        assert route == history.get(cycles[0] + 1, entry)
        used.add(route)
    assert len(used) > 5


def by_load(bench: Bench, random: Random, count: int) -> tuple[Counter[Entry], int]:
    """Messages to the group of least_loaded: how many came where, and how many found no route."""
    bench.forget()
    bench.push(SOURCE.stream(flow_message(random, n, LEAST_LOADED) for n in range(count)))
    bench.drain()
    sides = [message.side for message in FLITS.messages(bench.items(MESH_OUT))]
    return Counter((side["x"], side["y"], side["port"]) for side in sides), bench.events[0]


def test_a_slot_without_route_is_not_chosen_again(benches: Benches) -> None:
    """Least loaded: at most two messages get lost, then the others share."""
    random = Random(1)
    bench = groups_bench(benches)
    bench.run(NUM_SLOTS + 1)
    slots = [FIRST_SLOT[LEAST_LOADED] + n for n in range(3)]
    places = [initial_slot(slot) for slot in slots]

    def shares(count: int) -> list[int]:
        came, lost = by_load(bench, random, count)
        assert lost == count - came.total()
        return [came[place] for place in places if place]

    assert shares(30) == [10, 10, 10]
    write_table(bench, SLOT_BASE + slots[1], None)
    bench.run()
    bench.control(0)
    first, none, third = shares(60)
    assert none == 0
    assert abs(first - third) <= 2
    assert 60 - first - third <= 2
    assert shares(60) == [30, 0, 30]
    write_table(bench, SLOT_BASE + slots[1], places[1])
    bench.run()
    bench.control(0)
    assert shares(20)[1] >= 18, "it is through with all, the others are not"


def test_a_slot_that_leads_elsewhere_is_not_chosen(benches: Benches) -> None:
    """Least loaded: at most three messages take it, and none is lost."""
    random = Random(2)
    bench = groups_bench(benches)
    bench.run(NUM_SLOTS + 1)
    slots = [FIRST_SLOT[LEAST_LOADED] + n for n in range(3)]
    places = [initial_slot(slot) for slot in slots]
    elsewhere = (0, 2, 1)
    assert elsewhere not in places and None not in places

    def shares(count: int) -> list[int]:
        came, lost = by_load(bench, random, count)
        assert lost == 0 and came.total() == count
        return [came[place] for place in (*places, elsewhere) if place]

    assert shares(40) == [14, 13, 13, 0]
    write_table(bench, SLOT_BASE + slots[1], elsewhere)
    bench.run()
    bench.control(0)
    first, none, third, few = shares(60)
    assert none == 0 and few <= 3 and abs(first - third) <= 2
    assert shares(60) == [30, 0, 30, 0]
    write_table(bench, SLOT_BASE + slots[1], places[1])
    bench.run()
    bench.control(0)
    assert shares(20)[1] >= 18


def test_a_group_is_switched_to_least_loaded_and_back(benches: Benches) -> None:
    """One that also counts loads: its first slots are those of the replicas."""
    random = Random(5)
    bench = groups_bench(benches)
    bench.run(NUM_SLOTS + 1)
    choices, before = Choices(), 0
    for by_load in (True, False, True):
        write_table(bench, FLOW_HASH, None, group=0, choice=2 if by_load else 0)
        bench.run()
        bench.control(0)
        bench.forget()
        sent = [flow_message(random, n, FLOW_HASH) for n in range(150)]
        bench.push(SOURCE.stream(sent), 0)
        bench.drain()
        # No replica finishes anything, so that all loads grow alike.
        turns = [(before + n) % 5 for n in range(len(sent))]
        slots = turns if by_load else [choices.slot(message) for message in sent]
        before += len(sent) if by_load else 0
        entries = [initial_slot(slot) for slot in slots]
        wanted = [routed(m, entry) for m, entry in zip(sent, entries, strict=True) if entry]
        assert FLITS.messages(bench.items(MESH_OUT)) == wanted


@pytest.mark.parametrize(("hop", "count"), [(FLOW_HASH, 64), (DST_PORT, 8)])
def test_a_group_is_switched_to_round_robin_and_back(
    benches: Benches, hop: int, count: int
) -> None:
    """Its slots are taken in turn, whatever the flow."""
    random = Random(hop)
    bench = groups_bench(benches)
    bench.run(NUM_SLOTS + 1)
    choices, sent_before = Choices(), 0
    for in_turn in (True, False, True):
        choice = 1 if in_turn else 0
        write_table(bench, hop, None, group=hop - FLOW_HASH, choice=choice)
        bench.run()
        bench.control(0)
        bench.forget()
        sent = [flow_message(random, n, hop) for n in range(150)]
        bench.push(SOURCE.stream(sent), 0)
        bench.drain()
        if in_turn:
            slots = [FIRST_SLOT[hop] + (sent_before + n) % count for n in range(len(sent))]
        else:
            slots = [choices.slot(message) for message in sent]
        entries = [initial_slot(slot) for slot in slots]
        wanted = [routed(m, entry) for m, entry in zip(sent, entries, strict=True) if entry]
        assert FLITS.messages(bench.items(MESH_OUT)) == wanted
        sent_before += len(sent)


def test_hop_changes_between_tile_and_group(benches: Benches) -> None:
    random = Random(1)
    bench = groups_bench(benches)
    bench.run(NUM_SLOTS + 1)
    turn = 0
    for to_group in (False, True, False, True):
        write_table(bench, ROUND_ROBIN, (0, 2, 1), group=2 if to_group else None)
        bench.run()
        write_table(bench, 9, (3, 0, 2), group=2)  # another next hop to the same group
        bench.run()
        bench.control(0)
        for hop in (ROUND_ROBIN, 9):
            bench.forget()
            bench.push(SOURCE.beats(flow_message(random, 0, hop)))
            bench.drain()
            (message,) = FLITS.messages(bench.items(MESH_OUT))
            if to_group or hop == 9:
                expected = initial_slot(72 + turn % 3)
                turn += 1
            else:
                expected = (0, 2, 1)
            side = message.side
            assert (side["x"], side["y"], side["port"]) == expected


def test_nothing_is_sent_where_nothing_is(benches: Benches) -> None:
    """A slot or a hop that is led out of the mesh, or to a group that is not there, loses."""
    random = Random(5)
    bench = groups_bench(benches)
    bench.run(NUM_SLOTS + 1)

    def goes(index: int, entry: Entry, group: int | None = None) -> bool:
        hop = index
        if index >= SLOT_BASE:
            hop = ROUND_ROBIN
            for slot in range(FIRST_SLOT[hop], FIRST_SLOT[hop] + 3):
                write_table(bench, SLOT_BASE + slot, entry, group)
                bench.run()
        else:
            write_table(bench, index, entry, group)
            bench.run()
        bench.control(0)
        bench.forget()
        bench.push(SOURCE.beats(flow_message(random, 0, hop)))
        bench.drain()
        sent = len(FLITS.messages(bench.items(MESH_OUT)))
        assert bench.events[0] == 1 - sent
        return bool(sent)

    for index in (SLOT_BASE, 9):
        assert goes(index, (3, 3, 0))
        for entry in ((4, 3, 0), (255, 3, 0), (3, 4, 0), (3, 3, 4), (*HERE, 0)):
            assert not goes(index, entry)
    assert goes(9, (0, 0, 0), group=3)
    for index, group in ((9, 4), (9, 5), (9, 255), (SLOT_BASE, 3)):
        assert not goes(index, (0, 0, 0), group)


def test_tables_are_filled_after_reset(benches: Benches) -> None:
    """Slots too, in as many cycles as there are; turns begin with the first replica."""
    random = Random(2)
    bench = groups_bench(benches)
    for _ in range(20):
        set_pace(bench, gap=0.1, stall=0.5)
        bench.push(SOURCE.stream(flow_message(random, 0, hop) for hop in list(FIRST_SLOT) * 9), 0)
        bench.run(random.randrange(NUM_SLOTS, NUM_SLOTS + 60))
        for slot in range(72, 80):
            write_table(bench, SLOT_BASE + slot, None)
            bench.run()
        bench.control(0)
        bench.reset(1)
        bench.pace()
        start = bench.cycle
        sent = [flow_message(random, n, random.choice(list(FIRST_SLOT))) for n in range(30)]
        bench.push(SOURCE.stream(sent), 0)
        bench.drain()
        # One flit waits for the tables in the interface.
        assert bench.taken(0)[0] == start
        assert bench.received(MESH_OUT)[0].cycle == start + NUM_SLOTS + 2
        check_source(bench, sent, Choices())
        assert bench.status == 0
