"""The design file: YAML in, a checked model and the line of every value out.

`load` reports everything that is wrong with the file's form at once, each with
its line. What the words mean together (next hops, parameters of layers,
positions) is the work of `bombus.check`.
"""

from bombus.config.design import Design, Host
from bombus.config.fabric import MAX_NODES, Fabric
from bombus.config.file import DesignFile, load
from bombus.config.tile import DROP, LayerConfig, TileOfKind, TileOfLayers
from bombus.config.values import Mac, Name, Policy, mac_number

__all__ = [
    "DROP",
    "MAX_NODES",
    "Design",
    "DesignFile",
    "Fabric",
    "Host",
    "LayerConfig",
    "Mac",
    "Name",
    "Policy",
    "TileOfKind",
    "TileOfLayers",
    "load",
    "mac_number",
]
