# SPDX-License-Identifier: Apache-2.0
"""The crosspoint fabric: a queue for each legal pair of input and output of a router.

Some queues are split in two lanes, by the rest of the message's route (`_lane`). Lossless routers
start a message only when its next queue has room for `max_packet_flits`; dropping ones drop a
message that does not fit. Router: rtl/platform/routers/router_crosspoint.sv.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bombus.fabric.kind import Complaint, FabricKind, Settings, Traffic, WaitPoint
from bombus.fabric.routing import DIRECTIONS, HORIZONTAL, LOCAL, OPPOSITE, Channel, Position

_SECOND_LANES = ("turned", "westbound")  # of noc_pkg::lane_of
_ALGORITHMS = {"xy": "RoutingXY", "o1turn": "RoutingO1Turn", "adaptive": "RoutingAdaptive"}


def _lane(algorithm: str, at: Position, enter: str, leave: str, target: Position) -> str:
    """The lane of a split queue that a message for `target` takes at a router.

    With O1TURN, straight-through queues have one lane for messages that still have to turn and one
    for those that have turned or need not. With adaptive routing, straight-through queues to the
    north or south have one lane for westbound messages and one for all others.
    """
    if enter == LOCAL or leave == LOCAL or OPPOSITE[enter] != leave:
        return ""
    left_x, left_y = target[0] - at[0], target[1] - at[1]
    if algorithm == "o1turn":
        return "to turn" if (left_y if leave in HORIZONTAL else left_x) else "turned"
    if algorithm == "adaptive" and leave not in HORIZONTAL:
        return "westbound" if left_x < 0 else "eastbound"
    return ""


class Crosspoint(FabricKind):
    """One channel per queue or lane; also per output where messages may stop on a link."""

    name = "crosspoint"
    constant = "FabricCrosspoint"
    algorithms = ("xy", "o1turn", "adaptive")
    keys = frozenset({"algorithm", "lossless", "max_packet_flits", "window"})
    max_depth = 4096
    default_depth = 512
    queues_are_links = False

    def channel(
        self, algorithm: str, at: Position, enter: str, leave: str, target: Position, network: str
    ) -> Channel:
        return Channel(at, enter, leave, _lane(algorithm, at, enter, leave, target), network)

    def wait_points(self, channel: Channel, settings: Settings) -> list[WaitPoint]:
        if not channel.enter:
            return []  # a link: a flit is sent over it only if it has room at its end
        # A queue has the number of its output, a second lane that of its input.
        is_second = channel.lane in _SECOND_LANES
        queue = OPPOSITE[channel.leave] if is_second else channel.leave
        bit = DIRECTIONS.index(channel.enter) * len(DIRECTIONS) + DIRECTIONS.index(queue)
        scope = ("gen_crosspoint", "u_router")
        return [WaitPoint(channel.at, scope, "router_crosspoint", "lane_valid", "pop", bit)]

    def lanes(self, settings: Settings) -> int:
        return 2 if settings.lossless and settings.algorithm != "xy" else 1

    def reserves_room(self, settings: Settings) -> bool:
        return settings.lossless

    def router_parameters(self, settings: Settings) -> Mapping[str, str]:
        return {**super().router_parameters(settings), "MaxPacket": str(settings.packet_flits)}

    def link_parameters(self, settings: Settings) -> Mapping[str, str]:
        return {
            **super().link_parameters(settings),
            "Routing": f"noc_pkg::{_ALGORITHMS[settings.algorithm]}",
            "Lossless": f"1'b{int(settings.lossless)}",
        }

    def full_flits(self, settings: Settings, channel: Channel, packet_flits: int, late: int) -> int:
        if not (channel.enter and channel.leave):
            return 0  # an injection or ejection port, which has no queue
        depth = settings.depth // (2 if channel.lane else 1)
        # The local input leaves one entry free, others as many as flits on the link may need.
        margin = 0 if channel.enter == LOCAL else late - 1
        return depth - packet_flits - margin

    def defaults(self, settings: Settings, flits: int, late: int) -> Mapping[str, int]:
        packet = (settings.max_packet_flits or flits) if settings.lossless else 1
        need = packet + late if settings.lossless else flits
        depth = self.default_depth
        while depth < self.max_depth and depth // self.lanes(settings) < need:
            depth *= 2
        return {"max_packet_flits": packet, "buffer_depth": settings.buffer_depth or depth}

    def lack_of_room(self, settings: Settings, late: int) -> str:
        need, count = settings.packet_flits + late, self.lanes(settings)
        if not settings.lossless or settings.depth // count >= need:
            return ""
        lanes = f" in two lanes of {settings.depth // 2}" if count == 2 else ""
        least = 2 ** (need * count - 1).bit_length()
        deeper = f"buffer_depth should be at least {least}, or "
        return (
            f"queues of {settings.depth} flits{lanes} are too small for a message of "
            f"{settings.packet_flits} flits and {late} in flight on the link: "
            f"{deeper if least <= self.max_depth else ''}max_packet_flits should be smaller"
        )

    def complaints(
        self, settings: Settings, given: Settings, traffic: Traffic
    ) -> Iterator[Complaint]:
        longest = traffic.longest
        if not settings.lossless:
            if (room := settings.depth * traffic.data_width // 8) < longest:
                yield Complaint(
                    "buffer_depth",
                    f"messages of more than {room} bytes never fit into queues of "
                    f"{settings.depth} flits and are dropped; a MAC port may deliver {longest}",
                    is_error=False,
                )
            return
        if lack := self.lack_of_room(settings, traffic.late):
            yield Complaint("buffer_depth" if given.buffer_depth else "max_packet_flits", lack)
        if settings.algorithm == "adaptive" and traffic.holds_links:
            # Without it, a message that continues over a link waits for room in every queue that it
            # could have taken there, even those that its head did not choose. So it can wait for a
            # message that waits for it.
            yield Complaint(
                "max_packet_flits",
                f"adaptive routing needs room for whole messages: max_packet_flits should be at "
                f"least {-(-longest * 8 // traffic.data_width)}, for the {longest} bytes that a "
                "MAC port may deliver",
            )
