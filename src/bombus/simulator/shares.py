# SPDX-License-Identifier: Apache-2.0
"""Which of several receivers get messages, and by which policy, at run time."""

from __future__ import annotations

from abc import ABC, abstractmethod

from bombus.base.text import near_matches
from bombus.simulator.native import SimulationError

IN_TURN = "round_robin"


class Shares(ABC):
    """`count` receivers, by number; all of them are enabled at first."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._enabled = set(range(count))

    @property
    def enabled(self) -> list[int]:
        """Numbers of those that get messages."""
        return sorted(self._enabled)

    def enable(self, number: int) -> None:
        """Gives it its share again."""
        self._set(self._enabled | {self._checked(number)})

    def disable(self, number: int) -> None:
        """Sends it no further messages; its share goes to the others."""
        self._set(self._enabled - {self._checked(number)})

    @property
    @abstractmethod
    def policies(self) -> list[str]:
        """The values that `policy` may have."""

    @property
    def policy(self) -> str:
        """The policy of the design file, or `round_robin`."""
        return self._current()

    @policy.setter
    def policy(self, name: str) -> None:
        if name not in self.policies:
            raise SimulationError(f"policy {name!r}; {near_matches(name, self.policies)}")
        self._switch(name)

    @abstractmethod
    def _current(self) -> str:
        """The policy."""

    @abstractmethod
    def _switch(self, policy: str) -> None:
        """Changes the policy to one of `policies`."""

    @abstractmethod
    def _share(self, enabled: set[int]) -> None:
        """Changes the receivers from `_enabled` to these, at least one."""

    def _checked(self, number: int) -> int:
        if not 0 <= number < self._count:
            raise SimulationError(f"replica {number}: there are 0 to {self._count - 1}")
        return number

    def _set(self, enabled: set[int]) -> None:
        if not enabled:
            raise SimulationError("the last replica that is enabled cannot be disabled")
        self._share(enabled)
        self._enabled = enabled
