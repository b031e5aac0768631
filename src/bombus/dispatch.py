"""How messages are distributed among replicas: what the network interfaces do, in Python.

A tile that sends to replicas has a group for each next hop that leads to some. A
group has slots, each of which leads to a replica; its policy chooses the slot of a
message. `dispatch_plan` says which slots a tile has and where they lead at first;
`flow_bucket` which slot a flow takes under `flow_hash`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address

from bombus.network import Group, Layer, Network, Tile

MAX_SLOTS = 256  # of a tile
_BUCKETS = 64  # of a flow hash, at least
_BUCKETS_PER_REPLICA = 4  # at least: how even the shares are
# Primitive polynomials by degree, without the highest term (rtl/common/crc_hash.sv).
_POLYNOMIALS = {1: 1, 2: 3, 3: 3, 4: 3, 5: 5, 6: 3, 7: 3, 8: 0x1D}

# Where the messages for an entry carry what tells flows apart: address and ports in
# the metadata; ports in the payload's first bytes; the address alone. Others: nowhere.
_FLOWS = {
    "udp_tx": "meta",
    "tcp_tx": "meta",
    "udp_rx": "payload",
    "tcp_rx": "payload",
    "ipv4_tx": "address",
    "icmp": "address",
}
HAS_PORTS = ("meta", "payload")


@dataclass(frozen=True)
class Dispatch:
    """One group of replicas as a tile sees it."""

    group: Group
    number: int  # of the next hop
    targets: list[Layer]  # one for each replica
    first_slot: int
    slot_bits: int
    flow: str | None  # what tells flows apart; None: nothing

    @property
    def slots(self) -> list[Layer]:
        """Where each slot leads at first."""
        if self.group.policy in ("round_robin", "least_loaded"):
            return self.targets
        size, count = 1 << self.slot_bits, len(self.targets)
        # Replica n of an application has a port of its own: the first one's and n.
        first = self.targets[0]
        base = (first.param("udp_port") or 0) if first.app_index is not None else 0
        shift = base if self.group.policy == "dst_port" else 0
        return [self.targets[(slot - shift) % size % count] for slot in range(size)]


def flow_fields(layer: Layer, network: Network) -> str | None:
    """Where the messages for a layer carry what tells flows apart."""
    if layer.app_index is not None:
        return "meta"
    return _FLOWS.get(network.library.next_names[layer.kind.entry])


def _slot_bits(group: Group) -> int:
    count = len(group.tiles)
    if group.policy == "flow_hash":
        count = max(_BUCKETS, _BUCKETS_PER_REPLICA * count)
    return max(1, (count - 1).bit_length())


def dispatch_plan(tile: Tile, network: Network) -> list[Dispatch]:
    """The groups that a tile distributes messages among, by their number.

    The slots of each begin at a multiple of their number.
    """
    targets: dict[int, list[Layer]] = {}
    groups: dict[int, Group] = {}
    for layer in tile.sources:
        for hop in network.hops_from(layer):
            if hop.group and hop.target and hop.target not in targets.get(hop.number, []):
                targets.setdefault(hop.number, []).append(hop.target)
                groups[hop.number] = hop.group
    numbers = sorted(targets, key=lambda number: (-_slot_bits(groups[number]), number))
    plan = []
    first = 0
    for number in numbers:
        group, bits = groups[number], _slot_bits(groups[number])
        flow = flow_fields(targets[number][0], network)
        plan.append(Dispatch(group, number, targets[number], first, bits, flow))
        first += 1 << bits
    return plan


def num_slots(plan: Sequence[Dispatch]) -> int:
    """Slots of a tile: a power of two."""
    used = sum(1 << dispatch.slot_bits for dispatch in plan)
    return 1 << (used - 1).bit_length() if used else 1


def crc(data: int, width: int, bits: int) -> int:
    """Remainder of a `width`-bit word by the primitive polynomial of degree `bits`."""
    value = 0
    for i in reversed(range(width)):
        top = value >> bits - 1 & 1
        value = (value << 1 | data >> i & 1) & (1 << bits) - 1
        value ^= _POLYNOMIALS[bits] * top
    return value


def flow_bucket(address: str, source_port: int, destination_port: int, slots: int) -> int:
    """The slot, of a power of two, that a flow takes under `flow_hash`.

    `address`: the other end's. The ports are those of the message that is dispatched: on the
    way to an application, the destination port is the application's.
    """
    ip = int(IPv4Address(address))
    return crc(ip << 32 | source_port << 16 | destination_port, 64, slots.bit_length() - 1)
