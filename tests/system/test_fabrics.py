"""UDP echo over other fabrics: one line of the design file changes, no answer does."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from support.bench import PEER, TAGGED, Bench

from bombus.model import ping_frame, udp_frame

NARROW = Path(__file__).parent / "designs" / "fabric_64.yaml"
# The other tests have wormhole; XY in the crosspoint fabric is a part of the other two.
FABRICS = (
    "{kind: virtual_channels, virtual_channels: 2}",
    "{kind: crosspoint, algorithm: o1turn}",
    "{kind: crosspoint, algorithm: adaptive}",
)


@pytest.mark.parametrize("fabric", FABRICS)
def test_the_same_answers_over_other_fabrics(fabric: str, tmp_path: Path) -> None:
    design = tmp_path / "fabric.yaml"
    design.write_text(f"{NARROW.read_text()}fabric: {fabric}\n")
    choice = random.Random("fabrics")
    with Bench(design, seed=6) as bench:
        for pace in (0.0, 0.5):
            bench.simulation.pace(rx_bubble=pace, tx_stall=pace / 2)
            frames = []
            for size in (*range(20), *choice.sample(range(20, 1400), 40)):
                sender = choice.choice((PEER, TAGGED))
                frames.append(udp_frame(sender, bench.host, choice.randbytes(size)))
                if size % 4 == 0:
                    frames.append(ping_frame(sender, bench.host, choice.randbytes(size)))
            bench.run(frames, window=12)
