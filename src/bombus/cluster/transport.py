# SPDX-License-Identifier: Apache-2.0
"""What joins the ranks of a simulation: beats between all of them, commands from the first one.

Backends: `shared` (processes of one machine) and `mpi`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from bombus.base.errors import UserError


class RankError(UserError):
    """A rank has ended, or failed."""


class Transport(ABC):
    """One rank's connection to the others. Rank 0 gives commands; the others serve them."""

    rank: int
    ranks: int

    # ---- Beats ----

    @abstractmethod
    def connect(self, channels: Any, count: int, capacity: int) -> tuple[Any, Any]:
        """Prepares an exchange of at most `capacity` words with each peer.

        `channels`: `bombus_channel[]` of the engine. Returns a `bombus_exchange_ranks` and its
        context.
        """

    # ---- Commands ----

    @abstractmethod
    def send(self, rank: int, message: object) -> None:
        """Sends an object."""

    @abstractmethod
    def receive(self, rank: int) -> Any:
        """Waits for an object. Raises RankError if the rank has ended."""

    # ---- The end ----

    @abstractmethod
    def failed(self, error: BaseException) -> BaseException:
        """The error that ends the run, if an exchange has failed with this one."""

    @abstractmethod
    def close(self) -> None:
        """Ends the connection, and the ranks that this one has started."""


class Alone(Transport):
    """A single rank."""

    rank = 0
    ranks = 1

    def connect(self, channels: Any, count: int, capacity: int) -> tuple[Any, Any]:
        from bombus.cluster.engine import FFI

        return FFI.NULL, FFI.NULL

    def send(self, rank: int, message: object) -> None:
        raise AssertionError("there is no other rank")

    def receive(self, rank: int) -> Any:
        raise AssertionError("there is no other rank")

    def failed(self, error: BaseException) -> BaseException:
        return error

    def close(self) -> None:
        pass
