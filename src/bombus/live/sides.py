# SPDX-License-Identifier: Apache-2.0
"""The MAC ports of a live run, each with this machine's interface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Interface
from typing import Any

from bombus.base.errors import UserError
from bombus.design.addresses import checked_address, default_address, host_of
from bombus.design.config.host import Host
from bombus.live.interface import checked_name

DEFAULT_TAP = "bombus0"
# A single value is for MAC port 0; a list is for the first ports, in order.
PerPort = str | Sequence[str | None] | None


@dataclass(frozen=True)
class Side:
    """A MAC port and this machine's interface to it."""

    tap: str
    host: Host  # of the design
    is_changed: bool  # differs from the design file
    address: str | None
    netns: str | None
    bridge: str | None
    doubts: tuple[str, ...]  # warnings about the given options


def sides_of(mac_ports: Sequence[Mapping[str, Any]], given: Mapping[str, PerPort]) -> list[Side]:
    """A side for each MAC port (`mac_ports` of a manifest); `given`: options of the run by name."""
    count = len(mac_ports)
    lists: dict[str, list[str | None]] = {}
    for name, value in given.items():
        values: list[str | None] = [value] if isinstance(value, str) else list(value or ())
        if len(values) > count:
            raise UserError(f"--{name} is given {len(values)} times; MAC ports: {count}")
        rest = values[0] if name == "netns" and len(values) == 1 else None
        lists[name] = [*values, *[rest] * (count - len(values))]
    return [
        _side(mac_ports[port], {name: values[port] for name, values in lists.items()}, tap)
        for port, tap in enumerate(_tap_names(lists["tap"]))
    ]


def _side(mac_port: Mapping[str, Any], given: Mapping[str, str | None], tap: str) -> Side:
    changes = {name: given[name] for name in ("ip", "mac", "gateway")}
    host = host_of(mac_port, **changes)
    address, bridge = given["address"], given["bridge"]
    if bridge is not None and address is not None:
        raise UserError("an interface in a bridge has no address: give --bridge or --address")
    doubts = []
    if mac_port.get("gateway") and host.gateway is None and given["gateway"] is None:
        doubts.append(
            f"--ip {given['ip']}: the design file's gateway {mac_port['gateway']} is outside "
            f"{host.network}, so there is none; give --gateway"
        )
    if bridge is None:
        if address is not None:
            doubts += _doubts(host, checked_address(host, address))
        else:
            address = checked_address(host, default_address(host))
    is_changed = any(value is not None for value in changes.values())
    return Side(tap, host, is_changed, address, given["netns"], bridge, tuple(doubts))


def _doubts(host: Host, address: str) -> list[str]:
    """Why this machine and the design may not reach each other with this address."""
    given = IPv4Interface(address)
    if host.ip not in given.network:
        reason = f"the design's address {host.ip} is not in the network {given.network}"
    elif given.ip not in host.network:
        reason = f"this is outside {host.network}, the design's network"
    else:
        return []
    return [f"--address {address}: {reason}; without routes of your own nothing arrives"]


def _tap_names(given: Sequence[str | None]) -> list[str]:
    """Names of the interfaces: those given, otherwise numbered from the first one."""
    first = given[0] or DEFAULT_TAP
    return [checked_name(name or _numbered(first, port)) for port, name in enumerate(given)]


def _numbered(name: str, port: int) -> str:
    """The interface's name for a port: bombus0, bombus1, ..."""
    if port == 0:
        return name
    stem = name.rstrip("0123456789")
    return f"{stem}{int(name[len(stem) :] or 0) + port}"
