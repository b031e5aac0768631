# SPDX-License-Identifier: Apache-2.0
"""The design's own addresses and their subnets."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address

from bombus.base.errors import Problem
from bombus.design.facts import Facts


def neighbours(facts: Facts) -> Iterator[Problem]:
    """The host must have neighbours, and each must be reachable by one port only."""
    design = facts.design
    config = design.config
    for number, port in enumerate(config.ports):
        loc = config.port_loc(number)
        if port.network.num_addresses == 1:
            yield design.file.problem(
                (*loc, "prefix"),
                f"the host's network {port.network} has no other host: nothing can be sent until "
                "the netmask register is written; give a shorter prefix",
                is_error=False,
            )
        for other in config.ports[:number]:
            if (port.mac, port.ip) == (other.mac, other.ip):
                yield design.file.problem(
                    loc,
                    f"two MAC ports have the same addresses, {port.mac} and {port.ip}: where both "
                    "are on one network, neighbours and switches cannot tell them apart",
                    is_error=False,
                )
            elif port.network.overlaps(other.network):
                yield design.file.problem(
                    loc,
                    f"the networks {other.network} and {port.network} of two MAC ports overlap: "
                    "messages that start in the design take the longer prefix, or the first one",
                    is_error=False,
                )


def others(facts: Facts) -> Iterator[Problem]:
    """Parameters with the address of another host (`OtherHosts`) must not have an own one."""
    design = facts.design
    own = {int(port.ip) for port in design.config.ports}
    for layer in design.layers():
        for key in layer.kind.other_hosts:
            if (value := layer.param(key)) in own:
                yield design.file.problem(
                    layer.loc,
                    f"{layer.given_name} has {key} {IPv4Address(value or 0)}, an address of the "
                    "design itself; it should be that of another host",
                )
