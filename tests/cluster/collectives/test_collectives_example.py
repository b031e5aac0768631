# SPDX-License-Identifier: Apache-2.0
"""The example of collective operations: each result is that of the model, on every board."""

from __future__ import annotations

import runpy

import numpy as np
import pytest

from bombus.base.errors import UserError
from bombus.cluster import Cluster, topology
from bombus.cluster.reading import alike
from bombus.cluster.ring import Ring
from tests import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.sweep]

EXAMPLE = ROOT / "docs" / "examples" / "cluster" / "collectives.py"
OPERATIONS = [
    "barrier",
    "broadcast",
    *(f"{name} {kind}" for kind in ("int32", "float32") for name in ("reduce", "all-reduce")),
]


def test_every_result_is_right(capfd: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    lines = [line for line in capfd.readouterr().out.splitlines() if "cycles" in line]
    assert [line[:20].strip() for line in lines] == OPERATIONS
    assert all(line.endswith(" right") for line in lines), lines


def test_boards_without_a_result_are_named() -> None:
    with Cluster(alike(EXAMPLE.with_suffix(".yaml"), topology.build("ring", 4))) as cluster:
        cluster.run(5_000)
        ring = Ring(cluster, range(4), limit=100)  # a barrier takes ten times as long
        with pytest.raises(UserError, match="no result after 100 cycles at positions 0, 1, 2, 3"):
            ring.barrier()
        with pytest.raises(UserError, match="a multiple of 4 words"):
            ring.broadcast(np.zeros(5, np.uint32))
        cluster.run(3_000)
        assert all(board.call("streams.result.receive") is not None for board in cluster)
