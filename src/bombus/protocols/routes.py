# SPDX-License-Identifier: Apache-2.0
"""The routing table of a stack: the longest prefix is used (RFC 1122, 3.3.1.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from bombus.protocols.frames import Host


@dataclass(frozen=True)
class Route:
    """An entry of the routing table."""

    network: IPv4Network
    gateway: bytes  # NO_IP: the destinations are on the link
    port: int = 0


def longest(
    ip: bytes, hosts: Sequence[Host], routes: Sequence[Route]
) -> tuple[int, bytes | None] | None:
    """The port and the gateway (None: of a subnet) of the route with the longest prefix.

    If prefixes are equally long, the first one wins; entries of the table come before the subnets
    of ports.
    """
    address = IPv4Address(ip)
    found: list[tuple[int, int, bytes | None]] = [
        (route.network.prefixlen, route.port, route.gateway)
        for route in routes
        if address in route.network
    ]
    found += [
        (int.from_bytes(host.netmask).bit_count(), number, None)
        for number, host in enumerate(hosts)
        if host.on_link(ip)
    ]
    if not found:
        return None
    _, port, gateway = max(found, key=lambda each: each[0])
    return port, gateway
