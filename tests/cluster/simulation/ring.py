# SPDX-License-Identifier: Apache-2.0
"""A ring of stand-in boards (tests/support/beat_board) with chords, and a run whose digest holds
all that was seen. `python ring.py BOARDS [DAMAGE]`: a run on MPI; rank 0 prints the digest, or
writes to a register that is not there.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from bombus.cluster.description import (
    BoardDescription,
    Description,
    LinkDescription,
    RegisterWrite,
)
from bombus.cluster.simulation import Cluster

BEAT_BOARD = Path(__file__).resolve().parents[2] / "support" / "beat_board"


def ring(boards: int, *, pace: int = 64, chords: bool = True) -> Description:
    """Link 0 of each board leads to link 1 of the next one; links 2 and 3 to the opposite board."""
    links = [LinkDescription((n, 0), ((n + 1) % boards, 1)) for n in range(boards)]
    if chords:
        half = boards // 2
        links += [
            LinkDescription((n, 2 + n % 2), (n + half, 2 + n % 2), 80 + n) for n in range(half)
        ]
    return Description(
        "ring",
        [
            BoardDescription(
                n,
                f"board_{n}",
                BEAT_BOARD,
                [RegisterWrite("node", "board", n), RegisterWrite("node", "pace", pace)],
            )
            for n in range(boards)
        ],
        links,
    )


def trace(cluster: Cluster) -> str:
    """Runs with errors, limits, a killed link and frames; a digest of all that was seen."""
    cluster.impair(0, bit_errors=1e-3)
    cluster.impair(1, rate=0.1, from_board=1)
    seen: list[object] = []
    for number in range(20):
        cluster[number % len(cluster)].send(bytes([number]) * (60 + 50 * number))
        cluster.run(137 * number)
        if number == 7:
            cluster.set_link(2, up=False, cycle=cluster.cycle + 100)
            cluster.set_link(2, up=True, cycle=cluster.cycle + 900)
        if number == 13:
            cluster[1].call("reset_core")
        seen.append(cluster[number % len(cluster)].counters())
    while (frame := cluster[0].receive(timeout_cycles=3000)) is not None:
        seen.append(frame)
    seen += [cluster.cycle, cluster.counters(), cluster.link_statistics()]
    for board in cluster:  # frames that meet on their way are mixed: tx_keep_invalid
        errors = board.errors()
        assert errors["tx_valid_dropped"] == errors["tx_data_changed"] == 0
        seen.append(errors)
    assert any("Frame" in str(each) for each in seen)
    return hashlib.sha256(repr(seen).encode()).hexdigest()


if __name__ == "__main__":
    with Cluster(ring(int(sys.argv[1])), transport="mpi", seed=5) as running:
        if len(sys.argv) > 2:
            running[int(sys.argv[1]) - 1].write_register(1, 0)
        print(running.ranks, trace(running))
