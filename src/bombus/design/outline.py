# SPDX-License-Identifier: Apache-2.0
"""What decides how the messages of a design wait for each other, as plain data and back.

The manifest has it, so that a simulator can find out what waits for what under next hops that were
rewritten at run time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from bombus.design import rtl
from bombus.design.elements import Group, Hop, Input, Layer, Output, Tile
from bombus.design.facts import Facts
from bombus.design.network import Network
from bombus.design.resolved import Design
from bombus.design.rtl import InputStream, LayerKind, OutputStream
from bombus.fabric.config import Fabric

Plain = dict[str, Any]

_LEFT_OUT = ("name", "takes", "sends", "hop_sends", "entry", "rare", "binds", "key_width")


def outline(design: Design) -> Plain:
    """Networks, tiles with the declarations of their layers, and groups of replicas."""
    return {
        "networks": [
            {
                "name": network.name,
                "data_width": network.data_width,
                "fabric": network.given.model_dump(mode="json", exclude_defaults=True),
            }
            for network in design.networks
        ],
        "tiles": {
            tile.name: {layer.name: _layer(layer) for layer in tile.layers} for tile in design.tiles
        },
        "groups": {
            group.name: {
                "policies": [*group.policies],
                "tiles": [each.name for each in group.tiles],
            }
            for group in design.groups
        },
    }


def _layer(layer: Layer) -> Plain:
    kind = layer.kind
    found: Plain = {
        "inputs": {name: _stream(each) for name, each in kind.inputs.items()},
        "outputs": {name: _stream(each) for name, each in kind.outputs.items()},
        "networks": {name: each.name for name, each in layer.networks.items()},
    }
    if layer.joined:
        found |= {"joined": {**layer.joined}, "status": [*kind.status]}
    if "max_inside" in kind.constants:
        found["max_inside"] = kind.constants["max_inside"]
    return found


def _stream(stream: InputStream | OutputStream) -> Plain:
    """The declarations about waiting that differ from the defaults."""
    values = {
        each.name: getattr(stream, each.name)
        for each in fields(stream)
        if each.name not in _LEFT_OUT
        and (each.default is MISSING or getattr(stream, each.name) != each.default)
    }
    return {key: [*each] if isinstance(each, tuple) else each for key, each in values.items()}


def _input(name: str, plain: Mapping[str, Any]) -> InputStream:
    return InputStream(name, "", **{key: _value(each) for key, each in plain.items()})


def _output(name: str, plain: Mapping[str, Any]) -> OutputStream:
    return OutputStream(name, **{key: _value(each) for key, each in plain.items()})


def _value(plain: object) -> Any:
    return tuple(plain) if isinstance(plain, list) else plain


def _kind(name: str, plain: Mapping[str, Any]) -> LayerKind:
    kept = ("max_inside",)
    return LayerKind(
        name=name,
        file=Path(),
        line=0,
        inputs={key: _input(key, each) for key, each in plain["inputs"].items()},
        outputs={key: _output(key, each) for key, each in plain["outputs"].items()},
        drops=(),
        events=(),
        flow="none",
        stands_before=False,
        is_rare=False,
        is_replicable=True,
        keeps_flow_state=False,
        port_without_mac=False,
        answers_for_host=False,
        parameters={},
        types=(),
        unsettable=(),
        constants={key: plain[key] for key in kept if key in plain},
        declared=(),
        ports={},
        status=tuple(plain.get("status", ())),
    )


def facts_of(manifest: Mapping[str, Any], hops: Iterable[Mapping[str, Any]]) -> Facts:
    """A design for the analysis of deadlocks, from its manifest; `hops`: next hops as in the
    manifest's `hops`.
    """
    plain = manifest["waiting"]
    is_only = len(plain["networks"]) == 1
    networks = {
        each["name"]: Network(
            each["name"],
            number,
            rtl.Beat(each["data_width"]),
            Fabric.model_validate(each["fabric"]),
            (),
            is_only=is_only,
        )
        for number, each in enumerate(plain["networks"])
    }
    tiles = {
        each["name"]: Tile(each["name"], each["index"], each["x"], each["y"], ())
        for each in manifest["tiles"]
    }
    for name, layers in plain["tiles"].items():
        for layer, each in layers.items():
            used = {stream: networks[network] for stream, network in each["networks"].items()}
            kind = _kind(layer, each)
            joined = each.get("joined", {})
            tiles[name].layers.append(
                Layer(layer, kind, {}, tiles[name], (), joined=joined, networks=used)
            )
    groups = {
        name: Group(name, tuple(each["policies"]), (), [tiles[tile] for tile in each["tiles"]])
        for name, each in plain["groups"].items()
    }
    layers_of = [layer for tile in tiles.values() for layer in tile.layers]
    inputs: dict[str, Input] = {each.full_name: each for la in layers_of for each in la.inputs}
    outputs: dict[str, Output] = {each.full_name: each for la in layers_of for each in la.outputs}
    nothing: Any = None
    return Facts(
        Design(
            file=nothing,
            library=nothing,
            networks=tuple(networks.values()),
            columns=manifest["mesh"]["columns"],
            rows=manifest["mesh"]["rows"],
            tiles=tuple(tiles.values()),
            hops=tuple(
                Hop(
                    outputs[each["from"]],
                    each["number"],
                    each["next"],
                    inputs[each["to"]] if each["to"] else None,
                    groups.get(each["group"] or ""),
                )
                for each in hops
            ),
            groups=tuple(groups.values()),
            bindings=(),
        )
    )
