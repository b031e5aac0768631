# SPDX-License-Identifier: Apache-2.0
"""Parameter values for `rtl/platform/routers/router.sv`."""

from __future__ import annotations

from collections.abc import Mapping

from bombus.fabric.config import Fabric

FABRICS = {
    "wormhole": "noc_pkg::FabricWormhole",
    "virtual_channels": "noc_pkg::FabricVirtualChannels",
    "crosspoint": "noc_pkg::FabricCrosspoint",
}
ALGORITHMS = {
    "xy": "noc_pkg::RoutingXY",
    "o1turn": "noc_pkg::RoutingO1Turn",
    "adaptive": "noc_pkg::RoutingAdaptive",
}


def direction_enum(direction: str) -> str:
    """A direction of `bombus.fabric.routing` as a name of noc_pkg::dir_e."""
    return f"Dir{direction.title()}"


def router_parameters(fabric: Fabric) -> Mapping[str, str]:
    """Parameters of every router of a fabric, without its position."""
    return {
        "Fabric": FABRICS[fabric.kind],
        "Routing": ALGORITHMS[fabric.algorithm],
        "Lossless": f"1'b{int(fabric.lossless)}",
        "Depth": str(fabric.depth),
        "MaxPacket": str(fabric.packet_flits),
        "VirtualChannels": str(fabric.virtual_channels),
    }
