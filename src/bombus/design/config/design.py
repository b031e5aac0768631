# SPDX-License-Identifier: Apache-2.0
"""Top-level model of a design file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from pydantic import Field, model_validator

from bombus.base.values import MAX_TILES, FileModel, Name
from bombus.base.yaml_file import Loc
from bombus.design.config.host import Host
from bombus.design.config.memory import Memory
from bombus.design.config.tile import Tile, TileOfKind, TileOfLayers
from bombus.fabric.config import Fabric


@dataclass(frozen=True)
class Instance:
    """One tile of the mesh: a tile of the design file, or one of its replicas."""

    name: str
    given: TileOfLayers | TileOfKind
    at: tuple[int, int] | None
    loc: Loc
    at_loc: Loc
    replica: int | None  # its number among its like; None: the tile has no replicas


class DesignConfig(FileModel):
    """A design: its addresses, its mesh and its tiles."""

    name: Name = Field(description="Name of the design; the generated top is `<name>_top`.")
    data_width: Literal[64, 128, 256, 512] = Field(description="Data width of a flit, in bits.")
    clock_mhz: float = Field(250, ge=1, le=10_000, description="Clock frequency, in MHz.")
    line_rate_gbps: float = Field(
        100, gt=0, le=10_000, description="Rate of each MAC port, in Gbit/s."
    )
    fabric: Fabric = Field(
        Fabric(), description="The mesh; see below.", examples=[{"kind": "crosspoint"}]
    )
    host: Host = Field(
        description="Addresses; see below.",
        examples=[{"mac": "02:b0:0b:05:00:01", "ip": "10.77.0.2"}],
    )
    sources: list[str] = Field(
        default=[],
        description="SystemVerilog files with your own layers, relative to the design file.",
        examples=[["my_layer.sv"]],
    )
    memories: dict[Name, Memory] = Field(
        default={},
        description="Memories that stand at [raised ports](#raised-ports) in simulation, by the "
        "name under which their ports are raised; see below.",
        examples=[{"memory": {"preset": "ddr4"}}],
    )
    tiles: list[Tile] = Field(
        min_length=1,
        description="The tiles; see below.",
        examples=[[{"name": "echo", "kind": "udp_echo"}]],
    )

    @model_validator(mode="after")
    def _tiles_are_addressable(self) -> DesignConfig:
        if (count := len(self.instances)) > MAX_TILES:
            raise ValueError(f"there are {count} tiles; the maximum is {MAX_TILES}")
        return self

    @cached_property
    def instances(self) -> list[Instance]:
        """The tiles of the mesh in the order of the file, each replica by itself."""
        found = []
        for i, tile in enumerate(self.tiles):
            loc: Loc = ("tiles", i)
            if tile.replicas is None:
                assert not isinstance(tile.at, list)
                found.append(Instance(tile.name, tile, tile.at, loc, (*loc, "at"), None))
                continue
            places = tile.at if isinstance(tile.at, list) else None
            for n in range(tile.replicas):
                at = places[n] if places else None
                found.append(
                    Instance(f"{tile.name}_{n}", tile, at, loc, (*loc, "at", n), replica=n)
                )
        return found
