# SPDX-License-Identifier: Apache-2.0
"""Distribution of messages among the replicas of a group, changed while the design runs.

    balancer.disable(3)
    balancer.policy = "round_robin"

All tiles that send to the group are changed alike, except that of a host. A replica that is
disabled gets no further messages; its share goes to the others. Nothing is lost, but messages of a
flow that moves may overtake those that are still inside the replica that had it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from bombus.applications.processors.host import host_tiles
from bombus.simulator.native import SimulationError
from bombus.simulator.register_map import set_group
from bombus.simulator.shares import IN_TURN, Shares

if TYPE_CHECKING:
    from bombus.simulator.simulation import Simulation

# Policies with many slots per replica, which can also be used round robin.
_SWITCHABLE = ("flow_hash", "dst_port")


class Balancer(Shares):
    """The distribution of one group; `tiles`: its replicas, by number."""

    def __init__(self, simulation: Simulation, tiles: Iterable[str]) -> None:
        self._simulation = simulation
        self.tiles = list(tiles)
        self._senders = [
            each for each in _senders(simulation.manifest) if _replicas(each) == self.tiles
        ]
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
        simulation = self._simulation
        set_group(simulation.registers, simulation.manifest, sender, hop, self._policy)

    def _share(self, enabled: set[int]) -> None:
        others = [self.tiles[number] for number in sorted(enabled)]
        for sender, now in zip(self._senders, self._slots, strict=True):
            for slot, home in enumerate(each["to"] for each in sender["slots"]):
                # A slot whose replica is disabled goes to one of the others, evenly.
                turn = slot // len(self.tiles) + slot
                to = home if home in others else others[turn % len(others)]
                # Under least_loaded, a slot that leads to another replica is not chosen.
                if to != now[slot]:
                    self._simulation.set_slot(
                        sender["tile"],
                        sender["next"][0],
                        slot,
                        to,
                        port=sender["slots"][slot]["port"],
                    )
                    now[slot] = to


def groups(manifest: Mapping[str, Any]) -> list[list[str]]:
    """The tiles of each group of replicas."""
    found = dict.fromkeys(tuple(_replicas(sender)) for sender in _senders(manifest))
    return [list(each) for each in found]


def _senders(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Those that distribute. A host does not: it addresses each replica, also disabled ones, which
    wait for its answers.
    """
    hosts = host_tiles(manifest)
    return [each for each in manifest["dispatch"] if each["tile"] not in hosts]


def _replicas(sender: Mapping[str, Any]) -> list[str]:
    """The tiles among which a sender distributes messages."""
    return [name.partition(".")[0] for name in sender["replicas"]]
