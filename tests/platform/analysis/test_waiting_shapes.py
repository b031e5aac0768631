# SPDX-License-Identifier: Apache-2.0
"""Requests and answers in shapes in which a deadlock hides well, against real routers.

As in test_waiting_random.py: what the analysis calls sound must never stand still, most of what it
refuses must.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from bombus.measure.mesh import Mesh
from tests.platform.analysis.test_waiting_random import Random, is_refused, mesh, run

pytestmark = pytest.mark.slow

__all__ = ["mesh"]  # a fixture
SEEDS = range(150)


class Shape(Random):
    """A design of one shape, sometimes combined with those of test_waiting_random.py."""

    def __init__(self, seed: int, shape: str) -> None:
        super().__init__(seed)
        if self.chance(0.7):
            self.layers, self.hops, self.network = [], [], {}
        getattr(self, f"add_{shape}")()

    def asker(self, near: int | None = None, *, drops: float = 0.35, serves: bool = False) -> int:
        """A client, possibly in the tile of another layer."""
        node = None if near is None or not self.chance(0.4) else self.layers[near].node
        role = "dropper" if self.chance(drops) else "asker"
        return self.layer(role, node, count=self.choose.choice((1, 1, 2)), serves=serves)

    def server(self, askers: list[int], *, serves: bool = True) -> int:
        """A server with room for all requests, for one less, or without room."""
        room = sum(self.layers[asker].count for asker in askers) - self.chance(0.2)
        role = self.choose.choice(("tray", "tray", "tray", "stream"))
        node = self.layers[self.choose.choice(askers)].node if self.chance(0.4) else None
        return self.layer(role, node, count=max(1, room), serves=serves)

    def ask(self, asker: int, server: int) -> None:
        self.hop(asker, "query", server, "in")
        self.hop(server, "out", asker, "answer")

    def feed(self, asker: int) -> None:
        self.through(self.layer("source"), "out", asker, "in", most=1)
        self.through(asker, "out", self.layer("sink"), "in", most=1)

    def add_shared(self) -> None:
        """Several clients of a server that asks another one, which also has other clients."""
        outer = [self.asker() for _ in range(self.choose.choice((1, 2, 3)))]
        middle = self.asker(outer[0], drops=0, serves=True)  # a dropping server does not serve
        further = [self.asker(drops=0.6) for _ in range(self.choose.choice((0, 1, 2)))]
        for asker in outer:
            self.feed(asker)
            self.ask(asker, middle)
        inner = self.server([middle, *further])
        for asker in (middle, *further):
            self.ask(asker, inner)
        for asker in further:
            self.feed(asker)

    def add_row(self) -> None:
        """A chain of clients that all ask the same server."""
        askers = [self.asker() for _ in range(self.choose.choice((2, 3)))]
        self.through(self.layer("source"), "out", askers[0], "in", most=1)
        for asker, following in pairwise(askers):
            self.through(asker, "out", following, "in", most=1)
        self.through(askers[-1], "out", self.layer("sink"), "in", most=1)
        server = self.server(askers)
        for asker in askers:
            self.ask(asker, server)

    def add_far(self) -> None:
        """Requests and answers pass other layers, with room for all or for one less."""
        asker = self.asker()
        self.feed(asker)
        server = self.server([asker], serves=self.chance(0.5))
        for start, output, end, end_input in (
            (asker, "query", server, "in"),
            (server, "out", asker, "answer"),
        ):
            layer, out = start, output
            for _ in range(self.choose.randint(0, 2)):
                passed = self.server([asker], serves=False)
                self.hop(layer, out, passed, "in")
                layer, out = passed, "out"
            self.hop(layer, out, end, end_input)

    def add_replicas(self) -> None:
        """Replicas of a server: any of them may get all outstanding requests."""
        askers = [self.asker() for _ in range(self.choose.choice((1, 1, 2)))]
        for asker in askers:
            self.feed(asker)
        # Next hops of an output have one network.
        for server in [self.server(askers) for _ in range(self.choose.choice((2, 3)))]:
            for asker in askers:
                self.ask(asker, server)

    def add_joined(self) -> None:
        """A join of the results of two clients, or of one and a source, possibly the same
        source.
        """
        join = self.layer("join")
        source = self.layer("source")
        same = self.chance(0.5)
        for number, end in enumerate(("a", "b")):
            layer = source if same or number == 0 else self.layer("source")
            given = self.network.get((source, "out")) if same else None
            if number == 0 or self.chance(0.5):
                asker = self.asker(join, drops=0.3)
                if given is not None:
                    self.network[asker, "in"] = given
                self.hop(layer, "out", asker, "in")
                self.ask(asker, self.server([asker], serves=self.chance(0.6)))
                layer = asker
            elif given is not None:
                self.network.setdefault((join, end), given)
            self.hop(layer, "out", join, end)
        self.hop(join, "out", self.layer("sink"), "in")

    def add_forked(self) -> None:
        """Copies of a message that meet again, the branches perhaps in different networks."""
        fork = self.layer("fork", count=self.choose.choice((1, 2)), exact=True)
        near = self.layers[fork].node
        join = self.layer("join", near if self.chance(0.5) else None, exact=True)
        self.through(self.layer("source"), "out", fork, "in", most=1)
        for output, end in (("out", "a"), ("b", "b")):
            layer = fork
            for _ in range(self.choose.choice((0, 0, 1, 2))):
                node = self.layers[self.choose.choice((fork, join))].node
                role, is_exact = self.choose.choices(
                    (("stream", True), ("tray", True), ("stream", False), ("lossy", False)),
                    (50, 30, 10, 10),
                )[0]
                here = node if self.chance(0.5) else None
                passed = self.layer(role, here, count=2, exact=is_exact)
                self.hop(layer, output, passed, "in")
                layer, output = passed, "out"
            self.hop(layer, output, join, end)
        self.hop(join, "out", self.layer("sink"), "in")


@pytest.mark.parametrize(
    ("shape", "least_stalled"),
    [
        *((shape, 0.7) for shape in ("shared", "row", "far", "joined", "replicas")),
        # Branches that meet need declarations, which some layers lack on purpose.
        ("forked", 0.6),
    ],
)
def test_sound_designs_never_stall_and_others_do(
    mesh: Mesh, shape: str, least_stalled: float
) -> None:
    bad, stalled = run(mesh, [Shape(seed, shape) for seed in SEEDS])
    assert min(bad, len(SEEDS) - bad) > len(SEEDS) / 40  # both sorts are there
    assert stalled > least_stalled * bad


def test_forks_are_accepted_by_what_their_layers_declare() -> None:
    """Without declarations, all designs with copies that meet again are refused."""
    designs = [Shape(seed, "forked") for seed in SEEDS]
    accepted = [design for design in designs if not is_refused(design)]
    for design in accepted:
        design.layers = [replace(each, exact=False) for each in design.layers]
    assert accepted and all(map(is_refused, accepted))
