# SPDX-License-Identifier: Apache-2.0
"""Top-level model of a design file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from pydantic import Field, StrictInt, ValidationInfo, field_validator, model_validator

from bombus.base.values import MAX_TILES, FileModel, Name
from bombus.base.yaml_file import Loc
from bombus.design.config.host import Host, MacPort, Route
from bombus.design.config.memory import Memory
from bombus.design.config.tile import Tile, TileOfKind, TileOfLayers
from bombus.fabric.config import Fabric

MAX_ROUTES = 16  # bombus_pkg::MaxRoutes
ROUTES_OF_SEVERAL_PORTS = 8


@dataclass(frozen=True)
class Instance:
    """One tile of the mesh: a tile of the design file, or one of its replicas."""

    name: str
    given: TileOfLayers | TileOfKind
    at: tuple[int, int] | None
    loc: Loc
    at_loc: Loc
    replica: int | None  # its number among its like; None: the tile has no replicas


class NetworkConfig(FileModel):
    """One of several networks, with routers at the same positions."""

    data_width: Literal[64, 128, 256, 512] = Field(description="Data width of a flit, in bits.")
    fabric: Fabric = Field(
        Fabric(),
        description="As above. `columns` and `rows` are given for the first network only; a "
        "further one has routers in the smallest rectangle that holds its tiles.",
        examples=[{"kind": "crosspoint"}],
    )


class DesignConfig(FileModel):
    """A design."""

    name: Name = Field(description="The generated top is `<name>_top`.")
    data_width: Literal[64, 128, 256, 512] | None = Field(
        None, description="Width of a flit, in bits. Required unless there are `networks`."
    )
    clock_mhz: float = Field(250, ge=1, le=10_000, description="Clock frequency, in MHz.")
    line_rate_gbps: float = Field(
        100, gt=0, le=10_000, description="Rate of each MAC port, in Gbit/s."
    )
    fabric: Fabric = Field(Fabric(), description="The mesh.", examples=[{"kind": "crosspoint"}])
    networks: dict[Name, NetworkConfig] | None = Field(
        None,
        min_length=1,
        description="Several networks by name, instead of `data_width` and `fabric`. The first "
        "one carries every stream for which no other is named.",
        examples=[{"data": {"data_width": 512}, "control": {"data_width": 64}}],
    )
    tables: Literal["writable", "fixed"] = Field(
        "writable",
        description="Tables of next hops: `writable` by registers, or `fixed`: wormhole routers "
        "have only the turns that messages take.",
    )
    registers: Literal["hub", "mesh"] = Field(
        "hub",
        description="How register accesses reach the tiles: by wires, or a narrow mesh; see "
        "[architecture.md](architecture.md#masters-of-registers).",
    )
    host: Host | None = Field(
        None,
        description="Addresses of a design with one MAC port.",
        examples=[{"mac": "02:b0:0b:05:00:01", "ip": "10.77.0.2"}],
    )
    mac_ports: list[MacPort] = Field(
        default=[],
        description="Instead of `host`: each MAC port with its addresses and clock.",
        examples=[
            [
                {"mac": "02:b0:0b:05:00:01", "ip": "10.77.0.2", "clock_mhz": 322.265625},
                {"mac": "02:b0:0b:05:00:02", "ip": "10.78.0.2", "clock_mhz": 156.25},
            ]
        ],
    )
    routes: list[Route] = Field(
        default=[],
        description="Routes of messages that start in the design, beside the networks of the MAC "
        "ports.",
        examples=[[{"to": "10.80.0.0/16", "via": "10.78.0.1", "mac_port": 1}]],
    )
    route_entries: StrictInt | None = Field(
        None,
        ge=0,
        le=MAX_ROUTES,
        description="Entries of the routing table. Default: 8 with several MAC ports, else as "
        "many as `routes`. 0: no table.",
    )
    elsewhere: dict[str, dict[str, list[StrictInt]]] = Field(
        default={},
        description="Layers in another design, by the key that finds them and the next hop: its "
        "values of the key. `next` of a tile says which of its layers, with "
        '`Entry = "any"`, takes the messages there.',
        examples=[{"udp_port": {"udp_port_7": [7]}}],
    )
    sources: list[str] = Field(
        default=[],
        description="SystemVerilog files with your own layers.",
        examples=[["my_layer.sv"]],
    )
    run: dict[str, str] = Field(
        default={},
        description="Files for options of `bombus run` that applications add, such as rules, by "
        "option. The command line takes precedence.",
        examples=[{"acl": "my.acl"}],
    )
    memories: dict[Name, Memory] = Field(
        default={},
        description="Models of memories at [raised ports](#raised-ports) in simulation, by the "
        "name under which the ports are raised.",
        examples=[{"memory": {"preset": "ddr4"}}],
    )
    tiles: list[Tile] = Field(
        min_length=1,
        description="The tiles.",
        examples=[[{"name": "echo", "kind": "udp_echo"}]],
    )

    @field_validator("networks")
    @classmethod
    def _says_all(
        cls, networks: dict[str, NetworkConfig] | None, info: ValidationInfo
    ) -> dict[str, NetworkConfig] | None:
        if networks is None:
            return networks
        for key, default in (("data_width", None), ("fabric", Fabric())):
            if info.data.get(key, default) != default:
                raise ValueError(f"has `{key}` beside it; give `{key}` for each network")
        first, *others = networks
        for name in others:
            if networks[name].fabric.columns or networks[name].fabric.rows:
                raise ValueError(
                    f"`columns` and `rows` apply to all networks: give them for {first!r}, the "
                    f"first one, not for {name!r}"
                )
        return networks

    @model_validator(mode="after")
    def _has_a_width(self) -> DesignConfig:
        if self.networks is None and self.data_width is None:
            raise ValueError("`data_width` is missing; give it, or several `networks`")
        return self

    @property
    def all_networks(self) -> Mapping[str, NetworkConfig]:
        """The networks by name, the first one first; the only one is called `data`."""
        if self.networks is not None:
            return self.networks
        assert self.data_width is not None
        return {"data": NetworkConfig(data_width=self.data_width, fabric=self.fabric)}

    def network_loc(self, index: int) -> Loc:
        """Location in the file of `data_width` and `fabric` of a network."""
        return ("networks", list(self.networks)[index]) if self.networks else ()

    @property
    def grid(self) -> Fabric:
        """The fabric that gives the size of the mesh."""
        return next(iter(self.all_networks.values())).fabric

    @model_validator(mode="after")
    def _has_addresses(self) -> DesignConfig:
        if self.host is not None and self.mac_ports:
            raise ValueError("has both `host` and `mac_ports`; give one of them")
        if self.host is None and not self.mac_ports:
            raise ValueError("'host' is missing (or `mac_ports`, for several MAC ports)")
        return self

    @model_validator(mode="after")
    def _routes_lead_somewhere(self) -> DesignConfig:
        if len(self.routes) > self.num_routes:
            raise ValueError(
                f"there are {len(self.routes)} `routes`, but `route_entries` is {self.num_routes}"
            )
        for n, route in enumerate(self.routes):
            if route.mac_port >= len(self.ports):
                raise ValueError(
                    f"`routes[{n}]`: there is no MAC port {route.mac_port}; ports are numbered "
                    "from 0"
                )
            port = self.ports[route.mac_port]
            if route.via is not None and (route.via not in port.network or route.via == port.ip):
                raise ValueError(
                    f"`routes[{n}]`: {route.via} is no other host of {port.network}, the network "
                    f"of MAC port {route.mac_port}"
                )
        return self

    @model_validator(mode="after")
    def _tiles_are_addressable(self) -> DesignConfig:
        if (count := len(self.instances)) > MAX_TILES:
            raise ValueError(f"there are {count} tiles; the maximum is {MAX_TILES}")
        return self

    @cached_property
    def ports(self) -> list[MacPort]:
        """The MAC ports by number, also if the file has the short form."""
        return [MacPort(**self.host.model_dump())] if self.host else self.mac_ports

    @property
    def num_routes(self) -> int:
        """Entries of the routing table."""
        if self.route_entries is not None:
            return self.route_entries
        return max(len(self.routes), ROUTES_OF_SEVERAL_PORTS if len(self.ports) > 1 else 0)

    @property
    def clocks(self) -> dict[str, float]:
        """The rate of each clock input of the top in MHz, that of the design first."""
        ports = enumerate(self.ports)
        own = {f"mac{number}_clk_i": port.clock_mhz for number, port in ports if port.clock_mhz}
        return {"clk_i": self.clock_mhz, **own}

    def has_own_clock(self, number: int) -> bool:
        """Whether a MAC port has a different clock from the design."""
        return number < len(self.ports) and self.ports[number].clock_mhz is not None

    def port_loc(self, number: int) -> Loc:
        """Location of a MAC port's addresses in the file."""
        return ("host",) if self.host else ("mac_ports", number)

    @cached_property
    def instances(self) -> list[Instance]:
        """The tiles of the mesh in file order, with replicas listed one by one."""
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
