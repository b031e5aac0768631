# SPDX-License-Identifier: Apache-2.0
"""The deadlock analysis against simulation: random small designs on meshes of real routers.

A design is a few chains of tiles at random positions, sources that always send to send,
ends that pause now and then, and buffers far smaller than the messages. What the analysis calls
sound must never stand still; of what it calls unsound, a good part must really do so.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest

from bombus.analysis import deadlock
from bombus.analysis.checks.flight_problems import layer_problems, waiting_problems
from bombus.design import rtl
from bombus.design.elements import Hop, Input, Layer, Output, Tile
from bombus.design.facts import Facts
from bombus.design.network import Network
from bombus.design.resolved import Design
from bombus.design.rtl import InputStream, LayerKind, OutputStream
from bombus.fabric.config import Fabric
from bombus.measure.mesh import Chain, Mesh, Result, Traffic, build

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Study:
    """A fabric with shallow buffers, and the designs tried on it."""

    fabric: Fabric
    size: int  # columns and rows of the mesh
    designs: int
    max_flits: int  # of a message
    least_stalled: float  # minimum share of unsound designs that must really deadlock


def crosspoint(algorithm: str, packet: int, **more: str) -> Fabric:
    text = {"kind": "crosspoint", "algorithm": algorithm, "buffer_depth": 16}
    return Fabric.model_validate({**text, "max_packet_flits": packet, **more})


STUDIES = {
    # Messages that span many buffers
    "wormhole": Study(Fabric(buffer_depth=4), 4, 240, 40, 0.8),
    # that start only when all of them have room,
    "o1turn": Study(crosspoint("o1turn", 6), 3, 120, 6, 1 / 3),
    "adaptive": Study(crosspoint("adaptive", 6), 3, 120, 6, 1 / 3),
    # and that may stop half on a link.
    "xy, long messages": Study(crosspoint("xy", 3), 3, 120, 60, 0.8),
    "o1turn, long messages": Study(crosspoint("o1turn", 3), 3, 120, 60, 0.8),
}
# Chains that visit tiles in any order: with a window they are sound, without they stall.
ANY_ORDER = {
    algorithm: Study(crosspoint(algorithm, 6, window="auto"), 3, 60, 6, 0.4)
    for algorithm in ("xy", "o1turn", "adaptive")
}


@dataclass(frozen=True)
class Random:
    """A random design: nodes of each chain, and nodes that always accept."""

    chains: list[list[int]]
    stores: set[int]


def random_design(seed: int, size: int) -> Random:
    choose = random.Random(seed)
    columns, rows = choose.randint(2, size), choose.randint(2, size)
    nodes = [y * size + x for y in range(rows) for x in range(columns)]
    chains = [
        choose.sample(nodes, choose.randint(2, min(6, len(nodes))))
        for _ in range(choose.randint(1, 3))
    ]
    passed = sorted({node for chain in chains for node in chain[1:-1]})
    return Random(chains, {node for node in passed if choose.random() < 0.15})


def in_any_order(seed: int, size: int) -> Random:
    """Chains from the first node through others, in any order and repeatedly, and back."""
    choose = random.Random(seed)
    chains = []
    for _ in range(choose.randint(1, 3)):
        nodes = [0]
        for _ in range(choose.randint(2, 7)):
            nodes.append(choose.choice([n for n in range(1, size * size) if n != nodes[-1]]))
        chains.append([*nodes, 0])
    return Random(chains, set())


def kind(name: str, *, has_input: bool, always_takes: bool = False) -> LayerKind:
    waits_for = () if always_takes else ("out",)
    stream = InputStream("in", name, always_takes=always_takes, waits_for_outputs=waits_for)
    values: dict[str, Any] = dict.fromkeys(LayerKind.__dataclass_fields__, 0)
    values |= {"name": name, "file": Path(name), "drops": (), "events": ()}
    values |= {"parameters": {}, "constants": {"forwards": 1}, "ports": {"busy_o": 1}}
    values |= {"inputs": {"in": stream} if has_input else {}}
    return LayerKind(**values | {"outputs": {"out": OutputStream("out", ("next",))}})


def resolved(design: Random, study: Study) -> Design:
    """The design as analysed: each tile has a source and a layer for everything that arrives."""
    size = study.size
    # The width at which the longest frame is the longest message.
    width = -(-rtl.constant("bombus_pkg::MaxFrameBytes") * 8 // study.max_flits)
    network = Network("data", 0, rtl.Beat(width), study.fabric, ())
    networks = {"in": network, "out": network}
    tiles = [
        Tile(f"t{node}", node, node % size, node // size, ("tiles", node))
        for node in range(size * size)
    ]
    for node, tile in enumerate(tiles):
        through = kind("through", has_input=True, always_takes=node in design.stores)
        tile.layers = [
            Layer("source", kind("source", has_input=False), {}, tile, tile.loc, networks=networks),
            Layer("through", through, {}, tile, tile.loc, networks=networks),
        ]
    hops = [
        Hop(
            Output(tiles[here].layers[int(place > 0)], "out"),
            place,
            "next",
            Input(tiles[there].layers[1], "in"),
        )
        for chain in design.chains
        for place, (here, there) in enumerate(pairwise(chain))
    ]
    nothing = cast("Any", None)
    return Design(nothing, nothing, (network,), size, size, tuple(tiles), tuple(hops), (), ())


@pytest.fixture(
    scope="module",
    params=[
        *((name, 3) for name in ("wormhole", "adaptive")),
        *(pytest.param((name, 1), marks=pytest.mark.sweep) for name in STUDIES),
    ],
    ids=lambda param: param[0] + ("" if param[1] == 1 else ", sample"),
)
def study(request: pytest.FixtureRequest) -> tuple[str, Study, Mesh]:
    """One with all of its designs, or with a third of them."""
    name, parts = request.param
    given = STUDIES[name]
    found = replace(given, designs=given.designs // parts)
    return name, found, build(found.fabric, found.size, found.size, console=None)


def simulated(
    mesh: Mesh, study: Study, designs: list[Random], windows: list[int] | None = None
) -> list[Result]:
    return mesh.run(
        [
            Traffic(
                traffic="script",
                seed=seed,
                warmup=0,
                measure=10_000,
                chains=[Chain(chain, 1, 1, study.max_flits) for chain in design.chains],
                stores=design.stores,
                stream_flits=3,
                tile_delay=1,
                pause=0.002,
                pause_cycles=200,
                stall_cycles=3_000,
                window=windows[seed] if windows else None,
            )
            for seed, design in enumerate(designs)
        ]
    )


def test_sound_designs_never_stall_and_unsound_ones_do(study: tuple[str, Study, Mesh]) -> None:
    name, given, model = study
    count = given.designs
    designs = [random_design(seed, given.size) for seed in range(count)]
    found = [bool(deadlock.cycles(Facts(resolved(design, given)))) for design in designs]
    results = simulated(model, given, designs)
    counts = Counter(
        (unsound, result.stalled) for unsound, result in zip(found, results, strict=True)
    )
    unsound = counts[True, True] + counts[True, False]
    print(
        f"{name}: of {count} designs {count - unsound} sound, {counts[False, True]} of them stall; "
        f"{unsound} unsound, {counts[True, True]} of them stall"
    )
    for design, is_unsound, result in zip(designs, found, results, strict=True):
        assert result.wrong == 0, design
        if not is_unsound:
            assert not result.stalled, design
            assert result.missing == 0, design
            assert min(result.delivered) > 0, design  # every chain makes progress
    assert min(unsound, count - unsound) > count / 12  # there are both kinds
    assert counts[True, True] >= unsound * given.least_stalled


@pytest.mark.parametrize(
    "algorithm",
    [pytest.param(name, marks=pytest.mark.sweep if name == "o1turn" else ()) for name in ANY_ORDER],
)
def test_chains_in_any_order_never_stall_under_a_window(algorithm: str) -> None:
    given = ANY_ORDER[algorithm]
    model = build(given.fabric, given.size, given.size, console=None)
    designs, windows = [], []
    for seed in range(given.designs):
        design = in_any_order(seed, given.size)
        facts = Facts(resolved(design, given))
        found = facts.flights
        # Designs without a cycle need no window.
        assert bool(found) == bool(deadlock.cycles(facts))
        for flight in found.values():
            assert all(flight.holds(knot) for knot in facts.knots)
            assert not [*layer_problems(flight), *waiting_problems(flight)]
            designs.append(design)
            windows.append(flight.flits)
    assert len(designs) > given.designs / 2
    for design, window, result in zip(
        designs, windows, simulated(model, given, designs, windows), strict=True
    ):
        assert not result.stalled, design
        assert (result.wrong, result.missing) == (0, 0), design
        assert min(result.delivered) > 0, design
        assert result.max_flight <= window, design
    stalled = sum(result.stalled for result in simulated(model, given, designs))
    print(f"{algorithm}: {len(designs)} designs with a window, {stalled} of them stall without")
    assert stalled >= len(designs) * given.least_stalled
