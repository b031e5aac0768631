# SPDX-License-Identifier: Apache-2.0
"""UDP echo over other fabrics, or with fixed tables: a line more in the file, the same answers."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bombus.protocols.frames import ping_frame, udp_frame
from tests import DESIGNS as TEST_DESIGNS
from tests.support.bench import PEER, TAGGED, Bench

pytestmark = pytest.mark.slow

NARROW = TEST_DESIGNS / "fabric_64.yaml"
# The other tests have wormhole; XY in the crosspoint fabric is a part of the other two.
LINES = (
    "fabric: {kind: virtual_channels, virtual_channels: 2}",
    "fabric: {kind: crosspoint, algorithm: o1turn}",
    "fabric: {kind: crosspoint, algorithm: adaptive}",
    "tables: fixed",
)


@pytest.mark.parametrize(
    "line",
    [pytest.param(line, marks=() if "adaptive" in line else pytest.mark.sweep) for line in LINES],
)
def test_the_same_answers(line: str, tmp_path: Path) -> None:
    design = tmp_path / "fabric.yaml"
    design.write_text(f"{NARROW.read_text()}{line}\n")
    choice = random.Random("fabrics")
    with Bench(design, seed=6, assertions=True) as bench:
        for pace in (0.0, 0.5):
            bench.simulation.pace(rx_bubble=pace, tx_stall=pace / 2)
            frames = []
            for size in (*range(20), *choice.sample(range(20, 1400), 40)):
                sender = choice.choice((PEER, TAGGED))
                frames.append(udp_frame(sender, bench.host, choice.randbytes(size)))
                if size % 4 == 0:
                    frames.append(ping_frame(sender, bench.host, choice.randbytes(size)))
            bench.run(frames, window=12)
        # Messages that wait for a stalled MAC are visible in the router before it.
        bench.simulation.watch(1_000)
        bench.simulation.pace(tx_stall=1.0)
        bench.simulation.exchange(frames, limit_cycles=30_000)
        stalled = {stall.name for stall in bench.simulation.stalls()}
        assert stalled & {"link (1, 0) to (1, 1)", "ejection port of router (1, 1) from north"}
        bench.simulation.pace(tx_stall=0.0)
        bench.simulation.receive_all()
        assert bench.simulation.stalls() == []


def test_a_dropping_fabric_counts_what_it_drops(tmp_path: Path) -> None:
    design = tmp_path / "fabric.yaml"
    design.write_text(f"{NARROW.read_text()}fabric: {{kind: crosspoint, lossless: false}}\n")
    count = 200
    with Bench(design, seed=6, assertions=True) as bench:
        bench.simulation.pace(tx_stall=0.8)  # more arrives than can be sent
        for n in range(count):
            bench.simulation.send(udp_frame(PEER, bench.host, n.to_bytes(2) * 500))
        came = bench.simulation.receive_all()
        assert not bench.simulation.in_flight
        drops = bench.drops()
        assert all(reason.startswith("router.") for reason in drops)
        assert 0 < drops.total() == count - len(came)
        bench.simulation.pace()
        bench.alive()
