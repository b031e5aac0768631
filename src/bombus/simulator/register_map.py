# SPDX-License-Identifier: Apache-2.0
"""Changes of addresses, next hops and slots of a design, checked and written by name.

What a design does not have raises SimulationError, before anything is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from ipaddress import IPv4Address, IPv4Network
from typing import Any

from pydantic import TypeAdapter, ValidationError

from bombus.base.values import Mac, mac_number
from bombus.design.config.host import Host
from bombus.design.dispatch import choice
from bombus.registers.access import BlockAccess
from bombus.simulator.native import SimulationError


def set_host(
    registers: BlockAccess,
    manifest: Mapping[str, Any],
    port: int = 0,
    *,
    mac: str | None = None,
    ip: str | None = None,
    netmask: str | None = None,
    gateway: str | None = None,
) -> None:
    """Changes addresses of a MAC port; None: unchanged. Gateway "0.0.0.0": none. Together they must
    be valid for a design file.
    """
    last = len(manifest["mac_ports"]) - 1
    if not 0 <= port <= last:
        raise SimulationError(f"MAC port {port}: ports are from 0 to {last}")
    values: dict[str, dict[str, int]] = {}
    if mac is not None:
        values["mac"] = {"address": _mac(mac)}
    if ip is not None:
        own = _address("ip", ip)
        _check_host({"ip": own, "prefix": 32}, given={"ip": ip})
        values["ip"] = {"address": int(own)}
    if netmask is not None:
        values["netmask"] = {"mask": int(_netmask(netmask))}
    if gateway is not None:
        values["gateway"] = {"address": int(_address("gateway", gateway))}
    if values.keys() - {"mac"}:
        now = {
            name: values[name][field] if name in values else registers.host[port][name][field]
            for name, field in (("ip", "address"), ("netmask", "mask"), ("gateway", "address"))
        }
        mask = _netmask(str(IPv4Address(now["netmask"])))
        parts = {
            "ip": IPv4Address(now["ip"]),
            "prefix": IPv4Network(f"0.0.0.0/{mask}").prefixlen,
            "gateway": IPv4Address(now["gateway"]) if now["gateway"] else None,
        }
        _check_host(parts, given={"ip": ip, "netmask": netmask, "gateway": gateway})
    if not values:
        return
    with _staged(registers):
        for name, fields in values.items():
            registers.host[port][name].write(**fields)


@contextmanager
def _staged(registers: BlockAccess) -> Iterator[None]:
    """What is written inside takes effect as a whole. An exception ends it, too: else later writes,
    of other programs as well, would have no effect.
    """
    registers.addresses.staged = 1
    try:
        yield
    finally:
        registers.addresses.staged = 0


def await_change(registers: BlockAccess) -> None:
    """Waits until the addresses and routes written are in effect; raises SimulationError if they
    were given up.
    """
    while (state := registers.addresses.read())["pending"]:
        if state["staged"]:
            return
    if state["failed"]:
        raise SimulationError(
            "the change of addresses or routes was given up, because messages remained inside for "
            "65,536 cycles; the former ones are in effect, and the next write tries again"
        )


def set_route(
    registers: BlockAccess,
    manifest: Mapping[str, Any],
    entry: int,
    to: str | None,
    via: str | None,
    port: int,
) -> None:
    """Writes an entry of the routing table; `to` None: clears it."""
    count = int(manifest["route_entries"])
    if not 0 <= entry < count:
        raise SimulationError(f"entry {entry}: the routing table has {count} entries")
    registers.route[entry].entry.write(**_entry(manifest, to, via, port))


def set_routes(
    registers: BlockAccess,
    manifest: Mapping[str, Any],
    routes: Sequence[tuple[str, str | None, int]],
) -> None:
    """Replaces the routing table; a route is (to, via, MAC port). All take effect together."""
    count = int(manifest["route_entries"])
    if len(routes) > count:
        raise SimulationError(f"{len(routes)} routes: the routing table has {count} entries")
    entries = [_entry(manifest, *route) for route in routes]
    entries += [_entry(manifest, None, None, 0)] * (count - len(entries))
    with _staged(registers):
        for n, fields in enumerate(entries):
            registers.route[n].entry.write(**fields)


def _entry(
    manifest: Mapping[str, Any], to: str | None, via: str | None, port: int
) -> dict[str, int]:
    """The fields of an entry of the routing table; `to` None: an empty one."""
    fields = {"network": 0, "gateway": 0, "length": 0, "mac_port": 0, "valid": 0}
    if to is None:
        return fields
    last = len(manifest["mac_ports"]) - 1
    if not 0 <= port <= last:
        raise SimulationError(f"MAC port {port}: ports are from 0 to {last}")
    try:
        network = IPv4Network(to)
    except ValueError as error:
        raise SimulationError(f"to {to!r}: {error}; such as 10.80.0.0/16") from None
    gateway = 0 if via is None else int(_address("via", via))
    fields |= {"network": int(network.network_address), "length": network.prefixlen}
    return fields | {"gateway": gateway, "mac_port": port, "valid": 1}


def _check_host(parts: Mapping[str, Any], given: Mapping[str, str | None]) -> None:
    """Raises SimulationError if these addresses are not valid for a design file; `given`: the new
    ones.
    """
    try:
        Host(mac="02:00:00:00:00:01", **parts)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        reason = str(first["msg"]).removeprefix("Value error, ")
        if name == "gateway" and given["gateway"] is None:
            raise SimulationError(f"gateway {reason}; give `gateway` too") from None
        if name == "prefix":
            name = "netmask" if given["ip"] is None else "ip"
        raise SimulationError(f"{name} {given[name] or parts['ip']}: {reason}") from None


def set_next_hop(
    registers: BlockAccess,
    manifest: Mapping[str, Any],
    tile: str,
    hop: int | str,
    to_tile: str | None,
    port: int,
) -> None:
    """Points a next hop of a tile to another tile's entry `port`; None: to nowhere."""
    _check_writable(manifest)
    source = find_tile(manifest, tile)
    number = hop_number(source, hop)
    route = _route(manifest, _network_of(source, number), to_tile, port)
    registers.tiles[tile].next_hop[number].write(**route)


def set_slot(
    registers: BlockAccess,
    manifest: Mapping[str, Any],
    tile: str,
    hop: int | str,
    number: int,
    to_tile: str | None,
    port: int,
) -> None:
    """Points a slot of a group of replicas to a tile's entry `port`; None: to nowhere."""
    _check_writable(manifest)
    source = find_tile(manifest, tile)
    entry = slot_number(manifest, tile, hop, number)
    route = _route(manifest, _network_of(source, hop_number(source, hop)), to_tile, port)
    registers.tiles[tile].slot[entry].write(**route)


def slot_number(manifest: Mapping[str, Any], tile: str, hop: int | str, number: int) -> int:
    """The place of a slot of a group of replicas in the table of the tile."""
    source = find_tile(manifest, tile)
    wanted = hop_number(source, hop)
    for group in manifest["dispatch"]:
        if group["tile"] == tile and any(source["next_hops"][n] == wanted for n in group["next"]):
            break
    else:
        raise SimulationError(f"{tile} has no replicas for next hop {hop!r}")
    if not 0 <= number < len(group["slots"]):
        raise SimulationError(f"slot {number}: {group['group']} has {len(group['slots'])}")
    return int(group["first_slot"]) + number


def set_group(
    registers: BlockAccess,
    manifest: Mapping[str, Any],
    sender: Mapping[str, Any],
    hop: str,
    policy: str,
) -> None:
    """Points a next hop to its group of replicas, with one of the group's policies or
    `round_robin`.

    `sender`: one of the manifest's `dispatch`.
    """
    _check_writable(manifest)
    source = find_tile(manifest, sender["tile"])
    number = hop_number(source, hop)
    selected = choice(sender["slot_policy"], policy)
    word = {"valid": 1, "is_group": 1, "port": 0, "y": selected, "x": sender["number"]}
    registers.tiles[sender["tile"]].next_hop[number].write(**word)


def _check_writable(manifest: Mapping[str, Any]) -> None:
    if manifest["tables"] == "fixed":
        raise SimulationError(f"the next hops of {manifest['name']} are fixed (`tables: fixed`)")


def find_tile(manifest: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The tile of this name."""
    tiles: dict[str, Mapping[str, Any]] = {tile["name"]: tile for tile in manifest["tiles"]}
    if name not in tiles:
        raise SimulationError(f"no tile {name!r}; there are {', '.join(tiles)}")
    return tiles[name]


def hop_number(tile: Mapping[str, Any], hop: int | str) -> int:
    """The number of a tile's next hop, which may be given by its name."""
    numbers: Mapping[str, int] = tile["next_hops"]
    if hop in numbers:
        return numbers[str(hop)]
    if hop in numbers.values():
        return int(hop)
    known = ", ".join(f"{name} ({number})" for name, number in numbers.items())
    raise SimulationError(f"tile {tile['name']} has no next hop {hop!r}; it has {known or 'none'}")


def _network_of(tile: Mapping[str, Any], hop: int) -> str:
    """The network that a tile's next hop uses."""
    ranges = [each for each in tile["hop_networks"] if each["first_hop"] <= hop]
    return str(max(ranges, key=lambda each: each["first_hop"])["network"])


def _route(
    manifest: Mapping[str, Any], network: str, to_tile: str | None, port: int
) -> dict[str, int]:
    """The fields of an entry of a table."""
    if to_tile is None:
        return {"valid": 0, "is_group": 0, "port": 0, "y": 0, "x": 0}
    target = find_tile(manifest, to_tile)
    entries = target["entries"].get(network, [])
    if not 0 <= port < len(entries):
        there = ", ".join(f"{number} ({name})" for number, name in enumerate(entries))
        raise SimulationError(f"tile {to_tile} has no entry {port}; it has {there or 'none'}")
    return {"valid": 1, "is_group": 0, "port": port, "y": target["y"], "x": target["x"]}


def _mac(text: str) -> int:
    try:
        number = mac_number(TypeAdapter(Mac).validate_python(text))
    except ValidationError:
        number = 0
    if number == 0:
        raise SimulationError(
            f"mac {text!r}: should be the address of one host, such as 02:b0:0b:05:00:01"
        )
    return number


def _address(name: str, text: str) -> IPv4Address:
    try:
        return IPv4Address(text)
    except ValueError:
        raise SimulationError(f"{name} {text!r}: should be an IPv4 address") from None


def _netmask(text: str) -> IPv4Address:
    mask = int(_address("netmask", text))
    if mask == 0:
        raise SimulationError(f"netmask {text}: should have 1 to 32 ones")
    if mask | mask - 1 != (1 << 32) - 1:
        raise SimulationError(f"netmask {text!r}: should be ones, then zeros")
    return IPv4Address(mask)
