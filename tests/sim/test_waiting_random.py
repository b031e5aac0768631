# SPDX-License-Identifier: Apache-2.0
"""Requests, answers, joins and several networks: the deadlock analysis against real routers.

A random design has a few chains, services that ask a server before they go on, and joins of two
streams, at random positions, with or without a second network for part of the messages. What the
analysis calls sound must never stand still; most of what it calls unsound must really do so.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from bombus.analysis import deadlock
from bombus.design import rtl
from bombus.design.elements import Hop, Input, Layer, Output, Tile
from bombus.design.network import Network
from bombus.design.resolved import Design
from bombus.design.rtl import InputStream, LayerKind, OutputStream
from bombus.fabric.config import Fabric
from bombus.measure.mesh import Mesh, build

SIZE = 3  # columns and rows
MAX_FLITS = 16  # of a message, in buffers of 4 flits
FABRIC = Fabric(buffer_depth=4)
DESIGNS = 420

# Streams by role, in the order of their numbers in sim/mesh/layers.h.
INPUTS = {
    "source": (),
    "sink": (InputStream("in", "sink"),),
    "stream": (InputStream("in", "stream", waits_for_outputs=("out",)),),
    "store": (InputStream("in", "store", always_takes=True),),
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
    "join": (
        InputStream("a", "a", waits_for_outputs=("out",), waits_for_inputs=("b",)),
        InputStream("b", "b", waits_for_outputs=("out",), waits_for_inputs=("a",)),
    ),
}
OUT, QUERY = OutputStream("out", ("next",)), OutputStream("query", ("next",), credits=1)
OUTPUTS = dict.fromkeys(INPUTS, (OUT,)) | {"sink": ()}
OUTPUTS |= dict.fromkeys(("asker", "dropper"), (OUT, QUERY))


@dataclass
class Random:
    """A random design: layers as (node, role), hops as (layer, output, to layer, to input)."""

    seed: int
    networks: int = 1
    layers: list[tuple[int, str]] = field(default_factory=list)
    hops: list[tuple[int, str, int, str]] = field(default_factory=list)
    network: dict[tuple[int, str], int] = field(default_factory=dict)  # of a layer's stream

    def __post_init__(self) -> None:
        self.choose = random.Random(self.seed)
        self.networks = self.choose.choice((1, 1, 2))
        parts = (self.add_chain, self.add_service, self.add_service, self.add_join)
        for _ in range(self.choose.randint(1, 3)):
            self.choose.choice(parts)()

    def layer(self, role: str, node: int | None = None) -> int:
        self.layers.append((self.choose.randrange(SIZE * SIZE) if node is None else node, role))
        return len(self.layers) - 1

    def hop(self, layer: int, output: str, to_layer: int, to_input: str) -> None:
        """All hops of an output, and all that lead to an input, use one network."""
        ends = ((layer, output), (to_layer, to_input))
        given = next((self.network[end] for end in ends if end in self.network), None)
        network = self.choose.randrange(self.networks) if given is None else given
        self.network |= dict.fromkeys(ends, network)
        self.hops.append((layer, output, to_layer, to_input))

    def through(self, layer: int, output: str, to_layer: int, to_input: str, most: int) -> None:
        """A hop, or several with layers that pass messages on between."""
        for _ in range(self.choose.randint(0, most)):
            passed = self.layer("store" if self.choose.random() < 0.15 else "stream")
            self.hop(layer, output, passed, "in")
            layer, output = passed, "out"
        self.hop(layer, output, to_layer, to_input)

    def add_chain(self) -> None:
        self.through(self.layer("source"), "out", self.layer("sink"), "in", most=4)

    def add_service(self) -> None:
        asker = self.layer("dropper" if self.choose.random() < 0.25 else "asker")
        node = self.layers[asker][0] if self.choose.random() < 0.25 else None
        server = self.layer("store" if self.choose.random() < 0.25 else "stream", node)
        self.through(self.layer("source"), "out", asker, "in", most=1)
        self.through(asker, "query", server, "in", most=int(self.choose.random() < 0.3))
        self.hop(server, "out", asker, "answer")
        self.through(asker, "out", self.layer("sink"), "in", most=1)

    def add_join(self) -> None:
        join = self.layer("join")
        first = self.layer("source")
        second = first if self.choose.random() < 0.25 else self.layer("source")
        self.through(first, "out", join, "a", most=1)
        if second == first:  # one stream that is split and joined again
            self.network.setdefault((join, "b"), self.network[first, "out"])
        self.hop(second, "out", join, "b")
        self.hop(join, "out", self.layer("sink"), "in")

    # ---- As the analysis sees it ----

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
        for number, (node, role) in enumerate(self.layers):
            streams = {
                name: networks[self.network[layer, name]]
                for layer, name in self.network
                if layer == number
            }
            tile, name = tiles[node], f"{role}{number}"
            layers.append(Layer(name, kind(role), {}, tile, tile.loc, networks=streams))
            tile.layers.append(layers[-1])
        hops = [
            Hop(Output(layers[layer], output), n, "next", Input(layers[to_layer], to_input))
            for n, (layer, output, to_layer, to_input) in enumerate(self.hops)
        ]
        file, library = cast("Any", None), cast("Any", None)
        return Design(file, library, networks, SIZE, SIZE, tiles, hops, [])

    # ---- As the model runs it ----

    def text(self) -> str:
        lines = ["layers", f"seed {self.seed}", f"networks {self.networks}"]
        lines += [f"max_flits {MAX_FLITS}", "measure 8000", "stall_cycles 3000"]
        lines += [f"layer {node} {role}" for node, role in self.layers]
        for layer, output, to_layer, to_input in self.hops:
            outputs = [each.name for each in OUTPUTS[self.layers[layer][1]]]
            inputs = [each.name for each in INPUTS[self.layers[to_layer][1]]]
            is_wire = self.layers[layer][0] == self.layers[to_layer][0]
            network = -1 if is_wire else self.network[layer, output]
            lines.append(
                f"hop {layer} {outputs.index(output)} {network} {to_layer} {inputs.index(to_input)}"
            )
        return "\n".join([*lines, "go", ""])


def kind(role: str) -> LayerKind:
    values: dict[str, Any] = dict.fromkeys(LayerKind.__dataclass_fields__, 0)
    values |= {"name": role, "file": Path(role), "drops": (), "events": ()}
    values |= {"parameters": {}, "constants": {}, "ports": {}}
    values |= {"inputs": {each.name: each for each in INPUTS[role]}}
    return LayerKind(**values | {"outputs": {each.name: each for each in OUTPUTS[role]}})


@pytest.fixture(scope="module")
def mesh() -> Mesh:
    return build(FABRIC, SIZE, SIZE, console=None)


def is_unsound(design: Random) -> bool:
    return bool(deadlock.cycles(design.resolved()))


def test_sound_designs_never_stall_and_unsound_ones_do(mesh: Mesh) -> None:
    designs = [Random(seed) for seed in range(DESIGNS)]
    unsound = [is_unsound(design) for design in designs]
    results = list(mesh.results(design.text() for design in designs))
    counts: Counter[tuple[bool, bool]] = Counter()
    for design, expected, result in zip(designs, unsound, results, strict=True):
        counts[expected, result["stalled"]] += 1
        assert result["wrong"] == 0, design
        if expected:
            continue
        assert not result["stalled"], design
        for (_, role), sent, received in zip(
            design.layers, result["sent"], result["received"], strict=True
        ):
            assert (received if role == "sink" else sent) > 0, design  # everything moves on
    bad = counts[True, True] + counts[True, False]
    print(
        f"of {DESIGNS} designs {DESIGNS - bad} sound, none of them stalls; "
        f"{bad} unsound, {counts[True, True]} of them stall"
    )
    assert min(bad, DESIGNS - bad) > DESIGNS / 5  # both sorts are there
    assert counts[True, True] > 0.75 * bad


def test_a_network_for_some_messages_cures(mesh: Mesh) -> None:
    """Some designs are sound with two networks, but with one they are not, and stand still."""
    cured = 0
    for seed in range(DESIGNS):
        design = Random(seed)
        if design.networks == 1 or is_unsound(design):
            continue
        design.networks = 1
        design.network = dict.fromkeys(design.network, 0)
        if is_unsound(design):
            (result,) = mesh.results([design.text()])
            cured += result["stalled"]
    assert cured > 3
