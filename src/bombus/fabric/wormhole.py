# SPDX-License-Identifier: Apache-2.0
"""The wormhole fabric: one buffer per input, so that a message holds one channel per link.

Router: rtl/platform/routers/router_wormhole.sv.
"""

from __future__ import annotations

from bombus.fabric.kind import FabricKind, Settings, WaitPoint
from bombus.fabric.routing import DIRECTIONS, OPPOSITE, Channel, Position, output


class Wormhole(FabricKind):
    """One channel per router output."""

    name = "wormhole"
    constant = "FabricWormhole"
    max_depth = 64
    default_depth = 32
    omits_turns = True

    def channel(
        self, algorithm: str, at: Position, enter: str, leave: str, target: Position, network: str
    ) -> Channel:
        return output(at, leave, network)

    def wait_points(self, channel: Channel, settings: Settings) -> list[WaitPoint]:
        """A message that arrived over a link waits at the front of the buffer that follows it,
        whether or not that is full.
        """
        if channel.link is None:
            return []
        scope = ("gen_wormhole", "u_router")
        enter = DIRECTIONS.index(OPPOSITE[channel.leave])
        return [
            WaitPoint(
                channel.link[1], scope, "router_wormhole", "front_valid", "front_taken", enter
            )
        ]
