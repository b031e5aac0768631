# SPDX-License-Identifier: Apache-2.0
"""Dispatch of messages among replicas, as the network interfaces do it.

A tile that sends to replicas has a group for each next hop that leads to some. A
group has slots, each of which leads to a replica; its policy chooses the slot of a
message. `Facts.dispatches` says which slots a tile has and where they lead at first;
`flow_bucket` which slot a flow takes under `flow_hash`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address

from bombus.design import rtl
from bombus.design.elements import Group, Input, Interface, Output
from bombus.design.resolved import Design
from bombus.design.topology import Topology

MAX_SLOTS = 256  # of a tile
_BUCKETS = 64  # of a flow hash, at least
_BUCKETS_PER_REPLICA = 4  # at least: how even the shares are

HAS_PORTS = ("meta", "payload")


@dataclass(frozen=True)
class Dispatch:
    """One group of replicas, as seen by a sending tile."""

    group: Group
    targets: tuple[Input, ...]  # one for each replica
    first_slot: int
    slot_bits: int

    @property
    def flow(self) -> str:
        """Where messages carry the fields that identify a flow: `LayerKind.flow`."""
        return self.targets[0].layer.kind.flow

    @property
    def slots(self) -> Sequence[Input]:
        """Initial target of each slot."""
        if self.group.slot_policy in ("round_robin", "least_loaded"):
            return self.targets
        size, count = 1 << self.slot_bits, len(self.targets)
        shift = self._first_value if self.group.slot_policy == "dst_port" else 0
        return [self.targets[(slot - shift) % size % count] for slot in range(size)]

    @property
    def choice(self) -> int:
        """How the group chooses at first: `choice`, of the initial policy."""
        return choice(self.group.slot_policy, self.group.policy)

    @property
    def room(self) -> int | None:
        """Messages that a replica surely takes, whatever it does with them; None: not known.

        Of several layers, the one that holds the fewest counts: all messages may be for that one.
        """
        layers = self.group.tiles[0].layers
        return min(
            (
                each.kind.constants["max_inside"]
                for each in layers
                if "max_inside" in each.kind.constants
            ),
            default=None,
        )

    def limit(self, senders: int) -> int | None:
        """The load at which a replica gets no more under `least_loaded`, so that it has room for
        all that is on the way; below 1: it lacks room. None: no limit.

        A network that drops messages has none: nothing waits there, and the load of a dropped
        message would stay.
        """
        if self.room is None or not self.targets[0].network.given.lossless:
            return None
        most = (1 << rtl.constant("noc_pkg::LoadWidth")) - 1  # that is counted
        uncounted = rtl.constant("replicas_pkg::UncountedMessages") * (senders - 1)
        return min(self.room, most) - uncounted

    @property
    def _first_value(self) -> int:
        """The first replica's port; replica n has that port plus n."""
        layer = self.targets[0].layer
        return layer.param(layer.bound_key) or 0


def senders(
    design: Design, dispatches: Mapping[Interface, Sequence[Dispatch]]
) -> dict[Group, list[str]]:
    """Names of the tiles that dispatch messages to each group."""
    found: dict[Group, list[str]] = {group: [] for group in design.groups}
    for tile in design.tiles:
        groups = (each.group for at in tile.interfaces for each in dispatches[at])
        for group in dict.fromkeys(groups):
            found[group].append(tile.name)
    return found


def choice(slot_policy: str, policy: str) -> int:
    """How a next hop selects a policy, given the one of the slots: `noc_pkg::choice_e`."""
    if policy == slot_policy:
        return 0
    return {"round_robin": 1, "least_loaded": 2}[policy]


def _slot_bits(group: Group) -> int:
    count = len(group.tiles)
    if group.slot_policy == "flow_hash":
        count = max(_BUCKETS, _BUCKETS_PER_REPLICA * count)
    return max(1, (count - 1).bit_length())


def dispatch_plan(interface: Interface, topology: Topology) -> list[Dispatch]:
    """The groups that a tile dispatches to over one network.

    The slots of each start at a multiple of their number.
    """
    targets: dict[tuple[Output, int], list[Input]] = {}
    groups: dict[tuple[Output, int], Group] = {}
    for output in interface.sources:
        for hop in topology.hops_from(output):
            if hop.group and hop.target:
                targets.setdefault((output, hop.number), []).append(hop.target)
                groups[output, hop.number] = hop.group
    shared = {tuple(each): groups[hop] for hop, each in targets.items()}
    plan = []
    first = 0
    for replicas, group in sorted(shared.items(), key=lambda item: -_slot_bits(item[1])):
        bits = _slot_bits(group)
        plan.append(Dispatch(group, replicas, first, bits))
        first += 1 << bits
    return plan


def num_slots(plan: Sequence[Dispatch]) -> int:
    """Slots of an interface: a power of two."""
    used = sum(1 << dispatch.slot_bits for dispatch in plan)
    return 1 << (used - 1).bit_length() if used else 1


def crc(data: int, width: int, bits: int) -> int:
    """Remainder of a `width`-bit word by the primitive polynomial of degree `bits`, 1 to 8."""
    polynomial = rtl.constant("crc_pkg::Polynomials") >> 8 * (bits - 1) & 0xFF
    value = 0
    for i in reversed(range(width)):
        top = value >> bits - 1 & 1
        value = (value << 1 | data >> i & 1) & (1 << bits) - 1
        value ^= polynomial * top
    return value


def flow_bucket(address: str, source_port: int, destination_port: int, slots: int) -> int:
    """The slot, of a power of two, that a flow takes under `flow_hash`.

    `address`: that of the peer. The ports are those of the message that is dispatched: on the
    way to an application, the destination port is the application's.
    """
    ip = int(IPv4Address(address))
    return crc(ip << 32 | source_port << 16 | destination_port, 64, slots.bit_length() - 1)
