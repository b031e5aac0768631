"""`tiles` of a design file: their layers, and the words that all tiles have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import (
    ConfigDict,
    Discriminator,
    Field,
    StrictInt,
    StrictStr,
    Tag,
    field_validator,
    model_validator,
)

from bombus.config.values import Model, Name, Params, Policy, Position
from bombus.yaml_file import Loc

MAX_REPLICAS = 64  # of one tile
DROP = "drop"  # a next hop that is meant to lead nowhere


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


class _Tile(Model):
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


Tile = Annotated[
    Annotated[TileOfLayers, Tag("layers")] | Annotated[TileOfKind, Tag("kind")],
    Discriminator(_tile_form),
]
