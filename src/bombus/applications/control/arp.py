# SPDX-License-Identifier: Apache-2.0
"""The ARP cache of a running design, in the registers `cache` and `permanent` of its `eth_tx`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import AddressValueError, IPv4Address
from typing import NamedTuple

from pydantic import TypeAdapter, ValidationError

from bombus.applications.control.controller import Controller
from bombus.applications.control.text import read_registers
from bombus.base.errors import UserError
from bombus.base.values import Mac, mac_number
from bombus.registers.access import unpack

_KIND = "eth_tx"
_MAC_BYTES = 6
_MOST_VLAN = 4094


class Binding(NamedTuple):
    """A neighbour whose MAC address is known. `tile`: whose cache has it."""

    tile: str
    ip: str
    mac: str
    vlan: int  # 0: none
    port: int
    permanent: bool
    used: bool  # by a packet in the last seconds


def bindings(controller: Controller) -> Iterator[Binding]:
    """The ARP cache of each tile that sends Ethernet frames."""
    for tile, registers in controller.registers_of(_KIND):
        for _, entry in read_registers(controller, list(registers.cache)):
            if entry["stalled"]:
                _raise_stalled([tile])
            if entry["valid"]:
                mac = entry["mac"].to_bytes(_MAC_BYTES).hex(":")
                flags = bool(entry["permanent"]), bool(entry["used"])
                ip = str(IPv4Address(entry["ip"]))
                yield Binding(tile, ip, mac, entry["vid"], entry["mac_port"], *flags)


def _raise_stalled(tiles: Iterable[str]) -> None:
    if names := ", ".join(tiles):
        raise UserError(f"{names}: the output is stalled, so its ARP cache cannot be accessed")


def bind(controller: Controller, ip: str, mac: str, *, vlan: int = 0, port: int = 0) -> list[str]:
    """Makes a binding permanent in every tile that sends Ethernet frames; returns their names.
    UserError if one of them refuses it.
    """
    try:
        number = mac_number(TypeAdapter(Mac).validate_python(mac))
    except ValidationError as error:
        reason = str(error.errors()[0]["msg"]).removeprefix("Value error, ")
        raise UserError(f"{mac}: {reason}") from None
    return _write(controller, ip, number, vlan=vlan, port=port, valid=1)


def unbind(controller: Controller, ip: str, *, vlan: int = 0, port: int = 0) -> list[str]:
    """Removes a neighbour's binding, permanent or not."""
    return _write(controller, ip, 0, vlan=vlan, port=port, valid=0)


def _write(
    controller: Controller, ip: str, mac: int, *, vlan: int, port: int, valid: int
) -> list[str]:
    try:
        address = IPv4Address(ip)
    except AddressValueError:
        raise UserError(f"{ip!r} is not an IPv4 address") from None
    if address.is_multicast or address.is_unspecified:
        raise UserError(f"{ip} is not the address of a neighbour")
    last = len(controller.manifest["mac_ports"]) - 1
    if not 0 <= port <= last:
        raise UserError(f"MAC port {port}: ports are from 0 to {last}")
    if not 0 <= vlan <= _MOST_VLAN:
        raise UserError(f"VLAN {vlan}: should be from 1 to {_MOST_VLAN}, or 0 for none")
    fields = {"ip": int(address), "mac": mac, "vid": vlan, "mac_port": port, "valid": valid}
    with controller.batch() as batch:  # what is read is the fate of this write
        results = []
        for tile, registers in batch.registers_of(_KIND):
            registers.permanent.write(**fields)
            results.append((tile, registers.permanent, batch.read(registers.permanent)))
    if not results:
        raise UserError(f"{controller.manifest['name']} has no ARP cache")
    fates = {tile: unpack(register._type, read.value) for tile, register, read in results}
    _raise_stalled(tile for tile, fate in fates.items() if fate["stalled"])
    refused = [tile for tile, fate in fates.items() if fate["refused"]]
    if refused:
        raise UserError(
            f"{', '.join(refused)}: no place for {ip}: permanent bindings have all places in which "
            "it could be"
        )
    return [tile for tile, *_ in results]
