# SPDX-License-Identifier: Apache-2.0
"""Addresses of a simulated design, and of a machine in its subnet."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import IPv4Address, IPv4Interface
from typing import Any

from pydantic import ValidationError

from bombus.base.errors import UserError
from bombus.design.config.host import Host


def host_of(
    given: Mapping[str, Any],
    *,
    ip: str | None = None,
    mac: str | None = None,
    gateway: str | None = None,
) -> Host:
    """A MAC port of a manifest with other addresses; None: as in the design file. `ip`: with or
    without prefix length. `gateway`: "0.0.0.0" means none. A gateway of the design file outside the
    new subnet is dropped.
    """
    values = {key: given.get(key) for key in ("mac", "ip", "prefix", "gateway")}
    if values["prefix"] is None:
        del values["prefix"]
    if mac is not None:
        values["mac"] = mac
    if ip is not None:
        address, slash, prefix = ip.partition("/")
        if slash and not prefix.isdecimal():
            raise UserError(f"--ip {ip}: should be an address with prefix length, 10.77.0.2/24")
        _check_form("ip", ip, address)
        values |= {"ip": address, **({"prefix": int(prefix)} if slash else {})}
    if gateway is not None:
        _check_form("gateway", gateway, gateway)
        values["gateway"] = None if gateway == "0.0.0.0" else gateway
    elif ip is not None and values["gateway"] is not None:
        network = _network(values)
        if network is None or IPv4Address(values["gateway"]) not in network.network:
            values["gateway"] = None
    try:
        return Host(**values)
    except ValidationError as error:
        first = error.errors()[0]
        name = "ip" if first["loc"][0] == "prefix" else str(first["loc"][0])
        typed = {"ip": ip, "mac": mac, "gateway": gateway}[name] or values[name]
        raise UserError(f"--{name} {typed}: {_message(first)}") from None


def _check_form(option: str, typed: str, address: str) -> None:
    try:
        IPv4Address(address)
    except ValueError:
        raise UserError(
            f"--{option} {typed}: should be an IPv4 address, such as 10.77.0.2"
        ) from None


def _message(error: Any) -> str:
    return str(error["msg"]).removeprefix("Value error, ")


def _network(values: Mapping[str, Any]) -> IPv4Interface | None:
    try:
        return IPv4Interface(f"{values['ip']}/{values.get('prefix', 24)}")
    except ValueError:
        return None


def default_address(host: Host) -> str:
    """An address for this machine in the host's subnet."""
    # The gateway is this machine, as far as the design can tell.
    wanted = host.gateway or next((a for a in host.network.hosts() if a != host.ip), None)
    if wanted is None:
        raise UserError(
            f"the design's network {host.network} has no address left for this machine: give the "
            "design a shorter prefix"
        )
    return f"{wanted}/{host.prefix}"


def checked_address(host: Host, address: str) -> str:
    """The address, if this machine can use it next to the design; otherwise UserError."""
    try:
        given = IPv4Interface(address)
    except ValueError:
        given = None
    if given is None or "/" not in address:
        raise UserError(
            f"address {address}: should be an IPv4 address with prefix, such as "
            f"{default_address(host)}"
        )
    if given.ip == host.ip:
        raise UserError(
            f"address {address}: {host.ip} is the address of the design; use another one, such "
            f"as {default_address(host)}"
        )
    try:  # addresses invalid for a design are invalid for a machine
        Host(mac=host.mac, ip=given.ip, prefix=given.network.prefixlen)
    except ValidationError as error:
        raise UserError(f"address {address}: {_message(error.errors()[0])}") from None
    return address
