# SPDX-License-Identifier: Apache-2.0
"""Requests, answers, joins and several networks: the deadlock analysis against real routers.

A random design has a few chains, services that ask a server before they go on, alone or several
of them the same server, with one credit or more, and joins of two streams, at random positions,
with or without a second network for part of the messages. In others a server itself asks. Some
layers drop messages. What the analysis calls sound must never stand still; most of what it
refuses must really do so.
"""

from __future__ import annotations

import random
from collections import Counter
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bombus.analysis import deadlock
from bombus.analysis.checks import requests
from bombus.design import rtl
from bombus.design.elements import Hop, Input, Layer, Output, Tile
from bombus.design.facts import Facts
from bombus.design.network import Network
from bombus.design.resolved import Design
from bombus.design.rtl import InputStream, LayerKind, OutputStream
from bombus.fabric.config import Fabric
from bombus.measure.mesh import Mesh, build

pytestmark = pytest.mark.slow

SIZE = 3  # columns and rows
MAX_FLITS = 16  # of a message, in buffers of 4 flits
FABRIC = Fabric(buffer_depth=4)
# All run on one simulator, about 30 per second.
SEEDS = range(400)

# Streams by role, in the order of their numbers in sim/platform/mesh/layers.h.
INPUTS = {
    "source": (),
    "sink": (InputStream("in", "sink"),),
    "stream": (InputStream("in", "stream", waits_for_outputs=("out",)),),
    "store": (InputStream("in", "store", always_takes=True),),
    "lossy": (InputStream("in", "lossy", always_takes=True),),
    "tray": (InputStream("in", "tray", waits_for_outputs=("out",)),),
    "asker": (
        InputStream(
            "in", "asker", waits_for_outputs=("out", "query"), waits_for_inputs=("answer",)
        ),
        InputStream("answer", "answer", answers="query"),
    ),
    "dropper": (
        InputStream("in", "dropper", always_takes=True),
        InputStream("answer", "answer", answers="query"),
    ),
    "fork": (InputStream("in", "fork", waits_for_outputs=("out", "b")),),
    "join": (
        InputStream("a", "a", waits_for_outputs=("out",), waits_for_inputs=("b",)),
        InputStream("b", "b", waits_for_outputs=("out",), waits_for_inputs=("a",)),
    ),
}
OUT, QUERY = OutputStream("out", ("next",)), OutputStream("query", ("next",))
OUTPUTS = dict.fromkeys(INPUTS, (OUT,)) | {"sink": ()}
OUTPUTS |= dict.fromkeys(("asker", "dropper"), (OUT, QUERY))
OUTPUTS["fork"] = (OUT, OutputStream("b", ("next",)))
DROPPING = ("lossy", "dropper")


@dataclass(frozen=True)
class Spec:
    """A layer: `count` is a tray's room or an asker's credits, as in sim/platform/mesh/layers.h.

    `exact`: its outputs declare one message for each of its inputs.
    """

    node: int
    role: str
    count: int = 1
    serves: bool = False
    exact: bool = False


@dataclass
class Random:
    """A random design: layers, and hops as (layer, output, to layer, to input)."""

    seed: int
    networks: int = 1
    layers: list[Spec] = field(default_factory=list)
    hops: list[tuple[int, str, int, str]] = field(default_factory=list)
    network: dict[tuple[int, str], int] = field(default_factory=dict)  # of a layer's stream

    def __post_init__(self) -> None:
        self.choose = random.Random(self.seed)
        self.networks = self.choose.choice((1, 1, 2))
        parts = (self.add_chain, self.add_service, self.add_service, self.add_join)
        for _ in range(self.choose.randint(1, 3)):
            self.choose.choice(parts)()

    def layer(self, role: str, node: int | None = None, **more: Any) -> int:
        given = self.choose.randrange(SIZE * SIZE) if node is None else node
        self.layers.append(Spec(given, role, **more))
        return len(self.layers) - 1

    def chance(self, probability: float) -> bool:
        return self.choose.random() < probability

    def hop(self, layer: int, output: str, to_layer: int, to_input: str) -> None:
        """All hops of an output, and all that lead to an input, use one network."""
        ends = ((layer, output), (to_layer, to_input))
        given = next((self.network[end] for end in ends if end in self.network), None)
        network = self.choose.randrange(self.networks) if given is None else given
        self.network |= dict.fromkeys(ends, network)
        self.hops.append((layer, output, to_layer, to_input))

    def through(self, layer: int, output: str, to_layer: int, to_input: str, most: int) -> None:
        """A hop, or several with forwarding layers in between."""
        for _ in range(self.choose.randint(0, most)):
            role = self.choose.choices(("stream", "store", "lossy"), (80, 12, 8))[0]
            passed = self.layer(role)
            self.hop(layer, output, passed, "in")
            layer, output = passed, "out"
        self.hop(layer, output, to_layer, to_input)

    def add_chain(self) -> None:
        self.through(self.layer("source"), "out", self.layer("sink"), "in", most=4)

    def add_service(self) -> None:
        """A server and its clients."""
        clients = self.choose.choice((1, 1, 2, 3))
        credit = [self.choose.choice((1, 1, 2, 4)) for _ in range(clients)]
        # A tray with room for all requests, or for one less
        room = max(1, sum(credit) - self.chance(0.2))
        role = self.choose.choice(("stream", "store", "tray", "tray", "tray"))
        askers = [
            self.layer("dropper" if self.chance(0.35) else "asker", count=each) for each in credit
        ]
        node = self.layers[askers[0]].node if self.chance(0.4) else None
        serves = clients > 1 or role != "stream" or self.chance(0.5)
        server = self.layer(role, node, count=room, serves=serves)
        for asker in askers:
            self.through(self.layer("source"), "out", asker, "in", most=1)
            self.through(asker, "query", server, "in", most=int(self.chance(0.1)))
            self.hop(server, "out", asker, "answer")
            self.through(asker, "out", self.layer("sink"), "in", most=1)

    def add_join(self) -> None:
        join = self.layer("join")
        first = self.layer("source")
        second = first if self.chance(0.25) else self.layer("source")
        self.through(first, "out", join, "a", most=1)
        if second == first:  # one stream, split and joined again
            self.network.setdefault((join, "b"), self.network[first, "out"])
        self.hop(second, "out", join, "b")
        self.hop(join, "out", self.layer("sink"), "in")

    def add_nested(self) -> None:
        """A service whose server asks another one before it answers, possibly in several stages."""
        depth = self.choose.choice((2, 2, 3))
        credit = [self.choose.choice((1, 1, 2)) for _ in range(depth)]
        in_one_tile = self.chance(0.35)
        askers: list[int] = []
        for each in credit:
            near = askers and (in_one_tile or self.chance(0.4))
            asker = self.layer(
                "dropper" if self.chance(0.25) else "asker",
                self.layers[askers[-1]].node if near else None,
                count=each,
                serves=bool(askers) and self.chance(0.6),
            )
            askers.append(asker)
        role = self.choose.choice(("stream", "store", "tray", "tray"))
        node = self.layers[askers[-1]].node if self.chance(0.5) else None
        room = max(1, credit[-1] - self.chance(0.2))
        server = self.layer(role, node, count=room, serves=role != "stream" or self.chance(0.5))
        self.through(self.layer("source"), "out", askers[0], "in", most=1)
        for asker, asked in pairwise([*askers, server]):
            self.hop(asker, "query", asked, "in")
            self.hop(asked, "out", asker, "answer")
        self.through(askers[0], "out", self.layer("sink"), "in", most=1)

    def add_crowd(self) -> int:
        """Several clients of one server, which has room for all, among other messages; returns the
        server.
        """
        credit = [self.choose.choice((1, 2)) for _ in range(self.choose.choice((2, 3)))]
        askers = [self.layer("dropper", count=each) for each in credit]
        server = self.layer("tray", count=sum(credit), serves=True)
        for asker in askers:
            self.hop(self.layer("source"), "out", asker, "in")
            self.hop(asker, "query", server, "in")
            self.hop(server, "out", asker, "answer")
            self.hop(asker, "out", self.layer("sink"), "in")
        for _ in range(2):
            layer = self.layer("source")
            for _ in range(self.choose.choice((1, 2))):
                # Room is useless if messages arrive without credits.
                role = self.choose.choice(("stream", "tray"))
                near = self.layers[self.choose.choice([*askers, server])].node
                passed = self.layer(role, near if self.chance(0.6) else None, count=4)
                self.hop(layer, "out", passed, "in")
                layer = passed
            self.hop(layer, "out", self.layer("sink"), "in")
        return server

    # ---- Form for the analysis ----

    def resolved(self) -> Design:
        width = -(-rtl.constant("bombus_pkg::MaxFrameBytes") * 8 // MAX_FLITS)
        networks = [
            Network(f"n{i}", i, rtl.Beat(width), FABRIC, (), is_only=self.networks == 1)
            for i in range(self.networks)
        ]
        tiles = [
            Tile(f"t{node}", node, node % SIZE, node // SIZE, ("tiles", node))
            for node in range(SIZE * SIZE)
        ]
        layers = []
        for number, given in enumerate(self.layers):
            streams = {
                name: networks[self.network[layer, name]]
                for layer, name in self.network
                if layer == number
            }
            tile, name = tiles[given.node], f"{given.role}{number}"
            layers.append(Layer(name, kind(given), {}, tile, tile.loc, networks=streams))
            tile.layers.append(layers[-1])
        hops = tuple(
            Hop(Output(layers[layer], output), n, "next", Input(layers[to_layer], to_input))
            for n, (layer, output, to_layer, to_input) in enumerate(self.hops)
        )
        file = SimpleNamespace(problem=lambda _, message, **__: message)
        nothing = cast("Any", None)
        grid = tuple(networks), SIZE, SIZE, tuple(tiles)
        return Design(cast("Any", file), nothing, *grid, hops, (), ())

    # ---- Form for the simulation ----

    def text(self) -> str:
        lines = ["layers", f"seed {self.seed}", f"networks {self.networks}"]
        lines += [f"max_flits {MAX_FLITS}", "measure 8000", "stall_cycles 3000"]
        lines += [f"layer {each.node} {each.role} {each.count}" for each in self.layers]
        for layer, output, to_layer, to_input in self.hops:
            outputs = [each.name for each in OUTPUTS[self.layers[layer].role]]
            inputs = [each.name for each in INPUTS[self.layers[to_layer].role]]
            is_wire = self.layers[layer].node == self.layers[to_layer].node
            network = -1 if is_wire else self.network[layer, output]
            lines.append(
                f"hop {layer} {outputs.index(output)} {network} {to_layer} {inputs.index(to_input)}"
            )
        return "\n".join([*lines, "go", ""])


def kind(given: Spec) -> LayerKind:
    role = given.role
    inputs, outputs = INPUTS[role], OUTPUTS[role]
    if role == "tray":
        inputs = (replace(inputs[0], room=given.count),)
    outputs = tuple(replace(e, credits=given.count) if e is QUERY else e for e in outputs)
    if given.serves:
        outputs = (replace(OUT, serves="in"), *outputs[1:])
    if given.exact:
        outputs = tuple(replace(e, one_for_each=tuple(i.name for i in inputs)) for e in outputs)
    values: dict[str, Any] = dict.fromkeys(LayerKind.__dataclass_fields__, 0)
    values |= {"name": role, "file": Path(role), "events": ()}
    values |= {"drops": ("full",) if role in DROPPING else ()}
    values |= {"parameters": {}, "constants": {}, "ports": {}}
    values |= {"inputs": {each.name: each for each in inputs}}
    return LayerKind(**values | {"outputs": {each.name: each for each in outputs}})


@pytest.fixture(scope="module")
def mesh() -> Mesh:
    return build(FABRIC, SIZE, SIZE, console=None)


def is_refused(design: Random) -> bool:
    """Whether `bombus check` rejects it; that also warns about a dropper that loses its credits."""
    resolved = design.resolved()
    return bool(deadlock.cycles(Facts(resolved))) or any(requests.problems(Facts(resolved)))


def run(mesh: Mesh, designs: list[Random]) -> tuple[int, int]:
    """The number of rejected designs, and of those that stall; none of the others may stall."""
    refused = [is_refused(design) for design in designs]
    results = list(mesh.results(design.text() for design in designs))
    counts: Counter[tuple[bool, bool]] = Counter()
    for design, expected, result in zip(designs, refused, results, strict=True):
        counts[expected, result["stalled"]] += 1
        assert result["wrong"] == 0, design
        if expected:
            continue
        assert not result["stalled"], design
        for given, sent, received in zip(
            design.layers, result["sent"], result["received"], strict=True
        ):
            # Everything makes progress
            assert (received if given.role == "sink" else sent) > 0, design
    bad = counts[True, True] + counts[True, False]
    print(
        f"of {len(designs)} designs {len(designs) - bad} sound, none of them stalls; "
        f"{bad} refused, {counts[True, True]} of them stall"
    )
    return bad, counts[True, True]


@pytest.mark.parametrize("count", [150, pytest.param(400, marks=pytest.mark.sweep)])
def test_sound_designs_never_stall_and_others_do(mesh: Mesh, count: int) -> None:
    bad, stalled = run(mesh, [Random(seed) for seed in range(count)])
    assert min(bad, count - bad) > count / 5  # both sorts are there
    assert stalled > 0.75 * bad


def test_servers_that_ask_before_they_answer(mesh: Mesh) -> None:
    designs = [Random(seed) for seed in range(100)]
    for design in designs:
        design.add_nested()
    bad, stalled = run(mesh, designs)
    assert bad < 0.9 * len(designs)
    assert stalled > 0.75 * bad


def test_room_for_one_request_too_few(mesh: Mesh) -> None:
    """Designs that are sound only with room for all requests deadlock with less."""
    designs = [Random(seed) for seed in range(60)]
    short = []
    for design in designs:
        design.layers, design.hops, design.network = [], [], {}
        server = design.add_crowd()
        if is_refused(design):
            continue
        less = deepcopy(design)
        less.layers[server] = replace(less.layers[server], count=less.layers[server].count - 1)
        if is_refused(less):
            short.append(less)
    run(mesh, designs)
    refused, stalled = run(mesh, short)
    assert refused == len(short) > len(designs) / 8
    assert stalled > len(short) / 8


def test_a_network_for_some_messages_cures(mesh: Mesh) -> None:
    """Some designs are sound with two networks, but deadlock with one."""
    worse = []
    for seed in SEEDS:
        design = Random(seed)
        if design.networks == 1 or is_refused(design):
            continue
        design.networks = 1
        design.network = dict.fromkeys(design.network, 0)
        if is_refused(design):
            worse.append(design.text())
    assert sum(result["stalled"] for result in mesh.results(worse)) > len(SEEDS) / 120


def test_each_sort_of_layer_makes_a_difference() -> None:
    """Several clients of a server, credits above 1, room and losses occur in designs of both
    kinds.
    """
    found: Counter[tuple[str, bool]] = Counter()
    for seed in range(140):
        design = Random(seed)
        refused = is_refused(design)
        given = design.layers
        clients = Counter(hop[0] for hop in design.hops if hop[3] == "answer")
        for name, has in (
            ("several askers", max(clients.values(), default=0) > 1),
            ("credits", any(each.count > 1 for each in given if each.role == "asker")),
            ("room", any(each.role == "tray" for each in given)),
            ("losses", any(each.role == "lossy" for each in given)),
        ):
            found[name, refused] += has
    assert len(found) == 8 and min(found.values()) > 3, found
