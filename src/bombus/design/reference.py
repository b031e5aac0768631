# SPDX-License-Identifier: Apache-2.0
"""Generate docs/design-file.md from the models.

`python -m bombus.design.reference > docs/design-file.md`. A test checks that the page
in the repository is up to date.
"""

from __future__ import annotations

import re
import sys
import textwrap
import types
import typing
from ipaddress import IPv4Address, IPv4Network
from typing import Annotated, Any

from annotated_types import Ge, Gt, Interval, Le, Lt, MinLen
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from bombus.base.values import Mac, Name
from bombus.base.yaml_file import in_yaml
from bombus.design.config import (
    DesignConfig,
    Host,
    MacPort,
    Memory,
    NetworkConfig,
    Route,
    TileOfKind,
    TileOfLayers,
)
from bombus.fabric.config import Fabric

_INTRODUCTION = """# The design file

A design file is YAML. `bombus check DESIGN` reports problems by line; `bombus schema` prints a JSON
schema for editors. Unknown keys are errors. Files are relative to the design file.

```yaml
{example}```

Generated from `src/bombus/design/config/` by `make docs`.
"""

_EXAMPLE = """name: udp_echo
data_width: 512
host: {mac: "02:b0:0b:05:00:01", ip: 10.77.0.2, gateway: 10.77.0.1}
tiles:
  - {name: eth_rx, layers: [mac_rx, eth_rx]}
  - {name: ipv4_rx, kind: ipv4_rx}
  - {name: udp_rx, kind: udp_rx}
  - {name: echo, kind: udp_echo, udp_port: 7}
  - {name: udp_tx, kind: udp_tx}
  - {name: ipv4_tx, kind: ipv4_tx}
  - {name: eth_tx, layers: [eth_tx, mac_tx]}
  - {name: arp, kind: arp}
  - {name: icmp, kind: icmp_echo}
"""

_SECTIONS: tuple[tuple[str, type[BaseModel], str], ...] = (
    ("Top level", DesignConfig, ""),
    ("`fabric`", Fabric, ""),
    (
        "`networks`",
        NetworkConfig,
        "A tile names the streams that do not use the first network, which MAC ports use. Both "
        "ends of a next hop use the same one, and streams joined by wires have the same width. "
        "Layers with streams of different widths: [architecture.md](architecture.md#networks).\n"
        "\n"
        "```\n"
        "networks:\n"
        "  data: {data_width: 512, fabric: {columns: 3}}\n"
        "  control: {data_width: 64}\n"
        "tiles:\n"
        "  - {name: lookup, kind: udp_lookup, networks: {query: control, answer: control}}\n"
        "  - {name: store, kind: store, networks: {in: control, out: control}}\n"
        "```",
    ),
    ("`host`", Host, ""),
    ("A MAC port: `mac_ports[]`", MacPort, "The other keys are those of `host`."),
    (
        "A route: `routes[]`",
        Route,
        "Which route a message takes: [MAC ports](architecture.md#mac-ports).",
    ),
    ("A memory: `memories.<name>`", Memory, ""),
    ("A tile: `tiles[]`", TileOfLayers, ""),
    (
        "A tile with one layer",
        TileOfKind,
        "The other keys are those of any tile, without `layers`.\n\n"
        "A parameter `UdpPort` of a layer's module is the key `udp_port`. Its value is a number, "
        "an IPv4 or MAC address (as a number), or `true` or `false` (1 and 0). `bombus check` "
        "reports values that do not fit. Other parameters have the module's default.\n"
        "\n"
        "The key `before` of a layer that precedes another tile, such as `scheduler`, is that "
        "tile's name, or `tile.layer`. The layer answers to the other's next hop, and forwards "
        "messages to it.",
    ),
)

_NEXT_HOPS = """## Next hops

A layer chooses a next hop for each message. It goes to the layer that answers to that name (its
`Entry`), first of all in the same tile, by wires. If several do, the tile must select one under
`next`. If none does, the messages are dropped and counted, and `bombus check` warns unless `next`
says `drop`.

Layers are also found by a number: `udp_rx` sends to an application by its `udp_port` (next hop
`udp_port_7`), `ipv4_rx` by `ip_protocol` and `eth_rx` by `ether_type` (`udp_rx`, `arp`).
"""

_REPLICAS = """## Replicas

Each message to a tile with `replicas` goes to one of them, selected by the policy under `dispatch`:

| policy | the replica that takes a message | order |
|---|---|---|
| `flow_hash` | by a hash of the peer's address and both ports | of each flow |
| `dst_port` | by the destination port | of each port |
| `round_robin` | the next one in a fixed order | none |
| `least_loaded` | with the fewest messages in flight to it or inside it | none |

With `dst_port`, an application with `udp_port: 7000` and 4 replicas has the ports 7000 to 7003.
`dispatch: [flow_hash, least_loaded]` lets software select the second policy
(`Simulation.balancers`). `flow_hash` and `dst_port` can always be switched to `round_robin`.

The sending tiles dispatch, or a tile of kind `scheduler` before the replicas:

```
  - {name: balancer, kind: scheduler, before: echo}
  - {name: echo, kind: udp_echo, udp_port: 7, replicas: 4, dispatch: least_loaded}
```

With `next`, `echo` means all replicas, `echo_2` one of them. Tiles with a MAC port, `arp` and
`eth_tx` cannot be replicated. Flows redistributed at run time:
[architecture.md](architecture.md#replicas).
"""

_RAISED = """## Raised ports

Ports of a layer that Bombus does not connect, as to a memory or a sensor, are raised to the top by
`ports` of its tile. The value replaces the key, with which their names begin:

```
memories:
  dram: {preset: ddr4, read_latency_ns: 90}
tiles:
  - {name: buffer, kind: memory_buffer, before: echo, ports: {axi: dram, fill: buffer_fill}}
```

Here `axi_awaddr_o` becomes `dram_awaddr_o` of the top, with replicas `dram_0_awaddr_o`, and
`fill_o` becomes `buffer_fill_o`. A port that no tile raises is an error, unless another layer of
the tile has one of the same name in the other direction: these two are joined.

`memories` places a model of a memory at raised AXI4 ports, in simulation only, with the clock of
the design. A layer may omit IDs, burst lengths and strobes. The module `<design>_sim`
(`<design>_sim.f`) joins the top and its memories.

Other raised ports are [AXI-Streams or pins](simulator.md#raised-ports-and-memories) of the
simulator. An example with both: [designs/udp_echo_memory.yaml](../designs/udp_echo_memory.yaml).
"""


def _type_words(annotation: Any, metadata: list[Any]) -> str:
    """A type as worded in the reference; `metadata`: bounds from its annotation."""
    plain: dict[Any, str] = {
        Mac: "MAC address",
        Name: "name in snake_case",
        bool: "true or false",
        int: "integer",
        float: "number",
        str: "text",
        IPv4Address: "IPv4 address",
        IPv4Network: "IPv4 network",
    }
    for known, words in plain.items():
        if annotation == known or (
            typing.get_origin(known) and metadata == list(known.__metadata__)
        ):
            return words + _bounds(metadata)
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        return _type_words(arguments[0], [*annotation.__metadata__, *metadata])
    if origin is typing.Literal:
        return f"`{' | '.join(str(value) for value in arguments)}`"
    if origin in (typing.Union, types.UnionType):
        parts = [_type_words(part, metadata) for part in arguments if part is not type(None)]
        return " or ".join(dict.fromkeys(parts))
    if origin is tuple:
        return f"list of {len(arguments)} {_several(_type_words(arguments[0], []))}"
    if origin is list:
        item = arguments[0]
        if item is str:
            return "list of texts"
        # The forms of a layer would need a sentence of their own; they are in the description.
        several = "list of such lists" if typing.get_origin(item) is tuple else "list"
        return several + _bounds(metadata)
    if origin is dict:
        part = _type_words(arguments[1], [])
        return "mapping" if part == "text" else f"mapping to {_several(part)}"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "a tile" if "Tile" in annotation.__name__ else "mapping"
    raise TypeError(f"the reference has no words for {annotation}")


def _several(words: str) -> str:
    """`integers, each 0 to 9` for `integer, 0 to 9`."""
    if words.startswith(("list", "mapping")):
        return words
    kind, comma, bounds = words.partition(", ")
    noun, mark, form = kind.partition(" in ")
    return f"{noun}s{mark}{form}{comma and ', each '}{bounds}"


def _bounds(metadata: list[Any]) -> str:
    """`, 1 to 32`, or one bound of it."""
    low: Any = None
    high: Any = None
    is_open = False
    several = ""
    for item in metadata:
        for part in item.metadata if isinstance(item, FieldInfo) else [item]:
            for bound in part if isinstance(part, Interval) else [part]:
                if isinstance(bound, Ge):
                    low = bound.ge
                elif isinstance(bound, Gt):
                    low, is_open = bound.gt, True
                elif isinstance(bound, Le):
                    high = bound.le
                elif isinstance(bound, Lt):
                    assert isinstance(bound.lt, int)
                    high = bound.lt - 1
                elif isinstance(bound, MinLen):
                    several = f", at least {bound.min_length} of them"
    if low is not None and high is not None and not is_open:
        return f", {low} to {high}{several}"
    words = [f"above {low}" if is_open else f"at least {low}"] if low is not None else []
    words += [f"at most {high}"] if high is not None else []
    return "".join(f", {word}" for word in words) + several


def _default_words(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    default = field.default
    if default is PydanticUndefined or default is None or isinstance(default, BaseModel):
        return ""
    if default in ([], {}):
        return ""
    return f"`{default:g}`" if isinstance(default, float) else f"`{in_yaml(default)}`"


def _keys(model: type[BaseModel]) -> list[str]:
    """The keys of a model, each an item, without those that its base has."""
    lines = []
    known = TileOfLayers if model is TileOfKind else Host if model is MacPort else None
    for name, field in model.model_fields.items():
        if known is not None and name in known.model_fields:
            continue
        default = _default_words(field)
        if default and default != "required":
            default = f"default {default}"
        words = [_type_words(field.annotation, list(field.metadata)), default]
        head = f"- `{name}` ({'; '.join(word for word in words if word)})"
        lines += _wrapped(f"{head}: {field.description}" if field.description else head, "  ")
    return lines


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(
        text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _paragraphs(text: str) -> str:
    """The text with lines as long as those of other pages, code unchanged."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    for number in range(0, len(parts), 2):
        blocks = parts[number].split("\n\n")
        parts[number] = "\n\n".join(
            block if "|" in block else "\n".join(_wrapped(block)) for block in blocks
        )
    return "\n\n".join(part.strip("\n") for part in parts if part.strip("\n"))


def reference() -> str:
    """The page as Markdown."""
    lines = [_INTRODUCTION.format(example=_EXAMPLE)]
    for title, model, note in _SECTIONS:
        summary = _wrapped((model.__doc__ or "").strip())
        lines += [f"## {title}", "", *summary, "", *_keys(model), ""]
        if note:
            lines += [_paragraphs(note), ""]
    rest = (_NEXT_HOPS, _REPLICAS, _RAISED)
    return "\n".join(lines) + "\n" + "\n\n".join(_paragraphs(part) for part in rest) + "\n"


if __name__ == "__main__":
    sys.stdout.write(reference())
