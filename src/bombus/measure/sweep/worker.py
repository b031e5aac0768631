# SPDX-License-Identifier: Apache-2.0
"""A worker's part of a sweep: run one point."""

from __future__ import annotations

import os
import socket
import time
from typing import Any

from bombus.base.errors import UserError
from bombus.measure import mesh
from bombus.measure.sweep.grid import Point

RESULT = (
    *("cycles", "sent", "received", "flits", "lost", "reordered", "wrong", "missing"),
    *("max_flight", "stalled", "accepted", "latency_mean", "latency_p99", "latency_max"),
)


def dask_setup(worker: object) -> None:
    """Called by Dask in each worker on this machine.

    Processes that it starts, such as compilers, are in its process group, which the sweep ends.
    Only the sweep handles Ctrl-C.
    """
    os.setpgid(0, 0)


def run_point(point: Point, source: str) -> dict[str, Any]:
    """Runs a point; `source`: key of the RTL it is intended for."""
    start = time.monotonic()
    if mesh.source_key() != source:
        raise UserError(
            f"the worker on {socket.gethostname()} runs another version of Bombus than this sweep"
        )
    model = mesh.build(point.fabric, point.columns, point.rows, console=None)
    (result,) = model.run([point.traffic])
    return {
        **point.settings,
        **{name: getattr(result, name) for name in RESULT},
        "key": point.key,
        "sound": result.is_sound,
        "source": source,
        "worker": f"{socket.gethostname()}:{os.getpid()}",
        "seconds": time.monotonic() - start,
    }
