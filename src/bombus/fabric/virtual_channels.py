# SPDX-License-Identifier: Apache-2.0
"""The fabric with virtual channels: several buffers per input.

A message may take any of the virtual channels of a link, so that all of them together are one
channel of the deadlock analysis. Router: rtl/platform/routers/router_virtual_channels.sv.
"""

from __future__ import annotations

from collections.abc import Mapping

from bombus.fabric.kind import FabricKind, Settings, WaitPoint
from bombus.fabric.routing import DIRECTIONS, OPPOSITE, Channel, Position, output


class VirtualChannels(FabricKind):
    """One channel per router output."""

    name = "virtual_channels"
    constant = "FabricVirtualChannels"
    keys = frozenset({"virtual_channels"})
    max_depth = 512
    default_depth = 8

    def channel(
        self, algorithm: str, at: Position, enter: str, leave: str, target: Position, network: str
    ) -> Channel:
        return output(at, leave, network)

    def wait_points(self, channel: Channel, settings: Settings) -> list[WaitPoint]:
        """The front of each virtual channel's buffer."""
        if channel.link is None:
            return []
        enter = DIRECTIONS.index(OPPOSITE[channel.leave])
        scope = ("gen_virtual_channels", "u_router", f"gen_input[{enter}]", "gen_present")
        return [
            WaitPoint(channel.link[1], (*scope, "u_input"), "vc_input", "front_valid", "pop", lane)
            for lane in range(settings.virtual_channels)
        ]

    def link_parameters(self, settings: Settings) -> Mapping[str, str]:
        channels = str(settings.virtual_channels)
        return {**super().link_parameters(settings), "VirtualChannels": channels}

    def label(self, settings: Settings) -> str:
        return f"{self.name}_{settings.virtual_channels}"
