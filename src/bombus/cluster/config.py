# SPDX-License-Identifier: Apache-2.0
"""The design file of a cluster: a design file with `cluster`, and `board` of its tiles."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    Discriminator,
    Field,
    StrictBool,
    StrictInt,
    Tag,
    field_validator,
    model_validator,
)

from bombus.base.values import FileModel, Name, Position
from bombus.design import config

MAX_BOARDS = 256  # cluster_pkg::BoardBits
DEFAULT = "others"  # the endpoint of channels that have no other
MIN_WORDS, MAX_WORDS = 16, 255  # of the longest packet of an endpoint
MAX_PACKETS = 4096  # room of a receiver
PLACE = "place"  # instead of a board: `bombus place` chooses it


def _form(value: Any) -> str:
    return "several" if isinstance(value, list | tuple) else "one"


def _boards_form(value: Any) -> str:
    return "names" if isinstance(value, list | tuple) else "number"


def _topology_form(value: Any) -> str:
    return "mapping" if isinstance(value, dict) else "kind"


BoardName = StrictInt | Name
BoardOfTile = Annotated[
    Annotated[BoardName, Tag("one")] | Annotated[list[BoardName], Tag("several")],
    Discriminator(_form),
]


class _OnBoard(FileModel):
    board: BoardOfTile = Field(
        0,
        description="Number or name of the board, or `place`: `bombus place` chooses it. With "
        "replicas: one for all, or a list with one for each.",
        examples=[1],
    )

    @model_validator(mode="after")
    def _boards_fit(self) -> _OnBoard:
        replicas = getattr(self, "replicas", None)
        if isinstance(self.board, list) and len(self.board) != replicas:
            given = f"{replicas} `replicas`" if replicas is not None else "no `replicas`"
            raise ValueError(f"`board` names {len(self.board)} boards, but there are {given}")
        return self


class TileOfLayers(_OnBoard, config.TileOfLayers):
    """A tile with one or more layers, on a board."""


class TileOfKind(_OnBoard, config.TileOfKind):
    """A tile with one layer, on a board."""


Tile = Annotated[
    Annotated[TileOfLayers, Tag("layers")] | Annotated[TileOfKind, Tag("kind")],
    Discriminator(config.tile_form),
]


class Link(FileModel):
    """The links between boards."""

    carrier: Literal["serial", "ethernet"] = Field(
        "serial", description="`serial`: beats to a transceiver; `ethernet`: frames of a MAC port."
    )
    width: Literal[64, 128, 256, 512] = Field(128, description="Bits of a beat.")
    latency_cycles: StrictInt = Field(
        75, ge=1, le=100_000, description="Cycles from the port of a board to that of its peer."
    )
    ether_type: StrictInt = Field(
        0x88B5, ge=0x0600, le=0xFFFF, description="Of the frames of `carrier: ethernet`."
    )
    frame_bytes: StrictInt = Field(
        1514,
        ge=88,
        le=8192,
        description="The longest frame of `carrier: ethernet`, without FCS.",
    )
    buffer: StrictInt = Field(
        200,
        ge=36,
        le=1024,
        description="Beats of a receiver's buffer: the longest packet and more.",
    )
    check: StrictBool = Field(
        True, description="CRC and retry: without, packets pass as they come and may be lost."
    )

    @model_validator(mode="after")
    def _carrier_fits(self) -> Link:
        for key in ("ether_type", "frame_bytes"):
            if key in self.model_fields_set and self.carrier != "ethernet":
                raise ValueError(f"`{key}` is for `carrier: ethernet`")
        return self

    @model_validator(mode="after")
    def _buffer_fits(self) -> Link:
        least = 257 * 64 // self.width + 4  # as cluster_link_receive has it
        if "buffer" in self.model_fields_set and self.buffer < least:
            raise ValueError(
                f"`buffer` {self.buffer}: should be {least} or more at {self.width} bits, for the "
                "longest packet"
            )
        return self


class Endpoint(FileModel):
    """The endpoints of the channels to a tile. Sizes are in packets."""

    name: Name = Field(
        description="The tile that receives, or `others` for all that have no entry."
    )
    managed: StrictBool = Field(
        True, description="Packets wait at the sender until the receiver has room for them."
    )
    buffer_size: StrictInt = Field(
        8, ge=1, le=MAX_PACKETS, description="Shared room of a receiver."
    )
    flow_offset: StrictInt = Field(
        1,
        ge=0,
        le=MAX_PACKETS - 1,
        description="Packets left of a stride when the next is granted.",
    )
    flow_stride: StrictInt = Field(
        4, ge=1, le=MAX_PACKETS, description="Packets granted at a time."
    )
    init_budget: StrictInt = Field(
        2, ge=1, le=255, description="Room that a receiver keeps for each board."
    )
    grant_period: StrictInt = Field(
        0,
        ge=0,
        le=MAX_PACKETS,
        description="Every such grant is only of `init_budget` packets; 0: none.",
    )
    words: StrictInt = Field(
        240,
        ge=MIN_WORDS,
        le=MAX_WORDS,
        description="8-byte words of the longest packet.",
    )

    @model_validator(mode="after")
    def _strides_fit(self) -> Endpoint:
        if self.managed and self.flow_offset + self.flow_stride > self.buffer_size:
            raise ValueError(
                f"`flow_offset` and `flow_stride` sum to {self.flow_offset + self.flow_stride}, "
                f"more than `buffer_size`, {self.buffer_size}"
            )
        if self.managed and self.init_budget > self.flow_stride:
            raise ValueError(
                f"`init_budget` {self.init_budget}: more than `flow_stride`, {self.flow_stride}"
            )
        return self


class Topology(FileModel):
    """Who is joined to whom."""

    kind: Literal["bar", "ring", "torus", "star_of_rings", "full_mesh"] | None = Field(
        None, description="A regular topology."
    )
    columns: StrictInt | None = Field(None, ge=1, description="Of a torus.")
    rings: StrictInt | None = Field(None, ge=1, description="Of a star of rings.")
    links: list[tuple[BoardName, BoardName]] | None = Field(
        None, description="Instead of a kind: the pairs of boards that are joined."
    )
    file: str | None = Field(None, description="Instead of a kind: a file with the links.")

    @model_validator(mode="after")
    def _is_one(self) -> Topology:
        given = [key for key in ("kind", "links", "file") if getattr(self, key) is not None]
        if len(given) != 1:
            raise ValueError("should have one of `kind`, `links` and `file`")
        return self


class ClusterConfig(FileModel):
    """Several boards, each with its part of the tiles."""

    boards: Annotated[
        Annotated[Annotated[StrictInt, Field(ge=1, le=MAX_BOARDS)], Tag("number")]
        | Annotated[list[Name], Field(min_length=1, max_length=MAX_BOARDS), Tag("names")],
        Discriminator(_boards_form),
    ] = Field(description="Number of boards, or their names.", examples=[4])
    topology: Annotated[
        Annotated[Literal["bar", "ring", "torus", "star_of_rings", "full_mesh"], Tag("kind")]
        | Annotated[Topology, Tag("mapping")],
        Discriminator(_topology_form),
    ] = Field("bar", description="Who is joined to whom: a kind, or a mapping.")
    link: Link = Field(Link(), description="The links between boards.")
    endpoints: list[Endpoint] = Field(
        default=[], description="Endpoints of the channels between boards, by the receiving tile."
    )
    max_tiles: StrictInt | None = Field(
        None,
        ge=1,
        description="Tiles of a board at most, without that of the network, where `bombus place` "
        "chooses boards.",
    )
    bridge_at: Position | None = Field(
        None,
        description="Position of the tile with the node of the network on every board. Default: "
        "the next free one.",
    )

    @field_validator("boards")
    @classmethod
    def _distinct(cls, value: int | list[str]) -> int | list[str]:
        if isinstance(value, list) and len(set(value)) < len(value):
            raise ValueError("two boards have the same name")
        if isinstance(value, list) and PLACE in value:
            raise ValueError(f"no board can have the name {PLACE!r}")
        return value

    @property
    def names(self) -> list[str]:
        """The boards by number."""
        if isinstance(self.boards, list):
            return self.boards
        return [f"board_{number}" for number in range(self.boards)]

    def number(self, board: int | str) -> int | None:
        """The number of a board; None: there is no such board."""
        if isinstance(board, str):
            return self.names.index(board) if board in self.names else None
        return board if 0 <= board < len(self.names) else None

    @property
    def shape(self) -> Topology:
        """The topology in its long form."""
        given = self.topology
        return Topology(kind=given) if isinstance(given, str) else given

    def endpoint(self, tile: str) -> Endpoint:
        """The endpoint of channels to a tile."""
        by_name = {each.name: each for each in self.endpoints}
        return by_name.get(tile) or by_name.get(DEFAULT) or Endpoint(name=DEFAULT)


class ClusterDesignConfig(config.DesignConfig):
    """A design on several boards."""

    cluster: ClusterConfig = Field(description="The boards and the network between them.")
    tiles: list[Tile] = Field(  # type: ignore[assignment]
        min_length=1, description="The tiles of all boards."
    )

    @cached_property
    def board_of(self) -> dict[str, int]:
        """The board of each tile, and of each replica, by name. Unknown boards are left out."""
        found = {}
        for instance in self.instances:
            given = getattr(instance.given, "board", 0)
            if isinstance(given, list):
                given = given[instance.replica or 0]
            number = self.cluster.number(given)
            if number is not None:
                found[instance.name] = number
        return found


def load(path: Path) -> config.DesignFile:
    """Reads the design file of a cluster."""
    return config.load(path, ClusterDesignConfig)
