# SPDX-License-Identifier: Apache-2.0
"""Messages through routers and network interfaces, and where they go.

The module under test is at `HERE`, next to tiles on all four sides.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random

from tests.support.harness import Beats, Layout, Message, pack_meta

LOCAL, NORTH, EAST, SOUTH, WEST = range(5)
Place = tuple[int, int]

ROUTE = (("port", 2), ("y", 2), ("x", 2), ("dir", 3))
FLITS = Beats(64, *ROUTE)


def xy_dir(here: Place, there: Place) -> int:
    """The output that dimension-order routing takes: x first; y grows to the south."""
    if there[0] != here[0]:
        return EAST if there[0] > here[0] else WEST
    if there[1] != here[1]:
        return SOUTH if there[1] > here[1] else NORTH
    return LOCAL


STEPS = {LOCAL: (0, 0), NORTH: (0, -1), EAST: (1, 0), SOUTH: (0, 1), WEST: (-1, 0)}


def step(here: Place, direction: int) -> Place:
    return here[0] + STEPS[direction][0], here[1] + STEPS[direction][1]


def marked(random: Random, mark: int, here: Place, there: Place, length: int) -> Message:
    """A message marked with its source, ready to enter the router at `here`."""
    route = {"x": there[0], "y": there[1], "port": random.randrange(4)}
    meta = mark | pack_meta(length=length)
    return Message(random.randbytes(length), meta, {**route, "dir": xy_dir(here, there)})


def random_length(random: Random) -> int:
    return random.choice([0, 5, 8, 8, 20, 60, 200])


def check_constant_route(items: list[int]) -> None:
    """Every flit of a message carries the message's route."""
    for before, after in pairwise(items):
        if not FLITS.layout.get(before, "last"):
            for name, _ in ROUTE:
                assert FLITS.layout.get(before, name) == FLITS.layout.get(after, name)


HERE = (1, 1)
PLACES = [(x, y) for y in range(3) for x in range(3)]


# ---- The bench of the network interface ----

GROUP = 1 << 14  # of port: the word leads to a group of replicas
TABLE = Layout(("x", 8), ("y", 8), ("port", 15), ("valid", 1), ("index", 9), ("write", 1))
SOURCE = Beats(64, ("next", 5))
SINK = Beats(64)
MESH_IN, MESH_OUT, IN_BYTES, OUT_BYTES = 2, 2, 3, 4
ENTERING, OUT_END, UNKNOWN = 1, 2, 3  # events beside the lost messages
NUM_HOPS = (29, 32)  # of each source
FILL_CYCLES = sum(NUM_HOPS)


def initial_entry(hop: int, source: int = 0) -> tuple[int, int, int] | None:
    """As in benches/network_interface.sv: x, y, port. None leads to the tile itself, or nowhere."""
    if hop >= NUM_HOPS[source]:
        return None
    x, y, port = hop % 4, hop // 4 % 4, hop // 16
    return None if hop == 7 or (x, y) == HERE else (x, y, port)
