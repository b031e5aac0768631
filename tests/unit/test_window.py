# SPDX-License-Identifier: Apache-2.0
"""How many flits may be under way so that no ring of waiting messages closes."""

from __future__ import annotations

from typing import Literal

import pytest

from bombus.analysis.window import full_flits, safe_window
from bombus.base.errors import UserError
from bombus.design import rtl
from bombus.fabric.config import Fabric
from bombus.fabric.routing import LOCAL, Channel, eject, inject

ALGORITHMS: tuple[Literal["xy", "o1turn", "adaptive"], ...] = ("xy", "o1turn", "adaptive")
LATE = rtl.constant("noc_pkg::CrosspointLate")


def crosspoint(algorithm: Literal["xy", "o1turn", "adaptive"] = "xy", depth: int = 64) -> Fabric:
    return Fabric(kind="crosspoint", algorithm=algorithm, buffer_depth=depth, max_packet_flits=4)


def test_a_queue_is_full_when_no_message_may_start() -> None:
    fabric = crosspoint()
    assert full_flits(fabric, Channel((1, 1), "west", "east"), 4) == 64 - 4 - LATE + 1
    assert (
        full_flits(fabric, Channel((1, 1), "north", "south", "westbound"), 4) == 32 - 4 - LATE + 1
    )
    assert full_flits(fabric, Channel((1, 1), LOCAL, "south"), 4) == 64 - 4 + 1
    assert full_flits(fabric, inject((1, 1)), 4) == 0
    assert full_flits(fabric, eject((1, 1)), 4) == 0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_window_grows_with_the_queues(algorithm: Literal["xy", "o1turn", "adaptive"]) -> None:
    windows = [safe_window(crosspoint(algorithm, depth), 3, 3, 4) for depth in (16, 32, 64)]
    assert 0 < windows[0] < windows[1] < windows[2]
    # A message that needs more room finds a queue full earlier.
    assert safe_window(crosspoint(algorithm), 3, 3, 8) < windows[2]


def test_smallest_ring_under_xy() -> None:
    """Two tiles side by side send to each other: of each leg a local queue and the one
    out of the next router fill."""
    fabric = crosspoint()
    ring = 2 * (full_flits(fabric, Channel((0, 0), LOCAL, "east"), 4))
    ring += 2 * full_flits(fabric, Channel((1, 0), "west", LOCAL), 4)
    assert safe_window(fabric, 3, 3, 4) == ring - 1


@pytest.mark.parametrize(
    "fabric",
    [Fabric(), Fabric(kind="crosspoint", lossless=False)],
    ids=["wormhole", "dropping"],
)
def test_no_window_for_other_fabrics(fabric: Fabric) -> None:
    with pytest.raises(UserError, match="lossless crosspoint"):
        safe_window(fabric, 3, 3, 4)


def test_the_first_tile_closes_no_ring() -> None:
    """It sends and takes back; between two tiles nothing else waits."""
    with pytest.raises(UserError, match="no cycle"):
        safe_window(crosspoint(), 2, 1, 4)
