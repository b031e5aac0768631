# SPDX-License-Identifier: Apache-2.0
"""A cluster with a network interface of Linux at one of its boards.

Virtual time passes as fast as this machine computes it, but not faster than real time.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable
from contextlib import suppress

from bombus.base.errors import UserError
from bombus.cluster.simulation import Cluster

_MAX_FRAME_BYTES = 65536
_MIN_FRAME_BYTES = 60  # a MAC pads shorter ones from the kernel
WINDOWS = 8  # between two looks at the interface
_FRAMES = 64  # taken at once; others wait in the kernel


def exchange_frames(
    cluster: Cluster,
    board: int,
    descriptor: int,
    *,
    stop: list[int],
    cycles: int | None = None,
    port: int = 0,
    beside: Callable[[Cluster], None] | None = None,
) -> None:
    """Carries frames between a file descriptor and a board, until `stop` holds a signal or so many
    cycles have passed. Each read and write of the descriptor is one frame. `beside`: called in
    between.
    """
    os.set_blocking(descriptor, False)
    here = cluster[board]
    step = WINDOWS * cluster.description.window
    start, first = time.monotonic(), cluster.cycle
    while not stop and (cycles is None or cluster.cycle - first < cycles):
        for _ in range(_FRAMES):
            try:
                frame = os.read(descriptor, _MAX_FRAME_BYTES)
            except BlockingIOError:
                break
            except OSError as error:
                raise UserError(f"the interface of board {board} is gone: {error}") from None
            here.send(frame.ljust(_MIN_FRAME_BYTES, b"\0"), port)
        cluster.run(step)
        if beside is not None:
            beside(cluster)
        while (answer := here.receive(port, timeout_cycles=0)) is not None:
            with suppress(OSError):  # the kernel has no room, or the interface is down
                os.write(descriptor, answer.data)
        ahead = (cluster.cycle - first) / cluster.clock_hz - (time.monotonic() - start)
        if ahead > 0:
            select.select([descriptor], [], [], ahead)
