# SPDX-License-Identifier: Apache-2.0
"""The `fabric` section of a design file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, StrictBool, StrictInt, ValidationInfo, field_validator

from bombus.base.text import listing
from bombus.base.values import MAX_TILES, FileModel
from bombus.base.yaml_file import in_yaml
from bombus.fabric.kind import FabricKind
from bombus.fabric.kinds import KINDS

MAX_NODES = 256  # of a mesh without tiles
if TYPE_CHECKING:
    Kind = str
else:
    Kind = Literal[tuple(KINDS)]


class Fabric(FileModel):
    """The network that connects the tiles."""

    kind: Kind = Field(next(iter(KINDS)), description="Router type; see docs/fabrics.md.")
    algorithm: Literal["xy", "o1turn", "adaptive"] = Field(
        "xy",
        description="Routing algorithm. `o1turn` and `adaptive` need the crosspoint fabric, and "
        "may reorder messages between two tiles, as may several virtual channels.",
    )
    lossless: StrictBool = Field(
        True,
        description="`false`: a crosspoint fabric that drops and counts messages that do not fit.",
    )
    virtual_channels: Literal[1, 2, 4] = Field(
        2, description="Per link; only for the fabric `virtual_channels`."
    )
    max_packet_flits: StrictInt | None = Field(
        None,
        ge=1,
        le=2048,
        description="Free space, in flits, that a `crosspoint` router requires before it starts a "
        "message; longer messages may stall on a link. Default: the longest frame, 9600 bytes.",
    )
    window: Literal["auto"] | Annotated[StrictInt, Field(ge=1)] | None = Field(
        None,
        description="Flits in flight, limited so that chains in any order cannot deadlock; see "
        "docs/fabrics.md. `auto`: as many as are safe. Only for the lossless fabric `crosspoint`, "
        "and with `tables: fixed`. Default: no limit.",
    )
    columns: Annotated[StrictInt, Field(ge=1, le=MAX_TILES)] | None = Field(
        None, description="Width of the mesh in tiles. Default: as needed."
    )
    rows: Annotated[StrictInt, Field(ge=1, le=MAX_TILES)] | None = Field(
        None, description="Height of the mesh in tiles. Default: as needed."
    )
    max_load: float = Field(
        1.0,
        gt=0,
        description="Highest expected load of a link that `bombus place` accepts.",
    )
    buffer_depth: StrictInt | None = Field(
        None,
        ge=4,
        le=4096,
        description="Router buffers in flits, a power of two: per input (wormhole: up to 64, "
        "default 32), virtual channel (up to 512, default 8) or queue (crosspoint: default 512 or "
        "as `max_packet_flits` requires).",
    )

    @field_validator("algorithm", "lossless", "virtual_channels", "max_packet_flits", "window")
    @classmethod
    def _its_kind_uses_it(cls, value: Any, info: ValidationInfo) -> Any:
        kind, key = info.data.get("kind"), info.field_name
        reserves = key in ("max_packet_flits", "window")
        if reserves and value and info.data.get("lossless") is False:
            raise ValueError(f"{in_yaml(value)} applies to a lossless fabric only")
        users = [name for name, each in KINDS.items() if key in each.keys]
        is_usual = (key, value) in (("algorithm", "xy"), ("lossless", True), (key, None))
        if kind in (None, *users) or is_usual:
            return value
        named = listing((f"`kind: {user}`" for user in users), "or")
        raise ValueError(f"{in_yaml(value)} applies to {named} only, not to {kind}")

    @field_validator("rows")
    @classmethod
    def _is_addressable(cls, rows: int | None, info: ValidationInfo) -> int | None:
        columns = info.data.get("columns")
        if columns and rows and columns * rows > MAX_TILES:
            raise ValueError(
                f"a mesh of {columns} x {rows} tiles is too large; the maximum is {MAX_TILES} tiles"
            )
        return rows

    @field_validator("buffer_depth")
    @classmethod
    def _fits_its_kind(cls, depth: int | None, info: ValidationInfo) -> int | None:
        kind = info.data.get("kind")
        if not (depth and kind):
            return depth
        if depth & (depth - 1) or depth > KINDS[kind].max_depth:
            raise ValueError(
                f"of a {kind} fabric it should be a power of two up to {KINDS[kind].max_depth}, "
                f"not {depth}"
            )
        return depth

    @property
    def traits(self) -> FabricKind:
        """What its kind defines."""
        return KINDS[self.kind]

    @property
    def depth(self) -> int:
        """Flits of each buffer of a router."""
        return self.buffer_depth or self.traits.default_depth

    @property
    def lanes(self) -> int:
        """Number of lanes of a straight-through queue of a router, each for its own messages."""
        return self.traits.lanes(self)

    @property
    def packet_flits(self) -> int:
        """Flits of room that a message needs to start, once `for_messages` has set it."""
        return self.max_packet_flits or 1

    def lack_of_room(self, late: int) -> str:
        """Complaint about queues too shallow for the messages that start; "" if they are not.
        `late`: as in `for_messages`, which must have set the defaults.
        """
        return self.traits.lack_of_room(self, late)

    def for_messages(self, flits: int, late: int) -> Fabric:
        """The fabric with defaults that let messages of up to `flits` flits start only when all of
        them fit.

        `late`: additional room that a queue of a lossless fabric needs for flits on the link.
        """
        defaults = self.traits.defaults(self, flits, late)
        return self.model_copy(update=dict(defaults)) if defaults else self
