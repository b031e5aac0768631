# SPDX-License-Identifier: Apache-2.0
"""What a kind of fabric defines: its queues, parameters of its routers, checks, watchpoints.

A kind of fabric is a class in a file of its own, a router under rtl/platform/routers, and a line in
`bombus.fabric.kinds`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

from bombus.fabric.routing import Channel, Position


class Settings(Protocol):
    """The `fabric` section of a design file (`bombus.fabric.config.Fabric`)."""

    @property
    def algorithm(self) -> str: ...
    @property
    def lossless(self) -> bool: ...
    @property
    def virtual_channels(self) -> int: ...
    @property
    def max_packet_flits(self) -> int | None: ...
    @property
    def buffer_depth(self) -> int | None: ...
    @property
    def depth(self) -> int: ...
    @property
    def packet_flits(self) -> int: ...


@dataclass(frozen=True)
class Traffic:
    """What a fabric has to carry, for its checks."""

    data_width: int  # bits of a flit
    longest: int  # bytes of a frame
    late: int  # flits in flight on a link when its end runs out of room
    holds_links: bool  # as in `Routing`


@dataclass(frozen=True)
class Complaint:
    """A problem with a key of the `fabric` section."""

    key: str
    message: str
    is_error: bool = True


@dataclass(frozen=True)
class WaitPoint:
    """Signals in a router: a message waits while the bit of `valid` is high and that of `moves`
    is low.
    """

    at: Position  # of the router
    scope: tuple[str, ...]  # instances below the router
    module: str
    valid: str
    moves: str
    bit: int = 0


class FabricKind(ABC):
    """A kind of fabric, as `kind` of a design file names it."""

    name: ClassVar[str]
    constant: ClassVar[str]  # of noc_pkg::fabric_e
    algorithms: ClassVar[tuple[str, ...]] = ("xy",)
    keys: ClassVar[frozenset[str]] = frozenset()  # of a `fabric` section, for this kind only
    max_depth: ClassVar[int]  # of a buffer, in flits
    default_depth: ClassVar[int]
    # Whether each queue belongs to one link, whatever the input and output of its messages.
    queues_are_links: ClassVar[bool] = True
    omits_turns: ClassVar[bool] = False  # whether a router may lack turns that no message takes

    @abstractmethod
    def channel(
        self, algorithm: str, at: Position, enter: str, leave: str, target: Position, network: str
    ) -> Channel:
        """The channel that a message for `target` takes through the router at a position."""

    @abstractmethod
    def wait_points(self, channel: Channel, settings: Settings) -> list[WaitPoint]:
        """Signals that show whether a message waits in a channel between tiles."""

    def label(self, settings: Settings) -> str:
        """The name of the fabric in tables of measurements."""
        return self.name

    def lanes(self, settings: Settings) -> int:
        """Number of lanes of a straight-through queue, each for its own messages."""
        return 1

    def reserves_room(self, settings: Settings) -> bool:
        """Whether a router starts a message only when its next queue has room for
        `max_packet_flits`, as a credit window needs it.
        """
        return False

    def full_flits(self, settings: Settings, channel: Channel, packet_flits: int, late: int) -> int:
        """Minimum number of flits in a channel that a message of this length has to wait for."""
        return 0

    def defaults(self, settings: Settings, flits: int, late: int) -> Mapping[str, int]:
        """Values of keys that depend on the longest message; see `Fabric.for_messages`."""
        return {}

    def lack_of_room(self, settings: Settings, late: int) -> str:
        """Complaint about queues too shallow for the messages that start; "" if they are not."""
        return ""

    def complaints(
        self, settings: Settings, given: Settings, traffic: Traffic
    ) -> Iterator[Complaint]:
        """Problems of a network; `given`: the design file's values, `settings`: with defaults."""
        yield from ()

    def router_parameters(self, settings: Settings) -> Mapping[str, str]:
        """Parameters of every router (rtl/platform/routers/router.sv), without its position and
        those of other kinds of fabrics.
        """
        return {**self.link_parameters(settings), "Depth": str(settings.depth)}

    def link_parameters(self, settings: Settings) -> Mapping[str, str]:
        """Those of them that define the links, too (rtl/platform/checks/link_checker.sv)."""
        return {"Fabric": f"noc_pkg::{self.constant}"}
