# SPDX-License-Identifier: Apache-2.0
"""The `tiles` section of a design file."""

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

from bombus.base.values import FileModel, Name, Params, Policy, Position
from bombus.base.yaml_file import Loc

MAX_REPLICAS = 64  # of one tile
DROP = "drop"  # a next hop that drops messages on purpose


@dataclass(frozen=True)
class LayerConfig:
    """One layer of a tile as the design file gives it."""

    kind: str
    params: Params
    loc: Loc  # of its name, inside the tile
    params_loc: Loc  # of its parameters, inside the tile


def _at_form(value: Any) -> str:
    is_list = isinstance(value, list | tuple)
    return "each" if is_list and any(isinstance(part, list | tuple) for part in value) else "one"


At = Annotated[
    Annotated[Position, Tag("one")] | Annotated[list[Position], Tag("each")],
    Discriminator(_at_form),
]


def _dispatch_form(value: Any) -> str:
    return "several" if isinstance(value, list | tuple) else "one"


Dispatch = Annotated[
    Annotated[Policy, Tag("one")] | Annotated[list[Policy], Field(min_length=1), Tag("several")],
    Discriminator(_dispatch_form),
]


class _Tile(FileModel):
    name: Name = Field(description="Unique in the design.")
    at: At | None = Field(
        None,
        description="Position `[x, y]`; x increases eastward, y southward. With replicas: a list "
        "of positions. Default: the next free one; `bombus place` finds better ones.",
        examples=[[2, 1]],
    )
    replicas: Annotated[StrictInt, Field(ge=1, le=MAX_REPLICAS)] | None = Field(
        None,
        description="Copies of this tile, `<name>_0`, `<name>_1`...; see [below](#replicas). "
        "Default: a single tile, `<name>`.",
    )
    dispatch: Dispatch | None = Field(
        None,
        description="Policy that selects a replica. A list has the policies that software can "
        "select, the initial one first. Default: `flow_hash`.",
    )
    next: dict[str, str] = Field(
        default={},
        description="Target of each next hop: a tile, `tile.layer`, `tile.layer.stream`, or `drop` "
        "to drop and count the messages. Needed only if several layers, or none, answer to the "
        "next hop. `layer.hop` is that of one layer only.",
        examples=[{"icmp": "drop"}],
    )
    networks: dict[str, str] = Field(
        default={},
        description="Network of each stream, by name (`answer`, or `layer.answer` where several "
        "layers have one). Default: the first network.",
        examples=[{"answer": "control"}],
    )
    traffic: dict[str, Annotated[float, Field(ge=0, le=1)]] = Field(
        default={},
        description="Expected share of a layer's messages by next hop, at most 1 in sum, for "
        "`bombus place`. Default: equal shares of the rest, small ones for rare next hops such as "
        "`arp`.",
        examples=[{"udp_port_7": 0.7, "icmp": 0.1}],
    )
    slow: bool = Field(
        False,
        description="Messages for this tile may wait long: `bombus place` keeps others off the "
        "links before it where that makes no route longer. Replicas always count as slow.",
        validate_default=True,
    )

    waits: list[StrictStr] = Field(
        default=[],
        description="Layers with a register, where a message from the mesh waits while its layer "
        "is busy with one of the tile, and blocks none for other layers; a cycle of latency.",
        examples=[["eth_tx"]],
    )
    ports: dict[Name, Name] = Field(
        default={},
        description="Ports of this tile's layers to raise to the top; see [below](#raised-ports).",
        examples=[{"axi": "memory"}],
    )

    @field_validator("name")
    @classmethod
    def _not_reserved(cls, value: str) -> str:
        if value == DROP:
            raise ValueError(f"{DROP!r} is reserved: as a next hop it drops the message")
        return value

    @property
    def policies(self) -> tuple[Policy, ...]:
        """The policies that software can select, the initial one first."""
        given = self.dispatch or "flow_hash"
        return (given,) if isinstance(given, str) else tuple(given)

    @model_validator(mode="after")
    def _policies_fit(self) -> _Tile:
        if len(set(self.policies)) < len(self.policies):
            raise ValueError("`dispatch` has a policy twice")
        if "dst_port" in self.policies and {"flow_hash", "least_loaded"} & {*self.policies}:
            raise ValueError(
                "`dispatch`: under dst_port each replica has a port of its own, so that messages "
                "cannot be dispatched by flow_hash or least_loaded instead"
            )
        return self

    @model_validator(mode="after")
    def _replicas_fit(self) -> _Tile:
        if self.replicas is None and self.dispatch:
            raise ValueError("`dispatch` needs `replicas`")
        places = len(self.at) if isinstance(self.at, list) else None
        if self.replicas is None and places is not None:
            raise ValueError(
                "`at` is a list of positions, which needs `replicas`; give a single "
                "position or add `replicas`"
            )
        if self.replicas is not None and self.at is not None and places != self.replicas:
            given = f"{places} positions" if places is not None else "one position"
            raise ValueError(
                f"`at` has {given} for {self.replicas} replicas; give one position per replica, "
                f"or omit `at`"
            )
        return self


class TileOfLayers(_Tile):
    """A tile with layers, joined by wires."""

    layers: list[StrictStr | dict[str, Params | None]] = Field(
        min_length=1,
        description="Each by its kind (`udp_tx`) or its kind and parameters "
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
                    "each layer should be a single kind, such as `- udp_tx` or "
                    f"`- udp_echo: {{udp_port: 7}}`; here are {len(item)} keys"
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
    """Shorthand for a tile with one layer: its parameters are keys beside `kind`."""

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: Params

    kind: str = Field(
        description="Kind of the layer. Further keys are its parameters.", examples=["udp_echo"]
    )

    @model_validator(mode="before")
    @classmethod
    def _has_one_form(cls, value: Any) -> Any:
        if isinstance(value, dict) and "layers" in value:
            raise ValueError("has both `kind` and `layers`; give one of them")
        return value

    def layer_configs(self) -> Iterator[LayerConfig]:
        yield LayerConfig(self.kind, dict(self.__pydantic_extra__), ("kind",), ())


def tile_form(value: Any) -> str:
    return "kind" if isinstance(value, dict) and "kind" in value else "layers"


Tile = Annotated[
    Annotated[TileOfLayers, Tag("layers")] | Annotated[TileOfKind, Tag("kind")],
    Discriminator(tile_form),
]
