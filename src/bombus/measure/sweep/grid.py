# SPDX-License-Identifier: Apache-2.0
"""Sweep files: fabrics, meshes and traffic, and the points that they define."""

from __future__ import annotations

import itertools
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictInt,
    ValidationInfo,
    field_validator,
)

from bombus.base import yaml_file
from bombus.base.cache import content_key
from bombus.base.errors import DesignError, Problem
from bombus.base.values import Name
from bombus.fabric.config import MAX_NODES, Fabric
from bombus.measure import mesh

Side = Annotated[StrictInt, Field(ge=2, le=MAX_NODES // 2)]
Positive = Annotated[StrictInt, Field(ge=1)]


class SweptFabric(Fabric):
    """A fabric of meshes without tiles; the sweep gives the sizes."""

    @field_validator("columns", "rows", "max_load")
    @classmethod
    def _is_not_for_sweeps(cls, value: Any, info: ValidationInfo) -> Any:
        if info.field_name == "max_load":
            raise ValueError("applies to `bombus place` only, not to sweeps")
        raise ValueError("the mesh size is given under `sizes`")


def _has_room(fabric: SweptFabric) -> SweptFabric:
    if lack := mesh.lack_of_room(fabric):
        raise ValueError(lack)
    return fabric


def _fits(size: tuple[int, int]) -> tuple[int, int]:
    columns, rows = size
    if columns * rows > MAX_NODES:
        raise ValueError(f"a mesh of {columns} x {rows} has more than {MAX_NODES} nodes")
    return size


class Sweep(BaseModel):
    """A sweep file: every combination of the values in its lists is run."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Name = Field(description="Name of the sweep.")
    fabrics: list[Annotated[SweptFabric, AfterValidator(_has_room)]] = Field(
        min_length=1,
        description="Fabrics, with the keys of `fabric` in a design file.",
        examples=[[{"kind": "crosspoint"}]],
    )
    sizes: list[Annotated[tuple[Side, Side], AfterValidator(_fits)]] = Field(
        [(4, 4)], min_length=1, description="Meshes, as `[columns, rows]`.", examples=[[[4, 4]]]
    )
    traffic: Literal["independent", "chain"] = Field(
        "independent",
        description="`independent`: every node sends its own messages; `chain`: node 0 sends "
        "messages through all other nodes and back.",
    )
    patterns: list[Literal["uniform", "exponential", "bit_complement", "transpose", "hotspot"]] = (
        Field(
            ["uniform"],
            min_length=1,
            description="Destination patterns.",
            examples=[["uniform", "hotspot"]],
        )
    )
    offered: list[Annotated[float, Field(gt=0, le=1)]] = Field(
        min_length=1, description="Loads, in flits per cycle and source.", examples=[[0.2, 0.4]]
    )
    seeds: list[StrictInt] = Field(
        [1], min_length=1, description="Seeds of the traffic.", examples=[[1, 2, 3]]
    )
    packet: Positive = Field(24, description="Flits of a message (`independent`).")
    warmup: Positive = Field(5000, description="Warm-up, in cycles; with `chain`, in messages.")
    measure: Positive = Field(
        20000, description="Measurement, in cycles; with `chain`, in messages."
    )

    @field_validator("packet")
    @classmethod
    def _is_used(cls, value: int, info: ValidationInfo) -> int:
        if info.data.get("traffic") == "chain":
            raise ValueError("is for `traffic: independent`; chains use messages of several sizes")
        for fabric in info.data.get("fabrics", ()):
            room = mesh.with_defaults(fabric).packet_flits
            if fabric.algorithm == "adaptive" and fabric.lossless and value > room:
                raise ValueError(
                    f"adaptive routing needs room for whole messages: max_packet_flits, {room}, "
                    f"should be at least {value}"
                )
        return value

    def points(self) -> list[Point]:
        """All points, each once. Neighbouring points differ in fabric, so that models are built in
        parallel.
        """
        grid = itertools.product(self.seeds, self.offered, self.patterns, self.sizes, self.fabrics)
        points = {}
        for seed, offered, pattern, (columns, rows), fabric in grid:
            traffic = mesh.Traffic(
                traffic=self.traffic,
                pattern=pattern,
                offered=offered,
                seed=seed,
                packet=self.packet,
                warmup=self.warmup,
                measure=self.measure,
            )
            point = Point(fabric, columns, rows, traffic)
            points[point.key] = point
        return list(points.values())


@dataclass(frozen=True)
class Point:
    """One run: a fabric, a size, and the traffic over it."""

    fabric: Fabric
    columns: int
    rows: int
    traffic: mesh.Traffic

    @property
    def settings(self) -> dict[str, Any]:
        """The columns of the result that describe the run."""
        traffic = asdict(self.traffic)
        fabric = mesh.with_defaults(self.fabric)
        return {
            "fabric": self.fabric.kind,
            "algorithm": self.fabric.algorithm,
            "lossless": self.fabric.lossless,
            "virtual_channels": self.fabric.virtual_channels,
            "buffer_depth": fabric.depth,
            "max_packet_flits": fabric.max_packet_flits,
            "columns": self.columns,
            "rows": self.rows,
            **{key: traffic[key] for key in TRAFFIC},
        }

    @property
    def key(self) -> str:
        return content_key([json.dumps(self.settings, sort_keys=True), mesh.source_key()], [])


TRAFFIC = ("traffic", "pattern", "offered", "seed", "packet", "warmup", "measure")


def load(path: Path) -> Sweep:
    """Reads a sweep file. DesignError names every mistake with its line."""
    document = yaml_file.read(path, "sweep file")
    if "tiles" in document and "fabrics" not in document:
        message = (
            "this is a design file; a sweep file lists fabrics and traffic, not tiles "
            "(such as sweeps/fabrics.yaml)"
        )
        raise DesignError([Problem(path, yaml_file.line(document, ("tiles",)), message)])
    return yaml_file.validated(document, path, Sweep)
