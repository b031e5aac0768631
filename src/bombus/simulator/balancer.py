# SPDX-License-Identifier: Apache-2.0
"""Distribution of messages among the replicas of a group, changed while the design runs.

    balancer.disable(3)
    balancer.policy = "round_robin"

All tiles that send to the group are changed alike. A replica that is disabled gets no further
messages; its share goes to the others. Nothing is lost, but messages of a flow that moves may
overtake those that are still inside the replica that had it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from bombus.base.text import near_matches
from bombus.registers.access import BlockAccess
from bombus.simulator.native import SimulationError
from bombus.simulator.register_map import set_group, set_slot

IN_TURN = "round_robin"
# Policies with many slots per replica, which can also be used round robin.
_SWITCHABLE = ("flow_hash", "dst_port")


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


class Balancer(Shares):
    """The distribution of one group.

    `tiles`: its replicas, by number. `unchanged`: tiles whose distribution stays as it is.
    """

    def __init__(
        self,
        registers: BlockAccess,
        manifest: Mapping[str, Any],
        tiles: Iterable[str],
        unchanged: Collection[str] = (),
    ) -> None:
        self._registers, self._manifest = registers, manifest
        self.tiles = list(tiles)
        senders = _senders(manifest, unchanged)
        self._senders = [each for each in senders if _replicas(each) == self.tiles]
        if not self._senders:
            raise SimulationError(f"no tile distributes messages among {', '.join(self.tiles)}")
        super().__init__(len(self.tiles))
        self._policy = str(self._senders[0]["policy"])
        self._slots = [[each["to"] for each in sender["slots"]] for sender in self._senders]

    @property
    def policies(self) -> list[str]:
        given = set(self._senders[0]["policies"])
        return sorted(given | {IN_TURN} if given & set(_SWITCHABLE) else given)

    def _current(self) -> str:
        return self._policy

    def _switch(self, policy: str) -> None:
        self._policy = policy
        for sender in self._senders:
            for hop in sender["next"]:
                self._write_hop(sender, hop)

    def _write_hop(self, sender: Mapping[str, Any], hop: str) -> None:
        set_group(self._registers, self._manifest, sender, hop, self._policy)

    def _share(self, enabled: set[int]) -> None:
        others = [self.tiles[number] for number in sorted(enabled)]
        for sender, now in zip(self._senders, self._slots, strict=True):
            for slot, home in enumerate(each["to"] for each in sender["slots"]):
                # A slot whose replica is disabled goes to one of the others, evenly.
                turn = slot // len(self.tiles) + slot
                to = home if home in others else others[turn % len(others)]
                # Under least_loaded, a slot that leads to another replica is not chosen.
                if to != now[slot]:
                    port = sender["slots"][slot]["port"]
                    tile, hop = sender["tile"], sender["next"][0]
                    set_slot(self._registers, self._manifest, tile, hop, slot, to, port)
                    now[slot] = to


def balancers(
    registers: BlockAccess, manifest: Mapping[str, Any], unchanged: Collection[str] = ()
) -> list[Balancer]:
    """The distribution of each group of replicas; arguments as of `Balancer`."""
    groups = dict.fromkeys(tuple(_replicas(sender)) for sender in _senders(manifest, unchanged))
    return [Balancer(registers, manifest, tiles, unchanged) for tiles in groups]


def _senders(manifest: Mapping[str, Any], unchanged: Collection[str]) -> list[dict[str, Any]]:
    """Tiles that distribute messages and may be changed."""
    return [each for each in manifest["dispatch"] if each["tile"] not in unchanged]


def _replicas(sender: Mapping[str, Any]) -> list[str]:
    """The tiles among which a sender distributes messages."""
    return [name.partition(".")[0] for name in sender["replicas"]]
