# SPDX-License-Identifier: Apache-2.0
"""Ranks that `mpirun` or SLURM has started, on one machine or many: the extra `mpi` (mpi4py).

Waits give the core to others: MPI libraries spin, which stops a run with more ranks than cores.
"""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

from bombus.base.errors import UserError
from bombus.base.extras import extra
from bombus.cluster.engine import FFI
from bombus.cluster.transport import RankError, Transport

_LAUNCHERS = ("PMI_SIZE", "PMI_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "SLURM_PROCID")
_BEATS, _COMMANDS = 1, 2  # tags
_WORD_BYTES = 8
# A wait looks, then gives up its turn, then sleeps.
_YIELD_AFTER, _SLEEP_AFTER = 50, 2000
_SLEEP_SECONDS = 50e-6


def is_launched() -> bool:
    """Whether an MPI launcher has started this process."""
    return any(name in os.environ for name in _LAUNCHERS)


def _await(done: Callable[[], bool]) -> None:
    count = 0
    while not done():
        count += 1
        if count > _SLEEP_AFTER:
            time.sleep(_SLEEP_SECONDS)
        elif count > _YIELD_AFTER:
            os.sched_yield()


class Mpi(Transport):
    """One rank of MPI's world."""

    def __init__(self) -> None:
        with extra("a run on MPI", "mpi4py", "mpi"):
            from mpi4py import MPI
        self._mpi = MPI
        self._world = MPI.COMM_WORLD.Dup()
        self.rank: int = self._world.Get_rank()
        self.ranks: int = self._world.Get_size()
        self._raised: list[BaseException] = []
        self._incoming: list[Any] = []

    def connect(self, channels: Any, count: int, capacity: int) -> tuple[Any, Any]:
        size = max(1, capacity) * _WORD_BYTES
        buffers = [(bytearray(size), bytearray(size)) for _ in range(count)]
        for channel, (out, incoming) in zip(channels[0:count], buffers, strict=True):
            held = FFI.from_buffer("uint64_t[]", out), FFI.from_buffer("uint64_t[]", incoming)
            self._incoming.append((buffers, held))  # as long as native code points there
            channel.out = held[0]
            setattr(channel, "in", held[1])
        views = [memoryview(out) for out, _ in buffers]
        world, mpi, byte = self._world, self._mpi, self._mpi.BYTE

        def exchange(_: Any, given: Any, number: int) -> int:
            waits = []
            for index in range(number):
                channel = given[index]
                length = channel.out_words * _WORD_BYTES
                peer = channel.peer
                waits.append(world.Irecv([buffers[index][1], byte], peer, _BEATS))
                waits.append(world.Isend([views[index][:length], byte], peer, _BEATS))
            _await(lambda: mpi.Request.Testall(waits))
            return 0

        callback = FFI.callback("bombus_exchange_ranks", exchange, error=-1, onerror=self._keep)
        return callback, FFI.NULL

    def _keep(self, _: object, error: BaseException, trace: Any) -> None:
        self._raised.append(error.with_traceback(trace))

    def send(self, rank: int, message: object) -> None:
        request = self._world.isend(message, rank, _COMMANDS)
        _await(lambda: bool(request.Test()))

    def receive(self, rank: int) -> Any:
        _await(lambda: bool(self._world.iprobe(rank, _COMMANDS)))
        return self._world.recv(source=rank, tag=_COMMANDS)

    def failed(self, error: BaseException) -> BaseException:
        return self._raised.pop() if self._raised else error

    def name(self) -> str:
        """For messages: rank and machine."""
        return f"rank {self.rank} of {self.ranks} on {self._mpi.Get_processor_name()}"

    def abort(self, error: BaseException) -> None:
        """Ends all ranks at once, with this rank's name and the error."""
        if not isinstance(error, (UserError, OSError, RankError)):
            traceback.print_exception(error)
        print(f"error: {self.name()}: {error or type(error).__name__}", file=sys.stderr, flush=True)
        self._world.Abort(1)

    def close(self) -> None:
        pass  # mpi4py ends MPI when Python ends
