# SPDX-License-Identifier: Apache-2.0
"""Sends a datagram through a cluster and prints which links it has crossed.

python docs/examples/cluster/two_boards.py [RANKS]
"""

from __future__ import annotations

import sys
from pathlib import Path

from bombus.cluster import Cluster

DESIGN = Path(__file__).with_name("udp_echo.yaml")


def main(ranks: int = 1) -> None:
    """Runs the two boards of udp_echo.yaml."""
    with Cluster(DESIGN, ranks=ranks, seed=1) as cluster:
        cluster.impair(0, bit_errors=1e-6)
        cluster.run(20_000)
        for link, (at_a, at_b) in zip(cluster.links, cluster.link_statistics(), strict=True):
            print(f"link {link.name}: {at_a.sent} beats to b, {at_b.sent} beats to a")
        cluster.check()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
