# SPDX-License-Identifier: Apache-2.0
"""range_search and block_search against ipaddress: prefixes of all lengths, boundaries and their
neighbours.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Network
from random import Random

import pytest

from bombus.applications.firewall.blacklist import boundaries, is_covered, stages
from tests.support.harness import Bench, Benches

pytestmark = pytest.mark.slow

LAST = (1 << 32) - 1


UPPER = 1 << 31  # the list is in the upper half of the table


def write(bench: Bench, table: Sequence[int], first: int = 0) -> None:
    """`first`: number of the first boundary; if not 0, that of the upper half."""
    bench.push([n << 32 | boundary for n, boundary in enumerate(table, first)], 1)
    while bench.waiting(1):
        bench.run(20)
    bench.control(len(table) | (UPPER if first else 0))
    bench.run(30)


def judged(bench: Bench, keys: Sequence[int]) -> list[tuple[int, bool, int]]:
    """Key, whether it is covered, the number of its range."""
    bench.forget()
    bench.push(keys)
    bench.drain()
    items = bench.items(0)
    return [(item >> 1 & LAST, bool(item & 1), item >> 33 & 0x1FFFF) for item in items]


def check(bench: Bench, table: Sequence[int], keys: Sequence[int]) -> None:
    wanted = [(key, is_covered(table, key), bisect_right(table, key) // 2) for key in keys]
    got = judged(bench, keys)
    assert [each[:2] for each in got] == [each[:2] for each in wanted]
    ranges = [(g, (w[2])) for g, w in zip(got, wanted, strict=True) if w[1]]
    assert all(g[2] == w for g, w in ranges)


def random_prefixes(random: Random, count: int, shortest: int = 1) -> list[IPv4Network]:
    lengths = [random.randrange(shortest, 33) for _ in range(count)]
    return [IPv4Network((random.getrandbits(32), length), strict=False) for length in lengths]


def around(random: Random, networks: Iterable[IPv4Network], count: int) -> list[int]:
    """First and last addresses of prefixes, their neighbours, addresses inside, and any."""
    keys = [0, LAST]
    for network in networks:
        first, last = int(network.network_address), int(network.broadcast_address)
        keys += [max(0, first - 1), first, random.randint(first, last), last, min(LAST, last + 1)]
    return keys + [random.getrandbits(32) for _ in range(count)]


@pytest.mark.parametrize("count", [0, 1, 6, 400])
def test_prefixes(benches: Benches, count: int) -> None:
    """As ipaddress says, for lists that fit and one that fills all boundaries but few."""
    random = Random(count)
    networks = random_prefixes(random, count, shortest=8)
    table = boundaries(networks)
    bench = benches("range_search", Stages=10)
    assert stages(table) <= 10
    write(bench, table)
    keys = around(random, networks, 2000)
    check(bench, table, keys)
    masks = {(int(each.netmask), int(each.network_address)) for each in networks}
    found = {key for key in keys if any(key & mask == address for mask, address in masks)}
    assert {key for key, covered, _ in judged(bench, keys) if covered} == found


def test_all_addresses_and_the_last_one(benches: Benches) -> None:
    bench = benches("range_search", Stages=10)
    for text in ("0.0.0.0/0", "255.255.255.255/32", "128.0.0.0/1", "0.0.0.0/32"):
        table = boundaries([IPv4Network(text)])
        write(bench, table)
        check(bench, table, [0, 1, 1 << 31, (1 << 31) - 1, LAST - 1, LAST])


@pytest.mark.parametrize("count", range(32))
def test_every_number_of_boundaries(benches: Benches, count: int) -> None:
    random = Random(count)
    table = sorted(random.sample(range(1000), count))
    bench = benches("range_search", Stages=5)
    write(bench, table)
    check(bench, table, range(1001))


@pytest.mark.parametrize("count", range(16))
def test_a_list_in_the_other_half(benches: Benches, count: int) -> None:
    """Searches, one in each cycle, get the answers of the old list, then those of the new one."""
    random = Random(count)
    bench = benches("range_search", Stages=5)
    old: list[int] = []
    for first in (0, 16, 0, 16, 0):
        new = sorted(random.sample([*range(62), LAST], count))
        keys = [random.choice([random.randrange(64), LAST]) for _ in range(200)]
        bench.forget()
        bench.push(keys)
        write(bench, new, first)
        bench.drain()
        items = bench.items(0)
        assert [item >> 1 & LAST for item in items] == keys
        places = [bisect_right(table, key) for table in (old, new) for key in keys]
        found = [(bool(item & 1), item >> 33 if item & 1 else 0) for item in items]
        answers = [(place % 2 == 1, place // 2 if place % 2 else 0) for place in places]
        before, after = answers[: len(keys)], answers[len(keys) :]
        assert any(found == before[:n] + after[n:] for n in range(1, len(keys)))
        check(bench, new, [*range(64), LAST])
        old = new


@pytest.mark.parametrize("levels", [1, 2, 3, 7])
@pytest.mark.parametrize(("has_index", "has_prefix"), [(0, 0), (1, 0), (1, 1)])
def test_constants_in_blocks(
    benches: Benches, levels: int, has_index: int, has_prefix: int
) -> None:
    """Small memories and large ones; the first block is not full, the others are; they begin inside
    ranges and outside, and have all keys or those that begin with 3'b101.
    """
    bench = benches("block_search", Levels=levels, HasIndex=has_index, HasPrefix=has_prefix)
    room = 2**levels - 1
    base, eighth = (5 << 29, 1 << 26) if has_prefix else (0, 1 << 29)
    starts = [base + n * eighth for n in (0, 1, 4, 5)] if has_index else [base]
    table = [
        start + (k + 1) * 5 for start in starts for k in range(room - 1 if start == base else room)
    ]
    near = [key for each in table for key in (each - 1, each, each + 1)]
    lines = [base + n * eighth for n in range(1, 8)] + [n << 29 for n in range(1, 8)]
    inside = [n << 29 | m * eighth for n in range(8) for m in range(8)]
    edges = [key for line in lines for key in (line - 1, line)]
    check(bench, table, [0, LAST, *near, *edges, *(key & LAST for key in inside)])


def test_latency_and_rate(benches: Benches) -> None:
    bench = benches("range_search", Stages=5)
    bench.push(range(50))
    bench.drain()
    cycles = [each.cycle for each in bench.received(0)]
    assert cycles == list(range(cycles[0], cycles[0] + 50))
    assert cycles[0] - bench.taken(0)[0] == 6


@pytest.mark.parametrize("has_index", [False, True])
def test_latency_and_rate_of_blocks(benches: Benches, has_index: bool) -> None:
    bench = benches("block_search", Levels=3, HasIndex=int(has_index))
    bench.push(range(50))
    bench.drain()
    cycles = [each.cycle for each in bench.received(0)]
    assert cycles == list(range(cycles[0], cycles[0] + 50))
    assert cycles[0] - bench.taken(0)[0] == 4 + has_index
