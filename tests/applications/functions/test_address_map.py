# SPDX-License-Identifier: Apache-2.0
"""address_map: every look-up finds the old or the new target, also of an address that moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random

import pytest

from tests.applications.functions.address_places import rivals
from tests.support.harness import Bench, Benches

ENTRIES = 16
LOOK, ACCESS = range(2)
MASK = (1 << 32) - 1


@dataclass(frozen=True)
class Entry:
    before: int
    after: int
    valid: bool = True

    @property
    def bits(self) -> int:
        return (self.valid << 32 | self.before) << 32 | self.after


EMPTY = Entry(0, 0, valid=False)


def write(bench: Bench, number: int, entry: Entry) -> None:
    bench.push([(1 << 16 | number) << 65 | entry.bits], ACCESS)


def finish(bench: Bench) -> bool:
    """Whether the last write was refused."""
    while bench.waiting(ACCESS):
        bench.run(5)
    bench.run(3)
    return bool(bench.items(ACCESS)[-1] >> 65)


def look(bench: Bench, addresses: Sequence[int]) -> list[int | None]:
    """What each becomes; None: it is not found."""
    bench.forget()
    bench.push(addresses, LOOK)
    bench.drain()
    return [item & MASK if item >> 32 & 1 else None for item in bench.items(LOOK)]


def stored(bench: Bench) -> list[Entry]:
    bench.forget()
    bench.push([number << 65 for number in range(ENTRIES)], ACCESS)
    bench.drain()
    return [
        Entry(item >> 32 & MASK, item & MASK, bool(item >> 64 & 1)) for item in bench.items(ACCESS)
    ]


@pytest.mark.parametrize("seed", range(3))
def test_writes_under_look_ups(benches: Benches, seed: int) -> None:
    """A look-up in every cycle; each finds what was there before the write or after it."""
    random = Random(seed)
    bench = benches("address_map", seed=seed, NumEntries=ENTRIES)
    # Few places in which all meet, so that they move all the time.
    pool = [*islice(rivals(0, ENTRIES), 3), *(random.getrandbits(32) for _ in range(24))]
    entries = [EMPTY] * ENTRIES
    moved = refusals = 0
    for _ in range(400):
        number = random.randrange(ENTRIES)
        new = random.choice([EMPTY, *[Entry(random.choice(pool), random.getrandbits(32))] * 5])
        taken = [e.before for n, e in enumerate(entries) if e.valid and n != number]
        before = {e.before: e.after for e in entries if e.valid}
        refused = new.valid and new.before in taken
        if not refused:
            entries[number] = new
        after = {e.before: e.after for e in entries if e.valid}
        bench.forget()
        asked = [random.choice(pool) for _ in range(60)]
        write(bench, number, new)
        bench.push(asked, LOOK)
        assert finish(bench) == refused
        refusals += refused
        while bench.waiting(LOOK):
            bench.run(20)
        bench.run(3)
        for address, item in zip(asked, bench.items(LOOK), strict=True):
            found = item & MASK if item >> 32 & 1 else None
            assert found in (before.get(address), after.get(address)), hex(address)
            moved += found != before.get(address)
        assert look(bench, pool) == [after.get(address) for address in pool]
    assert refusals > 20 and moved > 200
    assert stored(bench) == entries
    bench.reset()
    assert look(bench, pool) == [None] * len(pool)
    assert stored(bench) == [EMPTY] * ENTRIES


def test_an_address_without_a_place(benches: Benches) -> None:
    """Five with the same places: one stays in the register, further ones are refused."""
    bench = benches("address_map", NumEntries=ENTRIES)
    same = list(islice(rivals(5, ENTRIES), 7))
    for number, address in enumerate(same[:5]):
        write(bench, number, Entry(address, ~address & MASK))
        assert not finish(bench)
    expected: list[int | None] = [~address & MASK for address in same[:5]]
    assert look(bench, same) == [*expected, None, None]
    write(bench, 5, Entry(same[5], 1))
    assert finish(bench)
    assert look(bench, same) == [*expected, None, None]
    assert stored(bench)[5] == EMPTY
    # All can change and go, also the one that waits; then there is room.
    for number in range(5):
        write(bench, number, Entry(same[number], number))
        assert not finish(bench)
    assert look(bench, same) == [*range(5), None, None]
    for number in range(5):
        write(bench, number, EMPTY)
        assert not finish(bench)
        assert look(bench, same)[number] is None
    for number in range(5):
        write(bench, number, Entry(same[6 - number], number))
        assert not finish(bench)
    assert look(bench, same[2:]) == [4, 3, 2, 1, 0]


@pytest.mark.parametrize("removed", range(5))
def test_a_removal_lets_the_waiting_address_try_again(benches: Benches, removed: int) -> None:
    """Whichever of five with the same places goes, the register is free again."""
    bench = benches("address_map", NumEntries=ENTRIES)
    same = list(islice(rivals(5, ENTRIES), 6))
    for number, address in enumerate(same[:5]):
        write(bench, number, Entry(address, number))
        assert not finish(bench)
    other = next(address for address in range(1000) if address not in same)
    write(bench, 9, Entry(other, 9))
    assert finish(bench)
    write(bench, removed, EMPTY)
    assert not finish(bench)
    write(bench, 9, Entry(other, 9))
    assert not finish(bench)
    # The removal may also be that of an entry that gets another address, itself without a place.
    write(bench, removed, Entry(same[5], 7))
    assert not finish(bench)
    write(bench, 9, Entry(other + 1, 10))
    assert finish(bench)
    expected: list[int | None] = [None if n == removed else n for n in range(5)]
    assert look(bench, [*same, other]) == [*expected, 7, 9]


def test_one_a_cycle(benches: Benches) -> None:
    bench = benches("address_map", NumEntries=ENTRIES)
    write(bench, 3, Entry(7, 9))
    finish(bench)
    assert look(bench, [7, 8] * 50) == [9, None] * 50
    cycles = [received.cycle for received in bench.received(LOOK)]
    assert cycles[-1] - cycles[0] == 99
