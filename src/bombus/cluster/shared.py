# SPDX-License-Identifier: Apache-2.0
"""Ranks in processes of this machine: beats in shared memory, commands over sockets."""

from __future__ import annotations

import mmap
import os
import pickle
import signal
import subprocess
import sys
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any

from bombus.base.errors import UserError
from bombus.cluster.description import distribution
from bombus.cluster.engine import FFI, library
from bombus.cluster.rank import Setup, channel_capacity
from bombus.cluster.transport import RankError, Transport

_WORD_BYTES = 8
_END_SECONDS = 5.0
# Looks for a peer's beats, some 100 us. With more ranks than cores, a rank that looks keeps the one
# that it waits for from running.
_SPINS = 20_000


class _Shared(Transport):
    """`memory`: file descriptor of memory that all ranks map."""

    def __init__(self, setup: Setup, rank: int, ranks: int, memory: int) -> None:
        self.rank, self.ranks = rank, ranks
        self.setup = setup
        self._capacity = channel_capacity(setup.description, ranks)
        words = int(library().bombus_shared_words(ranks, self._capacity))
        self._map = mmap.mmap(memory, words * _WORD_BYTES)
        self._memory = FFI.from_buffer("uint64_t[]", self._map)
        self._raised: list[BaseException] = []
        self._poll = FFI.callback("bombus_poll", self._look, error=1, onerror=self._keep)
        spins = _SPINS if ranks <= len(os.sched_getaffinity(0)) else 0
        self._shared = library().bombus_shared_open(
            self._memory, ranks, rank, self._capacity, spins, self._poll, FFI.NULL
        )

    def connect(self, channels: Any, count: int, capacity: int) -> tuple[Any, Any]:
        library().bombus_shared_connect(self._shared, channels, count)
        return library().bombus_shared_exchange, self._shared

    def _look(self, _: Any) -> int:
        """While this rank waits: raises RankError if another one has ended."""
        self.look()
        return 0

    def _keep(self, _: object, error: BaseException, trace: Any) -> None:
        self._raised.append(error.with_traceback(trace))

    def look(self) -> None:
        raise NotImplementedError

    def failed(self, error: BaseException) -> BaseException:
        return self._raised.pop() if self._raised else error

    def close(self) -> None:
        if self._shared is not None:
            library().bombus_shared_close(self._shared)
            self._shared = None
            FFI.release(self._memory)
            self._map.close()


class SharedFirst(_Shared):
    """Rank 0, which starts the others."""

    def __init__(self, setup: Setup, ranks: int) -> None:
        library()  # compiled once, before others want it
        placed = distribution(setup.description, ranks)
        memory = os.memfd_create("bombus_cluster")
        try:
            capacity = channel_capacity(setup.description, ranks)
            size = int(library().bombus_shared_words(ranks, capacity)) * _WORD_BYTES
            os.ftruncate(memory, size)
            super().__init__(setup, 0, ranks, memory)
            self._others: dict[int, tuple[subprocess.Popen[bytes], Connection]] = {}
            self._ends: dict[int, int] = {}  # file descriptors of processes, and their ranks
            self._names = {
                rank: f"rank {rank} (boards {_listed(boards)})"
                for rank, boards in enumerate(placed)
            }
            try:
                for rank in range(1, ranks):
                    self._start(rank, memory)
            except BaseException:
                self.close()
                raise
        finally:
            os.close(memory)

    def _start(self, rank: int, memory: int) -> None:
        here, there = Pipe()
        command = [sys.executable, "-m", "bombus.cluster.worker", str(there.fileno()), str(memory)]
        process = subprocess.Popen(
            command,
            pass_fds=[there.fileno(), memory],
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,  # Ctrl-C is for rank 0, which ends the others
        )
        there.close()
        self._others[rank] = process, here
        self._ends[os.pidfd_open(process.pid)] = rank
        here.send((rank, self.ranks, self.setup))

    @property
    def processes(self) -> dict[int, int]:
        """The process of each other rank."""
        return {rank: process.pid for rank, (process, _) in self._others.items()}

    def send(self, rank: int, message: object) -> None:
        try:
            self._others[rank][1].send(message)
        except OSError:
            raise self._ended(rank) from None

    def receive(self, rank: int) -> Any:
        connection = self._others[rank][1]
        # If any rank ends, the one that should answer may wait for it.
        while not connection.poll():
            ready = wait([connection, *self._ends])
            ended = [rank for end, rank in self._ends.items() if end in ready]
            if ended and connection not in ready:
                raise self._ended(ended[0])
        try:
            return connection.recv()
        except (EOFError, OSError):
            raise self._ended(rank) from None

    def look(self) -> None:
        for rank, (process, _) in self._others.items():
            if process.poll() is not None:
                raise self._ended(rank)

    def _ended(self, rank: int) -> RankError:
        """The error for a rank that has ended; ends the others too."""
        process = self._others[rank][0]
        library().bombus_shared_cancel(self._shared)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_END_SECONDS)
        status = process.returncode
        if status is None:
            how = "does not answer"
        elif status < 0:
            how = f"was killed by {signal.Signals(-status).name}"
        else:
            how = f"ended with status {status}"
        for other, _ in self._others.values():
            other.kill()
        return RankError(f"{self._names[rank]}, process {process.pid}, {how}")

    def close(self) -> None:
        for process, connection in self._others.values():
            connection.close()  # which ends the rank
            try:
                process.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for end in self._ends:
            os.close(end)
        self._others, self._ends = {}, {}
        super().close()


class SharedOther(_Shared):
    """A rank that rank 0 has started."""

    def __init__(self, connection: Connection, memory: int) -> None:
        self._connection = connection
        self._parent = os.getppid()
        rank, ranks, setup = connection.recv()
        super().__init__(setup, rank, ranks, memory)

    def send(self, rank: int, message: object) -> None:
        try:
            pickle.dumps(message)
        except Exception as error:  # of any kind: the result of a call that cannot be sent
            message = ("error", UserError(f"the result cannot be sent: {error}"), 0)
        self._connection.send(message)

    def receive(self, rank: int) -> Any:
        try:
            return self._connection.recv()
        except (EOFError, OSError):
            raise RankError("rank 0 has ended") from None

    def look(self) -> None:
        if os.getppid() != self._parent:
            raise RankError("rank 0 has ended")


def _listed(boards: list[int]) -> str:
    return ", ".join(map(str, boards)) if len(boards) < 4 else f"{boards[0]} to {boards[-1]}"
