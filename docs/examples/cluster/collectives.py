# SPDX-License-Identifier: Apache-2.0
"""Barrier, broadcast, reduce and all-reduce among four boards, compared with the model.

python docs/examples/cluster/collectives.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bombus.cluster import Cluster, topology
from bombus.cluster.collectives import all_reduce, reduce, ring_order
from bombus.cluster.reading import alike
from bombus.cluster.ring import Ring

DESIGN = Path(__file__).with_name("collectives.yaml")
BOARDS = 4
WORDS = 1024  # of a vector
PACKET_WORDS = 64  # packet_beats of 128 bits
ROOT = 2


def main() -> None:
    """Prints the cycles of each operation, and whether all results are those of the model."""
    shape = topology.build("ring", BOARDS)
    random = np.random.default_rng(1)
    whole = [random.integers(1 << 32, size=WORDS, dtype=np.uint32) for _ in range(BOARDS)]
    floats = [random.normal(size=WORDS).astype(np.float32).view(np.uint32) for _ in range(BOARDS)]
    with Cluster(alike(DESIGN, shape)) as cluster:
        cluster.run(5_000)  # links are trained, endpoints open their sessions
        ring = Ring(cluster, ring_order(shape.graph))

        def tell(name: str, right: bool = True) -> None:
            print(f"{name:20} {ring.cycles:6,} cycles, {'right' if right else 'WRONG'}")

        ring.barrier()
        tell("barrier")
        copies = ring.broadcast(whole[ROOT], ROOT)
        tell("broadcast", all(np.array_equal(each, whole[ROOT]) for each in copies))
        for name, vectors, is_float in (("int32", whole, False), ("float32", floats, True)):
            total = ring.reduce(vectors, ROOT, is_float=is_float)
            wanted = reduce(vectors, PACKET_WORDS, ROOT, is_float=is_float)
            tell(f"reduce {name}", np.array_equal(total, wanted))
            totals = ring.all_reduce(vectors, is_float=is_float)
            wanted = all_reduce(vectors, PACKET_WORDS, is_float=is_float)
            tell(f"all-reduce {name}", all(np.array_equal(each, wanted) for each in totals))
        cluster.check()


if __name__ == "__main__":
    main()
