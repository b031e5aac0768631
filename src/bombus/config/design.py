"""The whole of a design file, as a checked model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Address, IPv4Network
from typing import Literal

from pydantic import Field, StrictInt, ValidationInfo, field_validator, model_validator

from bombus.config.fabric import Fabric
from bombus.config.tile import Tile, TileOfKind, TileOfLayers
from bombus.config.values import MAX_TILES, Mac, Model, Name
from bombus.yaml_file import Loc


class Host(Model):
    """Addresses of the host; initial values of registers that can be changed at run time."""

    mac: Mac = Field(
        description='MAC address, in quotes: `"02:b0:0b:05:00:01"`.', examples=["02:b0:0b:05:00:01"]
    )
    ip: IPv4Address = Field(description="IPv4 address.", examples=["10.77.0.2"])
    prefix: StrictInt = Field(24, ge=1, le=32, description="Length of the network's prefix.")
    gateway: IPv4Address | None = Field(
        None, description="Router for addresses outside the network. Default: none."
    )

    @property
    def network(self) -> IPv4Network:
        return IPv4Network((self.ip, self.prefix), strict=False)

    @field_validator("gateway")
    @classmethod
    def _gateway_is_near(
        cls, value: IPv4Address | None, info: ValidationInfo
    ) -> IPv4Address | None:
        if value is None or "ip" not in info.data or "prefix" not in info.data:
            return value
        network = IPv4Network((info.data["ip"], info.data["prefix"]), strict=False)
        if value not in network:
            raise ValueError(f"{value} is outside the host's own network {network}")
        return value


@dataclass(frozen=True)
class Instance:
    """One tile of the mesh: a tile of the design file, or one of its replicas."""

    name: str
    given: TileOfLayers | TileOfKind
    at: tuple[int, int] | None
    loc: Loc
    at_loc: Loc
    replica: int | None  # its number among its like; None: the tile has no replicas


class Design(Model):
    """A design: its addresses, its mesh and its tiles."""

    name: Name = Field(description="Name of the design; the generated top is `<name>_top`.")
    data_width: Literal[64, 128, 256, 512] = Field(description="Bits of data in a flit.")
    clock_mhz: float = Field(250, gt=0, allow_inf_nan=False, description="Clock frequency, in MHz.")
    line_rate_gbps: float = Field(
        100, gt=0, allow_inf_nan=False, description="Rate of each MAC port, in Gbit/s."
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
        description="SystemVerilog files with layers of your own, relative to the design file.",
        examples=[["my_layer.sv"]],
    )
    tiles: list[Tile] = Field(
        min_length=1,
        description="The tiles; see below.",
        examples=[[{"name": "echo", "kind": "udp_echo"}]],
    )

    @model_validator(mode="after")
    def _tiles_are_addressable(self) -> Design:
        if (count := len(self.instances)) > MAX_TILES:
            raise ValueError(f"there are {count} tiles; {MAX_TILES} are the most")
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
