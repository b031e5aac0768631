"""What the template of a tile needs to know: its links, layers, wires and counters."""

from __future__ import annotations

from typing import Any

from bombus import config, rtl
from bombus.dispatch import Dispatch, dispatch_plan, num_slots
from bombus.errors import UserError
from bombus.network import Hop, Layer, Network, Tile
from bombus.text import listing

# name, noc_pkg name, step in x and y; the opposite is two further on
_DIRECTIONS = (
    ("north", "DirNorth", 0, -1),
    ("east", "DirEast", 1, 0),
    ("south", "DirSouth", 0, 1),
    ("west", "DirWest", -1, 0),
)


def _mac_ports(tile: Tile) -> list[dict[str, str]]:
    """A tile's MAC ports under the names that they have at the top."""
    ports = []
    for layer in tile.layers:
        number = layer.param("mac_port") or 0
        for port in layer.kind.mac_ports:
            width = layer.kind.ports[port]
            direction = "output" if port.endswith("_o") else "input"
            vector = f" [{width - 1}:0]" if width > 1 else ""
            name = port.replace("mac_", f"mac{number}_", 1)
            ports.append({"name": name, "declaration": f"{direction} logic{vector} {name}"})
    return ports


def _link(source: Tile, target: Tile) -> str:
    return f"{source.name}_to_{target.name}"


def _links(tile: Tile, network: Network) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """The tile's links to its neighbours, and the directions without neighbour."""
    links, missing = [], []
    for name, enum, dx, dy in _DIRECTIONS:
        x, y = tile.x + dx, tile.y + dy
        if 0 <= x < network.columns and 0 <= y < network.rows:
            other = network.tiles[y * network.columns + x]
            links.append(
                {
                    "dir": name,
                    "enum": enum,
                    "incoming": _link(other, tile),
                    "outgoing": _link(tile, other),
                }
            )
        else:
            missing.append({"dir": name, "enum": enum})
    return links, missing


def _parameters(layer: Layer, network: Network) -> list[str]:
    """Parameter assignments: those that Bombus fills in and those of the design file."""
    # Without applications one that never matches: a width of zero would not be legal.
    ports = {port: app.app_index or 0 for port, app in network.app_ports().items()} or {0: 0}
    filled_in = {
        "NumAppPorts": str(len(ports)),
        "AppPorts": "{" + ", ".join(f"16'd{port}" for port in reversed(ports)) + "}",
        "AppOfPort": "{" + ", ".join(f"4'd{app}" for app in reversed(ports.values())) + "}",
        "DataWidth": str(network.design.data_width),
        "ClockMhz": str(round(network.design.clock_mhz)),
    }
    values = [".beat_t(beat_t)"]
    for key, parameter in layer.kind.parameters.items():
        name = parameter.name
        if name in rtl.FILLED_IN:
            values.append(f".{name}({filled_in[name]})")
        elif name == rtl.BEFORE:
            (number,) = {hop.number for hop in network.hops_from(layer)}
            values.append(f".{name}(bombus_pkg::{network.library.next_enum[number]})")
        elif key in layer.params:
            number = layer.params[key]
            is_plain = parameter.is_signed or parameter.width == 32
            text = str(number) if is_plain else f"{parameter.width}'h{number:x}"
            values.append(f".{name}({text})")
    return values


def _connections(layer: Layer) -> tuple[list[str], list[str]]:
    """Port connections of a layer and the signals to declare for them."""
    name = layer.name
    number = layer.param("mac_port") or 0
    known = {
        "in_i": f"{name}_in",
        "in_valid_i": f"{name}_in_valid",
        "in_ready_o": f"{name}_in_ready",
        "out_o": f"{name}_out",
        "out_valid_o": f"{name}_out_valid",
        "out_ready_i": f"{name}_out_ready",
        "out_next_o": f"{name}_next",
        "drop_o": f"{name}_drop",
        "event_o": f"{name}_event",
        "busy_o": f"{name}_busy",
        "timer_o": f"{name}_timer",
        "mac_message_o": f"{name}_message",
        "mac_bytes_o": f"{name}_bytes",
    }
    connections, signals = [], []
    for port, width in layer.kind.ports.items():
        if port in ("clk_i", "rst_i", "host_i", "time_us_i"):
            connections.append(f".{port}")
        elif port in layer.kind.mac_ports:
            connections.append(f".{port}({port.replace('mac_', f'mac{number}_', 1)})")
        elif port in known:
            connections.append(f".{port}({known[port]})")
            if port in ("drop_o", "event_o", "mac_bytes_o"):
                signals.append(f"logic [{width - 1}:0] {known[port]}")
            elif port in ("busy_o", "timer_o", "mac_message_o"):
                signals.append(f"logic {known[port]}")
        else:
            message = f"layer {layer.kind.name} has a port that Bombus does not know: {port}"
            raise UserError(f"{layer.kind.file}:{layer.kind.line}: {message}")
    return connections, signals


def _wiring(tile: Tile, network: Network) -> dict[str, Any]:
    """How the layers' streams are joined to each other and to the network interface."""
    # What feeds each layer's input: its wired sources, then the mesh.
    feeds: dict[Layer, list[Layer | None]] = {layer: [] for layer in tile.layers}
    branches: dict[Layer, dict[Layer | None, list[Hop]]] = {}
    for layer in tile.layers:
        branches[layer] = {}
        for hop in network.hops_from(layer):
            target = hop.target if hop.in_tile else None
            branches[layer].setdefault(target, []).append(hop)
        # The mesh comes last: it takes whatever is not wired.
        branches[layer] = dict(sorted(branches[layer].items(), key=lambda item: item[0] is None))
        for target in branches[layer]:
            if target is not None:
                feeds[target].append(layer)
    for layer in tile.entries:
        feeds[layer].append(None)

    def slot(target: Layer, source: Layer | None) -> dict[str, str]:
        """The signals of a layer's input that one of its feeds drives."""
        base, index = f"{target.name}_in", ""
        if len(feeds[target]) > 1:
            base, index = f"{target.name}_merge", f"[{feeds[target].index(source)}]"
        return {
            "data": base + index,
            "valid": f"{base}_valid{index}",
            "ready": f"{base}_ready{index}",
        }

    def next_names(hops: list[Hop]) -> list[str]:
        return list(dict.fromkeys(network.library.next_enum[hop.number] for hop in hops))

    outputs = []
    for layer, targets in branches.items():
        if not targets:
            continue
        listed = []
        selects: list[str] = []
        for target, hops in targets.items():
            if target is None:
                port = tile.sources.index(layer)
                signals = {name: f"src_{name}[{port}]" for name in ("valid", "ready", "next")}
                signals["data"] = f"src[{port}]"
                label = "the mesh"
            else:
                signals = slot(target, layer)
                label = target.name
            signals.setdefault("next", "")
            select = condition = ""
            if len(targets) > 1:
                select = f"{layer.name}_to_{target.name if target else 'mesh'}"
                if len(selects) < len(targets) - 1:
                    condition = " || ".join(
                        f"{layer.name}_next == bombus_pkg::{name}" for name in next_names(hops)
                    )
                else:  # the rest
                    condition = "!" + (selects[0] if len(selects) == 1 else _any(selects))
                selects.append(select)
            listed.append(
                signals
                | {
                    "to": label,
                    "hops": listing(next_names(hops)),
                    "select": select,
                    "condition": condition,
                }
            )
        next_unused = len(targets) == 1 and None not in targets
        outputs.append({"layer": layer.name, "branches": listed, "next_unused": next_unused})

    inputs = [
        {
            "layer": layer.name,
            "num": len(sources),
            "from": listing(source.name if source else "the mesh" for source in sources),
        }
        for layer, sources in feeds.items()
        if sources
    ]
    sinks = [{"layer": layer.name, **slot(layer, None)} for layer in tile.entries]
    return {"outputs": outputs, "inputs": inputs, "sinks": sinks}


def _any(names: list[str]) -> str:
    return "(" + " || ".join(names) + ")"


def _route_word(target: Layer) -> str:
    """An entry of a table that leads to a layer."""
    tile = target.tile
    return f"route({tile.x}, {tile.y}, {tile.entries.index(target)})"


def _routes(tile: Tile, network: Network, dispatches: list[Dispatch]) -> list[dict[str, Any]]:
    """Initial entries of the tile's next-hop table."""
    routes: dict[int, dict[str, Any]] = {}
    for layer in tile.sources:
        for hop in network.hops_from(layer):
            if hop.target is None or hop.in_tile:
                continue
            target, word = str(hop.target), _route_word(hop.target)
            if hop.group:
                number = next(n for n, d in enumerate(dispatches) if d.number == hop.number)
                target, word = f"replicas of {hop.group.name}", f"group({number})"
            routes[hop.number] = {
                "number": hop.number,
                "name": network.library.next_enum[hop.number],
                "target": target,
                "word": word,
            }
    return [routes[number] for number in sorted(routes)]


_POLICIES: dict[config.Policy, str] = {
    "round_robin": "RoundRobin",
    "flow_hash": "FlowHash",
    "dst_port": "DstPort",
    "least_loaded": "LeastLoaded",
}
_FLOWS = {"meta": "FlowMeta", "payload": "FlowPayload", "address": "FlowAddress", None: "FlowMeta"}


def _dispatch_context(tile: Tile, dispatches: list[Dispatch]) -> dict[str, Any]:
    """Groups of replicas that the tile distributes messages among."""
    groups, slots, loads = [], [], []
    for dispatch in dispatches:
        groups.append(
            {
                "name": f"Replicas of {dispatch.group.name}",
                "policy": _POLICIES[dispatch.group.policy],
                "flow": _FLOWS[dispatch.flow],
                "replicas": len(dispatch.targets),
                "first_slot": dispatch.first_slot,
                "slot_bits": dispatch.slot_bits,
            }
        )
        for i, target in enumerate(dispatch.slots):
            slots.append({"index": dispatch.first_slot + i, "word": _route_word(target)})
        if dispatch.group.policy == "least_loaded":
            for i, target in enumerate(dispatch.targets):
                name = target.tile.name
                port = f"done_from_{name}_i"
                loads.append({"port": port, "tile": name, "slot": dispatch.first_slot + i})
    return {
        "groups": groups,
        "slots": slots,
        "num_slots": num_slots(dispatches),
        "load_inputs": loads,
    }


def _load_context(tile: Tile) -> dict[str, Any]:
    """How a replica tells that it is through with messages, if somebody wants to know."""
    drops = [layer for layer in tile.layers if layer.kind.drops]
    return {
        "tells_load": tile.group is not None
        and tile.group.needs_dispatch
        and tile.group.policy == "least_loaded",
        "ends": ["out_end", *(f"|{layer.name}_drop" for layer in drops)],
        "working": ["entering", *_busy_signals(tile)],
    }


def _busy_signals(tile: Tile) -> list[str]:
    return [f"{layer.name}_busy" for layer in tile.layers if "busy_o" in layer.kind.ports]


def _event_slices(tile: Tile) -> list[dict[str, Any]]:
    slices: list[dict[str, Any]] = []
    low = 1
    if tile.router_drops:
        low += len(tile.router_drops)
        slices.append({"low": 1, "high": low - 1, "signal": "router_drop"})
    for layer in tile.layers:
        for port, names in (("drop", layer.kind.drops), ("event", layer.kind.events)):
            if names:
                high = low + len(names) - 1
                slices.append({"low": low, "high": high, "signal": f"{layer.name}_{port}"})
                low = high + 1
    return slices


def _mac_counts(tile: Tile) -> dict[str, dict[str, str]]:
    """Signals that count the frames and bytes of each direction, as seen from the tile."""
    counts = {way: {"message": "1'b0", "bytes": "'0"} for way in ("in", "out")}
    for layer in tile.layers:
        if "mac_message_o" in layer.kind.ports:
            way = "in" if "rx" in layer.mac_directions() else "out"
            counts[way] = {"message": f"{layer.name}_message", "bytes": f"{layer.name}_bytes"}
    return counts


def tile_context(tile: Tile, network: Network) -> dict[str, Any]:
    links, missing = _links(tile, network)
    ports = {port for layer in tile.layers for port in layer.kind.ports}
    layers = []
    for layer in tile.layers:
        connections, signals = _connections(layer)
        layers.append(
            {
                "name": layer.name,
                "kind": layer.kind,
                "parameters": _parameters(layer, network),
                "connections": connections,
                "signals": signals,
            }
        )
    present = {link["dir"] for link in links}
    router_ports = 1 | sum(2 << i for i, way in enumerate(_DIRECTIONS) if way[0] in present)
    timers = [f"{la.name}_timer" for la in tile.layers if "timer_o" in la.kind.ports]
    dispatches = dispatch_plan(tile, network)
    return {
        "name": tile.name,
        "index": tile.index,
        "x": tile.x,
        "y": tile.y,
        "layers": layers,
        "links": links,
        "missing_links": missing,
        "router_ports": router_ports,
        "mac_ports": _mac_ports(tile),
        "mac_counts": _mac_counts(tile),
        "has_host": "host_i" in ports,
        "has_time": "time_us_i" in ports,
        "has_timer": bool(timers),
        "timers": timers,
        "busy": ["router_busy", "network_interface_busy", *_busy_signals(tile)],
        "routes": _routes(tile, network, dispatches),
        "sources": [layer.name for layer in tile.sources],
        "num_sources": max(1, len(tile.sources)),
        "num_sinks": max(1, len(tile.entries)),
        "events": tile.events(),
        "router_drops": bool(tile.router_drops),
        "event_slices": _event_slices(tile),
        **_wiring(tile, network),
        **_dispatch_context(tile, dispatches),
        **_load_context(tile),
    }
