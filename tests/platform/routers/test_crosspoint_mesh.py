# SPDX-License-Identifier: Apache-2.0
"""Meshes of crosspoint routers (sim/platform/mesh), with the assertions of the RTL."""

from __future__ import annotations

from typing import Literal

import pytest

from bombus.design.window import safe_window
from bombus.fabric.config import Fabric
from bombus.measure.mesh import Chain, Mesh, Result, Traffic, build

pytestmark = pytest.mark.slow

MAX_PACKET = 4
SEED_RANGE = range(1, 7)
SIZE = 3  # columns and rows


def fabric_of(algorithm: Literal["xy", "adaptive"]) -> Fabric:
    """Queues so small that they are often full."""
    return Fabric(
        kind="crosspoint", algorithm=algorithm, buffer_depth=16, max_packet_flits=MAX_PACKET
    )


@pytest.fixture(scope="module", params=[pytest.param("xy", marks=pytest.mark.sweep), "adaptive"])
def mesh(request: pytest.FixtureRequest) -> Mesh:
    return build(fabric_of(request.param), SIZE, SIZE, assertions=True, console=None)


def test_mesh_under_load_is_sound(mesh: Mesh) -> None:
    kinds = [(0.9, 1, 0.0), (0.9, 3, 0.01), (0.3, MAX_PACKET, 0.02)]
    if mesh.fabric.algorithm == "xy":
        # Under XY longer messages cannot block each other either; the lanes of the adaptive
        # algorithm rely on room for the whole message.
        kinds.append((0.9, 11, 0.01))
    loads = [
        Traffic(warmup=500, measure=3000, seed=seed, offered=offered, packet=packet, pause=pause)
        for seed in SEED_RANGE
        for offered, packet, pause in kinds
    ]
    loads.append(Traffic(warmup=500, measure=3000, pattern="hotspot", offered=0.6, packet=3))
    for result in mesh.run(loads):
        assert result.is_sound
        assert result.received > 100
        assert result.lost == 0
        if mesh.fabric.algorithm == "xy":
            assert result.reordered == 0


def test_window_keeps_chains_from_blocking_each_other(mesh: Mesh) -> None:
    """Chains through all tiles in any order: within the window they never deadlock, without it they
    do.
    """
    window = safe_window(mesh.fabric, SIZE, SIZE, MAX_PACKET)

    def chains(flits: int) -> list[Result]:
        return mesh.run(
            Traffic(
                traffic="chain",
                offered=1.0,
                seed=seed,
                flit_bytes=512,  # messages of up to 3 flits
                warmup=0,
                measure=1000,
                window=flits,
                stall_cycles=3000,
            )
            for seed in SEED_RANGE
        )

    for result in chains(window):
        assert result.is_sound
        assert window - 2 <= result.max_flight <= window
    assert any(result.stalled for result in chains(0))
    if mesh.fabric.algorithm == "adaptive":
        assert any(result.stalled for result in chains(4 * window))


def test_script_keeps_its_order(mesh: Mesh) -> None:
    """Chains that cross, whose sinks pause."""
    chains = [Chain([0, 4, 8], max_flits=4), Chain([6, 2], max_flits=4), Chain([3, 5], 2, 1, 3)]
    script = Traffic(
        traffic="script", warmup=500, measure=3000, chains=chains, stores=[4], pause=0.01
    )
    (result,) = mesh.run([script])
    assert result.is_sound
    assert min(result.delivered) > 100
    if mesh.fabric.algorithm == "xy":
        assert result.reordered == 0
