# SPDX-License-Identifier: Apache-2.0
"""The mesh of registers of the hub: all tiles against a model, order, cycles."""

from __future__ import annotations

from random import Random

import pytest

from tests.support.harness import PACES, SEEDS, Bench, Benches, Layout

pytestmark = pytest.mark.slow

WINDOW, WORDS = 16, 4
REQUEST = Layout(("wdata", 32), ("address", 32), ("write", 1), ("more", 1))
SHAPES = (
    *((1, 1, 0), (4, 1, 3), (3, 3, 4), (4, 4, 0)),
    *(pytest.param(shape, marks=pytest.mark.sweep) for shape in ((1, 3, 1), (4, 4, 5))),
)
FARTHEST = 15  # of 4 x 4 nodes, from node 0


def request(node: int, word: int, value: int | None = None) -> int:
    """A read or a write of a word of a tile."""
    address = (node + 1) * WINDOW + 4 * word
    return REQUEST.pack(address=address % (1 << 32), write=int(value is not None), wdata=value or 0)


@pytest.mark.parametrize("seed", SEEDS[:2])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_all_tiles_against_a_model(
    benches: Benches, shape: tuple[int, int, int], seed: int
) -> None:
    columns, rows, hub = shape
    random = Random(seed)
    bench = benches("register_mesh", seed=seed, Columns=columns, Rows=rows, Hub=hub)
    bench.pace(**random.choice(PACES))
    nodes = columns * rows
    model = [[0] * WORDS for _ in range(nodes)]
    expected, writes = [], 0
    for turn in range(600):
        if turn % 50 == 0:
            bench.drain()
            bench.control(random.choice([0, 1, 7]))
        node, word = random.randrange(nodes), random.randrange(WORDS)
        if random.random() < 0.5:
            model[node][word] = random.getrandbits(32)
            writes += 1
            bench.push([request(node, word, model[node][word])])
        elif random.random() < 0.9:
            bench.push([request(node, word)])
            expected.append(model[node][word])
        else:  # beyond the last tile, and of the design itself
            bench.push([request(random.choice([nodes, -1]), word)])
            expected.append(0)
    bench.drain()
    assert bench.items() == expected
    assert bench.events[0] == writes
    assert bench.status == 0


def cycles(bench: Bench, node: int) -> int:
    """From the request of a read to its response, with nothing else in the mesh."""
    bench.drain()
    bench.forget()
    bench.push([request(node, 0)])
    bench.drain()
    (received,) = bench.received()
    return received.cycle - bench.taken()[0]


def test_cycles(benches: Benches) -> None:
    """Of a read to each tile of 4 x 4, and the rate of writes to the farthest one."""
    bench = benches("register_mesh", Columns=4, Rows=4, Hub=0)
    for node in range(FARTHEST + 1):
        links = node % 4 + node // 4
        assert cycles(bench, node) == (2 * links + 6 if links else 3)
    assert cycles(bench, FARTHEST) <= 40
    bench.drain()
    bench.forget()
    bench.push([request(FARTHEST, n % WORDS, n) for n in range(50)])
    bench.drain()
    taken = bench.taken()
    assert (taken[-1] - taken[10]) / 39 <= 25
