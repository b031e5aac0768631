# SPDX-License-Identifier: Apache-2.0
"""Collective operations over the boards of a torus, for the benchmark `cluster`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import numpy as np
from _cluster_boards import describe_layers, start

from bombus.cluster.collectives import Words, all_reduce, ring_order
from bombus.cluster.model import Endpoint, Timing
from bombus.cluster.ring import LAYER, Ring
from bombus.cluster.topology import build

BOARDS = 16
VECTOR_BYTES = 65_536
REPEATS = 5  # all-reduces, of which the median is taken


@dataclass(frozen=True)
class Setting:
    """Beats of the vector in a packet, the endpoint, and beats of a link's buffer."""

    packet_beats: int
    endpoint: Endpoint
    link_buffer: int


@dataclass(frozen=True)
class Operation:
    """What an operation took from the last board's command to the last board's result."""

    name: str
    topology: str
    boards: int
    endpoint: Endpoint
    cycles: int
    bound_cycles: float | None  # what the links allow
    wrong: int  # boards whose result is wrong


def setting(beats: int, buffer: int, offset: int, stride: int, link_buffer: int) -> Setting:
    """Of packets with so many beats of the vector, and one with their head."""
    endpoint = Endpoint(
        buffer_size=buffer,
        flow_offset=offset,
        flow_stride=stride,
        init_budget=1,
        words=2 * (beats + 1),
    )
    return Setting(beats, endpoint, link_buffer)


SETTINGS = (setting(16, 40, 24, 16, 200), setting(16, 40, 24, 16, 248))
MORE_SETTINGS = (setting(32, 16, 8, 8, 200), setting(32, 24, 16, 8, 248))


def operations(timing: Timing, *, full: bool = False) -> Iterator[Operation]:
    """All-reduce and barrier of each setting."""
    for each in (*SETTINGS, *(MORE_SETTINGS if full else ())):
        yield from measure(each, timing)


def measure(
    given: Setting, timing: Timing, *, boards: int = BOARDS, size: int = VECTOR_BYTES
) -> Iterator[Operation]:
    """All-reduce of a vector of so many bytes, then a barrier."""
    topology = build("torus", boards)
    timing = replace(timing, buffer_beats=given.link_buffer)
    end = given.endpoint
    layer = (
        f"  - {LAYER}: {{link_width: {timing.width}, channel: 0, num_boards: {boards}, "
        f"max_bytes: {VECTOR_BYTES}, packet_beats: {given.packet_beats}, "
        f"buffer_size: {end.buffer_size}, flow_offset: {end.flow_offset}, "
        f"flow_stride: {end.flow_stride}, init_budget: {end.init_budget}}}"
    )
    ports = {"vector": "vector", "result": "result"}
    order = ring_order(topology.graph)
    with tempfile.TemporaryDirectory() as folder:
        described = describe_layers(topology, [layer], Path(folder), timing, ports)
        with start(described) as cluster:
            ring = Ring(cluster, order)
            beats = size // ring.beat_bytes
            vectors = _vectors(boards, size // 4)
            wanted = all_reduce(vectors, given.packet_beats * timing.width // 32, is_float=True)
            cycles_of = []
            wrong = 0
            for _ in range(REPEATS):
                found = ring.all_reduce(vectors, is_float=True)
                wrong += sum(not np.array_equal(each, wanted) for each in found)
                cycles_of.append(ring.cycles - 2 * beats)  # a vector is loaded, and one read
            cycles = int(median(cycles_of))
            bound = 2 * (boards - 1) / boards * beats
            name = f"{given.packet_beats * ring.beat_bytes} B, link buffer {given.link_buffer}"
            yield Operation(f"all-reduce {name}", "torus", boards, end, cycles, bound, wrong)
            ring.barrier()
            yield Operation(f"barrier {name}", "torus", boards, end, ring.cycles, None, 0)
            cluster.check()


def _vectors(count: int, words: int) -> list[Words]:
    random = np.random.default_rng(1)
    return [random.normal(0, 1e3, words).astype(np.float32).view(np.uint32) for _ in range(count)]
