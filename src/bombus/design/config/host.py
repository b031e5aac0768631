# SPDX-License-Identifier: Apache-2.0
"""The `host` and `mac_ports` sections of a design file: the stack's own addresses."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network

from pydantic import Field, StrictInt, ValidationInfo, field_validator

from bombus.base.values import FileModel, Mac

# A network of two addresses (RFC 3021) or one has neither a network nor a broadcast address.
_SMALLEST_WITH_BROADCAST = 30
# RFC 1122 3.2.1.3, RFC 1112 section 4: no host may send from these.
_NO_HOST = (
    (IPv4Network("0.0.0.0/8"), "means `this network`"),
    (IPv4Network("127.0.0.0/8"), "is a loopback address"),
    (IPv4Network("224.0.0.0/4"), "is a multicast address"),
    (IPv4Network("255.255.255.255/32"), "is the broadcast address"),
    (IPv4Network("240.0.0.0/4"), "is reserved (class E)"),
)


def _special_of(network: IPv4Network, value: IPv4Address) -> str:
    """`the network address of 10.77.0.0/24`, or of broadcast; "": the address is a host's."""
    if network.prefixlen <= _SMALLEST_WITH_BROADCAST:
        if value == network.network_address:
            return f"the network address of {network}"
        if value == network.broadcast_address:
            return f"the broadcast address of {network}"
    return ""


class Host(FileModel):
    """Addresses of a MAC port; initial values of registers."""

    mac: Mac = Field(
        description='In quotes: `"02:b0:0b:05:00:01"`.', examples=["02:b0:0b:05:00:01"]
    )
    ip: IPv4Address = Field(description="Of the host.", examples=["10.77.0.2"])
    prefix: StrictInt = Field(
        24, ge=1, le=32, description="Prefix length of the port's network.", validate_default=True
    )
    gateway: IPv4Address | None = Field(
        None, description="For addresses outside the network. Default: none."
    )

    @property
    def network(self) -> IPv4Network:
        return IPv4Network((self.ip, self.prefix), strict=False)

    @field_validator("ip")
    @classmethod
    def _is_a_host(cls, value: IPv4Address) -> IPv4Address:
        for block, meaning in _NO_HOST:
            if value in block:
                raise ValueError(f"should be the address of one host; {value} {meaning}")
        return value

    @field_validator("prefix")
    @classmethod
    def _leaves_the_host_its_address(cls, value: int, info: ValidationInfo) -> int:
        if (ip := info.data.get("ip")) is None:
            return value
        if special := _special_of(IPv4Network((ip, value), strict=False), ip):
            raise ValueError(f"with prefix {value}, the host's address {ip} is {special}")
        return value

    @field_validator("gateway")
    @classmethod
    def _is_another_host_nearby(
        cls, value: IPv4Address | None, info: ValidationInfo
    ) -> IPv4Address | None:
        if value is None or "ip" not in info.data or "prefix" not in info.data:
            return value
        network = IPv4Network((info.data["ip"], info.data["prefix"]), strict=False)
        if value == info.data["ip"]:
            raise ValueError(f"{value} is the host's own address; should be that of a router")
        if value not in network:
            raise ValueError(f"{value} is outside the network of the host, {network}")
        if special := _special_of(network, value):
            raise ValueError(f"should be the address of a router; {value} is {special}")
        return value


class Route(FileModel):
    """An entry of the routing table; initial value of a register."""

    to: IPv4Network = Field(description="Network of the destinations.", examples=["10.80.0.0/16"])
    via: IPv4Address | None = Field(
        None,
        description="Gateway, in the network of the MAC port. Default: the destinations are on "
        "the link.",
        examples=["10.78.0.1"],
    )
    mac_port: StrictInt = Field(0, ge=0, description="Number of the MAC port.")


class MacPort(Host):
    """Ports are numbered in the order of the list."""

    clock_mhz: float | None = Field(
        None,
        ge=1,
        le=10_000,
        description="The MAC's own clock, in MHz. Default: the clock of the design.",
        examples=[322.265625],
    )
