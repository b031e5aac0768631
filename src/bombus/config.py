"""The design file: YAML in, a checked model and the line of every value out.

`load` reports everything that is wrong with the file's form at once, each with
its line. What the words mean together (next hops, parameters of layers,
positions) is the work of `bombus.check`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
    Tag,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from bombus import yaml_file
from bombus.errors import DesignError, Problem
from bombus.yaml_file import Loc, in_yaml

MAX_TILES = 255  # a tile's index is one byte of the register address; 0xFF is the host
MAX_REPLICAS = 64  # of one tile
MAX_NODES = 256  # of a mesh without tiles
MAX_DEPTH = {"wormhole": 64, "virtual_channels": 512, "crosspoint": 4096}
DEFAULT_DEPTH = {"wormhole": 32, "virtual_channels": 8, "crosspoint": 512}
DROP = "drop"  # a next hop that is meant to lead nowhere


def _plain_name(value: str) -> str:
    if not re.fullmatch(r"[a-z](_?[a-z0-9])*", value):
        raise ValueError(
            "should be snake_case: lower-case letters, digits and single underscores, "
            f"starting with a letter; not {value!r}"
        )
    return value


def _unicast_mac(value: str) -> str:
    if not re.fullmatch(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}", value):
        raise ValueError(
            f'should be a MAC address such as "02:b0:0b:05:00:01" (in quotes), not {value!r}'
        )
    if int(value[:2], 16) & 1:
        raise ValueError(f"should be the address of one host; {value} is a group address")
    return value.lower()


def mac_number(mac: str) -> int:
    """The 48-bit number of a MAC address; its first byte is the highest."""
    return int(mac.replace(":", ""), 16)


Name = Annotated[str, AfterValidator(_plain_name)]
Mac = Annotated[str, AfterValidator(_unicast_mac)]
Coordinate = Annotated[StrictInt, Field(ge=0, lt=MAX_TILES)]
Position = tuple[Coordinate, Coordinate]  # x, y
Policy = Literal["round_robin", "flow_hash", "dst_port", "least_loaded"]
ParamValue = StrictBool | StrictInt | StrictStr
Params = dict[str, ParamValue]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Fabric(_Model):
    """The network that joins the tiles."""

    kind: Literal["wormhole", "virtual_channels", "crosspoint"] = Field(
        "wormhole", description="Router of every tile (docs/fabrics.md)."
    )
    algorithm: Literal["xy", "o1turn", "adaptive"] = Field(
        "xy",
        description="Routing. `o1turn` and `adaptive` need the crosspoint fabric; with them, and "
        "with several virtual channels, messages between two tiles may overtake each other.",
    )
    lossless: StrictBool = Field(
        True,
        description="Whether a crosspoint fabric waits for room; else it drops, and counts, what "
        "does not fit. The other fabrics always wait.",
    )
    virtual_channels: Literal[1, 2, 4] = Field(
        2, description="Channels of each link; for the fabric `virtual_channels` alone."
    )
    max_packet_flits: StrictInt | None = Field(
        None,
        ge=1,
        le=2048,
        description="Flits that a crosspoint router wants room for before it starts a message; "
        "longer ones may stop on their way. For the fabric `crosspoint` alone. Default: those of "
        "the longest frame, 9600 bytes.",
    )
    columns: Annotated[StrictInt, Field(ge=1, le=MAX_TILES)] | None = Field(
        None, description="Width of the mesh in tiles. Default: as the positions need."
    )
    rows: Annotated[StrictInt, Field(ge=1, le=MAX_TILES)] | None = Field(
        None, description="Height of the mesh in tiles. Default: as the positions need."
    )
    max_load: float = Field(
        1.0,
        gt=0,
        description="Most traffic that `bombus place` lets a link be expected to carry, as a part "
        "of what it can carry.",
    )
    buffer_depth: StrictInt | None = Field(
        None,
        ge=4,
        le=4096,
        description="Flits that each buffer of a router can hold, a power of two: of a mesh input "
        "(wormhole, up to 64; default 32), of a virtual channel (up to 512; default 8), of a queue "
        "(crosspoint, up to 4096; default 512, or as many as `max_packet_flits` needs).",
    )

    @field_validator("algorithm", "lossless", "virtual_channels", "max_packet_flits")
    @classmethod
    def _its_kind_uses_it(cls, value: Any, info: ValidationInfo) -> Any:
        kind, key = info.data.get("kind"), info.field_name
        user = "virtual_channels" if key == "virtual_channels" else "crosspoint"
        is_usual = (key, value) in (("algorithm", "xy"), ("lossless", True), (key, None))
        if kind in (None, user) or is_usual:
            return value
        raise ValueError(
            f"{in_yaml(value)} is for `kind: {user}`; a {kind} fabric has no use for it"
        )

    @field_validator("rows")
    @classmethod
    def _is_addressable(cls, rows: int | None, info: ValidationInfo) -> int | None:
        columns = info.data.get("columns")
        if columns and rows and columns * rows > MAX_TILES:
            raise ValueError(
                f"a mesh of {columns} x {rows} tiles is too large: {MAX_TILES} tiles are the most"
            )
        return rows

    @field_validator("buffer_depth")
    @classmethod
    def _fits_its_kind(cls, depth: int | None, info: ValidationInfo) -> int | None:
        kind = info.data.get("kind")
        if depth and kind and (depth & (depth - 1) or depth > MAX_DEPTH[kind]):
            raise ValueError(
                f"of a {kind} fabric it should be a power of two up to {MAX_DEPTH[kind]}, "
                f"not {depth}"
            )
        return depth

    @property
    def depth(self) -> int:
        """Flits of each buffer of a router."""
        return self.buffer_depth or DEFAULT_DEPTH[self.kind]

    @property
    def lanes(self) -> int:
        """Parts of a queue straight through a crosspoint router, each for messages of its own."""
        return 2 if self.lossless and self.algorithm != "xy" else 1

    @property
    def packet_flits(self) -> int:
        """Flits that a message needs room for to start, once `for_messages` has set them."""
        return self.max_packet_flits or 1

    def for_messages(self, flits: int, late: int) -> Fabric:
        """With the defaults that let messages of up to `flits` start only when all of them fit.

        `late`: flits that a queue needs besides, for those on the link.
        """
        if self.kind != "crosspoint":
            return self
        packet = self.max_packet_flits or flits
        depth = DEFAULT_DEPTH[self.kind]
        while depth < MAX_DEPTH[self.kind] and depth // self.lanes < packet + late:
            depth *= 2
        return self.model_copy(
            update={"max_packet_flits": packet, "buffer_depth": self.buffer_depth or depth}
        )


class Host(_Model):
    """Addresses of the host; initial values of registers that can be changed at run time."""

    mac: Mac = Field(description='MAC address, in quotes: `"02:b0:0b:05:00:01"`.')
    ip: IPv4Address = Field(description="IPv4 address.")
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
class LayerConfig:
    """One layer of a tile as the design file gives it."""

    kind: str
    params: Params
    loc: Loc  # of its name, inside the tile
    params_loc: Loc  # under which its parameters stand, inside the tile


def _at_form(value: Any) -> str:
    is_list = isinstance(value, list | tuple)
    return "each" if is_list and any(isinstance(part, list | tuple) for part in value) else "one"


At = Annotated[
    Annotated[Position, Tag("one")] | Annotated[list[Position], Tag("each")],
    Discriminator(_at_form),
]


class _Tile(_Model):
    name: Name = Field(description="Name of the tile, unique in the design.")
    at: At | None = Field(
        None,
        description="Position `[x, y]`, which messages write (x, y); x grows to the east, y to the "
        "south; of replicas, a list with the position of each. Default: the next free one; "
        "`bombus place` finds better ones.",
        examples=[[2, 1]],
    )
    replicas: Annotated[StrictInt, Field(ge=1, le=MAX_REPLICAS)] | None = Field(
        None,
        description="So many tiles of this sort, called `<name>_0`, `<name>_1`... Whoever sends to "
        "`<name>` sends each message to one of them. Default: one tile, `<name>`.",
    )
    dispatch: Policy | None = Field(
        None,
        description="Which replica takes a message; see [below](#replicas). Default: `flow_hash`.",
    )
    next: dict[str, str] = Field(
        default={},
        description="Where a next hop of this tile's layers leads, by the next hop's name: a tile, "
        "`tile.layer`, or `drop` to drop and count such messages. Needed only where the design has "
        "several layers, or none, that answer to the next hop.",
        examples=[{"tcp_rx": "drop"}],
    )
    traffic: dict[str, Annotated[float, Field(ge=0, le=1)]] = Field(
        default={},
        description="The part of a layer's messages that is expected to take a next hop, by the "
        "next hop's name; at most 1 for all of a layer. `bombus place` reads it. Default: equal "
        "parts of what is left, little for next hops such as `arp`.",
        examples=[{"app0": 0.7, "icmp": 0.1}],
    )

    @field_validator("name")
    @classmethod
    def _not_reserved(cls, value: str) -> str:
        if value == DROP:
            raise ValueError(f"{DROP!r} is reserved: as a next hop it means to drop the message")
        return value

    @model_validator(mode="after")
    def _replicas_fit(self) -> _Tile:
        if self.replicas is None and self.dispatch:
            raise ValueError("`dispatch` says how replicas share the work: say `replicas`, too")
        places = len(self.at) if isinstance(self.at, list) else None
        if self.replicas is None and places is not None:
            raise ValueError("`at` is a list of positions: say `replicas`, too, or give one")
        if self.replicas is not None and self.at is not None and places != self.replicas:
            given = f"{places} positions" if places is not None else "one position"
            raise ValueError(
                f"`at` has {given} for replicas: {self.replicas}; give a list with one for each, "
                "or none"
            )
        return self


class TileOfLayers(_Tile):
    """A tile with one or more layers, joined by plain wires."""

    layers: list[StrictStr | dict[str, Params | None]] = Field(
        min_length=1,
        description="Layers, each by its kind (`udp_tx`) or its kind and parameters "
        "(`{udp_echo: {udp_port: 7}}`).",
        examples=[["mac_rx", "eth_rx"]],
    )

    @field_validator("layers")
    @classmethod
    def _one_kind_each(
        cls, value: list[str | dict[str, Params | None]]
    ) -> list[str | dict[str, Params | None]]:
        for item in value:
            if isinstance(item, dict) and len(item) != 1:
                raise ValueError(
                    "each layer should be one kind, such as `- udp_tx` or "
                    f"`- udp_echo: {{udp_port: 7}}`; here are {len(item)} keys in one"
                )
        return value

    def layer_configs(self) -> Iterator[LayerConfig]:
        for i, item in enumerate(self.layers):
            if isinstance(item, str):
                yield LayerConfig(item, {}, ("layers", i), ("layers", i))
            else:
                kind, params = next(iter(item.items()))
                yield LayerConfig(kind, params or {}, ("layers", i, kind), ("layers", i, kind))


class TileOfKind(_Tile):
    """Shorthand for a tile with one layer: its parameters stand beside `kind`."""

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: Params

    kind: str = Field(
        description="Kind of the layer. Its parameters are further keys.", examples=["udp_echo"]
    )

    @model_validator(mode="before")
    @classmethod
    def _has_one_form(cls, value: Any) -> Any:
        if isinstance(value, dict) and "layers" in value:
            raise ValueError("has `kind` and `layers`: give one of them")
        return value

    def layer_configs(self) -> Iterator[LayerConfig]:
        yield LayerConfig(self.kind, dict(self.__pydantic_extra__), ("kind",), ())


def _tile_form(value: Any) -> str:
    return "kind" if isinstance(value, dict) and "kind" in value else "layers"


@dataclass(frozen=True)
class Instance:
    """One tile of the mesh: a tile of the design file, or one of its replicas."""

    name: str
    given: TileOfLayers | TileOfKind
    at: tuple[int, int] | None
    loc: Loc
    at_loc: Loc
    replica: int | None  # its number among its like; None: the tile has no replicas


Tile = Annotated[
    Annotated[TileOfLayers, Tag("layers")] | Annotated[TileOfKind, Tag("kind")],
    Discriminator(_tile_form),
]


class Design(_Model):
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


@dataclass(frozen=True)
class DesignFile:
    """A design with its file, to say where in the file a problem is."""

    path: Path
    design: Design
    document: Any

    def line(self, loc: Loc) -> int | None:
        return yaml_file.line(self.document, loc)

    def problem(self, loc: Loc, message: str, *, is_error: bool = True) -> Problem:
        return Problem(self.path, self.line(loc), message, is_error)

    def source_files(self) -> list[Path]:
        return [(self.path.parent / source).resolve() for source in self.design.sources]


def _in_document(loc: Loc, document: Any) -> Loc:
    """The steps of a pydantic location that are in the text; forms of a value are not."""
    if loc[:1] == ("tiles",):
        loc = loc[:2] + loc[3:]  # the third says whether the tile has `layers` or `kind`
    return yaml_file.in_document(loc, document)


def _place(loc: Loc, document: Any) -> str:
    """`tile 'echo': at[0]` for ("tiles", 2, "at", 0)."""
    text = ""
    if loc[:1] == ("tiles",) and len(loc) > 1:
        tile = document["tiles"][loc[1]]
        name = tile.get("name") if isinstance(tile, dict) else None
        text, loc = f"tile {name!r}" if name else f"tiles[{loc[1]}]", loc[2:]
        if loc:
            text += ": "
    return text + yaml_file.place(loc)


def _words(error: Any, loc: Loc, document: Any) -> str:
    """A pydantic error in the words of somebody who writes a design file."""
    place = _place(loc, document)
    if error["type"] == "missing" and error["loc"][-1] == "layers":
        return f"{place}: has neither `layers` nor `kind`"
    in_tile = loc[2:] if loc[:1] == ("tiles",) else ()
    if len(in_tile) == 2 and in_tile[0] == "layers" and error["type"] != "value_error":
        return f"{place}: should be a kind of layer, or a kind and its parameters"
    if len(in_tile) == 3 and in_tile[0] == "layers":
        return f"{place}: should be the layer's parameters, such as {{udp_port: 7}}"
    is_parameter = (len(in_tile) == 4 and in_tile[0] == "layers") or (
        len(in_tile) == 1 and in_tile[0] not in {*TileOfKind.model_fields, "layers"}
    )
    if is_parameter and error["type"] != "extra_forbidden":
        return f"{place}: should be a number, true, false or a text"
    return yaml_file.words(error, loc, place, Design)


def _shape_problems(path: Path, document: Any, error: ValidationError) -> list[Problem]:
    """One problem for each place; what a deeper place explains is left out."""
    items = [(_in_document(tuple(item["loc"]), document), item) for item in error.errors()]
    places = {loc for loc, item in items if item["type"] != "missing"}
    formless = {loc for loc, item in items if item["loc"][-1:] == ("layers",)}
    found: dict[str, Problem] = {}
    for loc, item in items:
        if item["type"] == "extra_forbidden" and loc[:-1] in formless:
            continue  # it may be a parameter, if only there were a kind
        if item["type"] != "missing" and any(
            len(place) > len(loc) > 2 and place[: len(loc)] == loc for place in places
        ):
            continue
        message = _words(item, loc, document)
        found.setdefault(message, Problem(path, yaml_file.line(document, loc) or 1, message))
    return list(found.values())


def _duplicates(path: Path, document: Any, tiles: Sequence[Any]) -> Iterator[Problem]:
    first: dict[str, int | None] = {}
    for i, tile in enumerate(tiles):
        name = tile.get("name") if isinstance(tile, dict) else None
        if not isinstance(name, str):
            continue
        names = [name]
        replicas = tile.get("replicas")
        if isinstance(replicas, int) and replicas <= MAX_REPLICAS:
            names += [f"{name}_{n}" for n in range(replicas)]
        line = yaml_file.line(document, ("tiles", i, "name"))
        for each in names:
            if each in first:
                yield Problem(path, line, f"tile {each!r} is there already, in line {first[each]}")
                break
            first[each] = line


def load(path: Path) -> DesignFile:
    """Reads a design file.

    Raises DesignError with every problem of the file's form, or UserError if
    there is no such file.
    """
    path = Path(path)
    document = yaml_file.read(path, "design file")
    data = yaml_file.plain(document)
    tiles = data.get("tiles")
    problems = list(_duplicates(path, document, tiles if isinstance(tiles, list) else []))
    try:
        design = Design.model_validate(data)
    except ValidationError as error:
        problems += _shape_problems(path, document, error)
    if problems:
        raise DesignError(sorted(problems, key=lambda problem: problem.line or 0))
    return DesignFile(path, design, document)
