# SPDX-License-Identifier: Apache-2.0
"""The design file: YAML in, a checked model and the line of every value out.

`load` reports everything that is wrong with the file's form at once, each with
its line. What the words mean together (next hops, parameters of layers,
positions) is the work of `bombus.analysis.check`.
"""

from bombus.design.config.design import DesignConfig, NetworkConfig
from bombus.design.config.file import DesignFile, load
from bombus.design.config.host import Host, MacPort, Route
from bombus.design.config.memory import Memory
from bombus.design.config.tile import DROP, LayerConfig, TileOfKind, TileOfLayers, tile_form

__all__ = [
    "DROP",
    "DesignConfig",
    "DesignFile",
    "Host",
    "LayerConfig",
    "MacPort",
    "Memory",
    "NetworkConfig",
    "Route",
    "TileOfKind",
    "TileOfLayers",
    "load",
    "tile_form",
]
