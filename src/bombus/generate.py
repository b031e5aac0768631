"""A checked design to SystemVerilog, a file list, a FuseSoC core and a manifest.

The output folder holds all that the design needs, the files of the layers and
routers that it uses included, so that it can be handed to any other tool:

    <name>_top.sv, <name>_pkg.sv, tiles/<name>_tile_<tile>.sv
    rtl/...         what the design uses of Bombus and of its own sources
    <name>.f        file list, paths relative to itself (read with -F)
    <name>.core     FuseSoC
    <name>.json     manifest: what is where, for programs
"""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2

from bombus import check, config, paths, rtl
from bombus.errors import Problem, UserError
from bombus.network import Hop, Layer, Network, Tile
from bombus.text import listing

MANIFEST_VERSION = 1

# name, noc_pkg name, step in x and y; the opposite is two further on
_DIRECTIONS = (
    ("north", "DirNorth", 0, -1),
    ("east", "DirEast", 1, 0),
    ("south", "DirSouth", 0, 1),
    ("west", "DirWest", -1, 0),
)


@dataclass(frozen=True)
class Generated:
    """What `generate` wrote."""

    folder: Path
    name: str
    network: Network
    warnings: list[Problem]

    @property
    def top(self) -> str:
        return f"{self.name}_top"

    @property
    def file_list(self) -> Path:
        return self.folder / f"{self.name}.f"

    @property
    def manifest(self) -> Path:
        return self.folder / f"{self.name}.json"


def _bits(count: int) -> int:
    """Bits that number `count` things; at least one."""
    return max(1, (count - 1).bit_length())


def _mac_ports(tile: Tile) -> list[dict[str, str]]:
    """A tile's MAC ports under the names that they have at the top."""
    ports = []
    for layer in tile.layers:
        number = layer.param("mac_port") or 0
        for port in layer.kind.mac_ports:
            width = layer.kind.ports[port]
            direction = "output" if port.endswith("_o") else "input "
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


def _app_ports(layer: Layer, network: Network) -> tuple[int, str]:
    """The number of applications and their UDP ports (0: not on UDP), as SystemVerilog."""
    numbers = [app.param("udp_port") or 0 for app in network.apps()]
    parameter = layer.kind.parameters["app_ports"]
    by_default = layer.kind.default("num_apps")
    slots = parameter.width // 16
    if slots == by_default:  # as many as there are applications, otherwise a fixed number
        slots = max(1, len(numbers))
    numbers += [0] * (slots - len(numbers))
    return len(network.apps()), "{" + ", ".join(f"16'd{n}" for n in reversed(numbers)) + "}"


def _parameters(layer: Layer, network: Network) -> list[str]:
    values = [".beat_t(beat_t)"]
    for key, parameter in layer.kind.parameters.items():
        if parameter.name == "NumApps":
            values.append(f".NumApps({max(1, len(network.apps()))})")
        elif parameter.name == "AppPorts":
            values.append(f".AppPorts({_app_ports(layer, network)[1]})")
        elif key in layer.params:
            number = layer.params[key]
            if parameter.is_signed or parameter.width == 32:
                values.append(f".{parameter.name}({number})")
            else:
                values.append(f".{parameter.name}({parameter.width}'h{number:x})")
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
    }
    connections, signals = [], []
    for port, width in layer.kind.ports.items():
        if port in ("clk_i", "rst_i", "host_i", "time_us_i"):
            connections.append(f".{port}")
        elif port.startswith("mac_"):
            connections.append(f".{port}({port.replace('mac_', f'mac{number}_', 1)})")
        elif port in known:
            connections.append(f".{port}({known[port]})")
            if port in ("drop_o", "event_o"):
                signals.append(f"logic [{width - 1}:0] {known[port]}")
            elif port in ("busy_o", "timer_o"):
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

    def next_names(hops: list[Hop]) -> str:
        return listing(network.library.next_enum[hop.number] for hop in hops)

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
                        f"{layer.name}_next == bombus_pkg::{network.library.next_enum[hop.number]}"
                        for hop in hops
                    )
                else:  # the rest
                    condition = "!" + (selects[0] if len(selects) == 1 else _any(selects))
                selects.append(select)
            listed.append(
                signals
                | {"to": label, "hops": next_names(hops), "select": select, "condition": condition}
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


def _routes(tile: Tile, network: Network) -> list[dict[str, Any]]:
    """Initial entries of the tile's next-hop table."""
    routes: dict[int, dict[str, Any]] = {}
    for layer in tile.sources:
        for hop in network.hops_from(layer):
            if hop.target is None or hop.in_tile:
                continue
            routes[hop.number] = {
                "number": hop.number,
                "name": network.library.next_enum[hop.number],
                "target": str(hop.target),
                "x": hop.target.tile.x,
                "y": hop.target.tile.y,
                "port": hop.target.tile.entries.index(hop.target),
            }
    return [routes[number] for number in sorted(routes)]


def _event_slices(tile: Tile) -> list[dict[str, Any]]:
    slices, low = [], 1
    for layer in tile.layers:
        for port, names in (("drop", layer.kind.drops), ("event", layer.kind.events)):
            if names:
                high = low + len(names) - 1
                slices.append({"low": low, "high": high, "signal": f"{layer.name}_{port}"})
                low = high + 1
    return slices


def _tile_context(tile: Tile, network: Network) -> dict[str, Any]:
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
    busy = [f"{la.name}_busy" for la in tile.layers if "busy_o" in la.kind.ports]
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
        "has_host": "host_i" in ports,
        "has_time": "time_us_i" in ports,
        "has_timer": bool(timers),
        "timers": timers,
        "busy": ["router_busy", "network_interface_busy", *busy],
        "routes": _routes(tile, network),
        "sources": [layer.name for layer in tile.sources],
        "num_sources": max(1, len(tile.sources)),
        "num_sinks": max(1, len(tile.entries)),
        "events": tile.events(),
        "event_slices": _event_slices(tile),
        **_wiring(tile, network),
    }


def manifest(network: Network) -> dict[str, Any]:
    """What is where in a generated design, for programs that drive or measure it."""
    design = network.design
    host = design.host
    return {
        "version": MANIFEST_VERSION,
        "name": design.name,
        "top": f"{design.name}_top",
        "data_width": design.data_width,
        "clock_mhz": design.clock_mhz,
        "line_rate_gbps": design.line_rate_gbps,
        "macs": network.mac_count(),
        "host": {
            "mac": host.mac,
            "ip": str(host.ip),
            "prefix": host.prefix,
            "gateway": str(host.gateway) if host.gateway else None,
        },
        "mesh": {"columns": network.columns, "rows": network.rows},
        "tiles": [
            {
                "name": tile.name,
                "index": tile.index,
                "x": tile.x,
                "y": tile.y,
                "layers": [
                    {
                        "name": layer.name,
                        "kind": layer.kind.name,
                        "params": {
                            key: layer.param(key)
                            for key, parameter in layer.kind.parameters.items()
                            if parameter.name not in rtl.FILLED_IN
                        },
                    }
                    for layer in tile.layers
                ],
                "counters": tile.counters(),
            }
            for tile in network.tiles
        ],
        "hops": [
            {
                "from": hop.source.full_name,
                "next": network.library.next_names[hop.number],
                "to": hop.target.full_name if hop.target else None,
                "in_tile": hop.in_tile,
            }
            for hop in network.hops
        ],
    }


def render(network: Network) -> dict[str, str]:
    """The generated SystemVerilog and manifest, text by path in the output folder."""
    design = network.design
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(paths.TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    tiles = [_tile_context(tile, network) for tile in network.tiles]
    common = {
        "name": design.name,
        "source": network.file.path.name,
        "data_width": design.data_width,
        "columns": network.columns,
        "rows": network.rows,
        "x_bits": _bits(network.columns),
        "y_bits": _bits(network.rows),
        "port_bits": _bits(max(tile["num_sinks"] for tile in tiles)),
        "buffer_depth": design.fabric.buffer_depth,
        "host": design.host,
        "host_mac": config.mac_number(design.host.mac),
    }
    texts = {
        f"{design.name}_pkg.sv": environment.get_template("package.sv.j2").render(common),
        f"{design.name}_top.sv": environment.get_template("top.sv.j2").render(
            common,
            tiles=tiles,
            mac_ports=[port for tile in tiles for port in tile["mac_ports"]],
            links=[link["outgoing"] for tile in tiles for link in tile["links"]],
            has_host=any(tile["has_host"] for tile in tiles),
            has_time=any(tile["has_time"] for tile in tiles),
        ),
        f"{design.name}.json": json.dumps(manifest(network), indent=2) + "\n",
    }
    template = environment.get_template("tile.sv.j2")
    for tile in tiles:
        path = f"tiles/{design.name}_tile_{tile['name']}.sv"
        texts[path] = template.render(common, tile=tile)
    return texts


def _copy_used(network: Network, folder: Path) -> list[str]:
    """Copies what the design uses of Bombus; returns all sources in order of reading."""
    design = network.design
    generated = sorted(folder.rglob("*.sv"), key=lambda file: not file.stem.endswith("_pkg"))
    own = network.file.source_files()
    top = f"{design.name}_top"
    elaboration = rtl.elaborate([*rtl.rtl_files(), *own, *generated], top=top)
    problems = elaboration.problems()
    if problems:
        lines = "\n".join(str(problem) for problem in problems)
        raise UserError(f"the generated design does not elaborate:\n{lines}")
    sources = []
    for file in rtl.used_files(elaboration, top):
        if file.is_relative_to(folder):
            sources.append(file.relative_to(folder).as_posix())
            continue
        if file.is_relative_to(paths.RTL):
            target = Path("rtl") / file.relative_to(paths.RTL)
        else:
            target = Path("sources") / file.name
        (folder / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, folder / target)
        sources.append(target.as_posix())
    return sources


def _copy_headers(folder: Path) -> list[str]:
    headers = []
    for file in sorted(paths.RTL.rglob("*.svh")):
        target = Path("rtl") / file.relative_to(paths.RTL)
        (folder / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, folder / target)
        headers.append(target.as_posix())
    return headers


def _core(name: str, headers: list[str], sources: list[str]) -> str:
    """A FuseSoC core description (CAPI2)."""
    lines = ["CAPI=2:", f"name: bombus::{name}:0", "filesets:", "  rtl:", "    files:"]
    lines += [
        f"      - {file}: {{is_include_file: true, include_path: {Path(file).parent.as_posix()}}}"
        for file in headers
    ]
    lines += [f"      - {file}" for file in sources]
    lines += ["    file_type: systemVerilogSource"]
    lines += ["targets:", "  default:", "    filesets: [rtl]", f"    toplevel: {name}_top"]
    return "\n".join(lines) + "\n"


def write(network: Network, folder: Path) -> None:
    """Writes a checked design into `folder`, whole or not at all."""
    folder = folder.resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)
    name = network.design.name
    if folder.exists() and any(folder.iterdir()) and not (folder / f"{name}.json").exists():
        raise UserError(f"{folder} has files in it that Bombus did not write; choose another")
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as temporary:
        new = Path(temporary) / "new"
        for path, text in render(network).items():
            (new / path).parent.mkdir(parents=True, exist_ok=True)
            (new / path).write_text(text, encoding="utf-8")
        sources = _copy_used(network, new)
        headers = _copy_headers(new)
        folders = sorted({Path(header).parent.as_posix() for header in headers})
        file_list = [f"+incdir+{name}" for name in folders] + sources
        (new / f"{name}.f").write_text("\n".join(file_list) + "\n", encoding="utf-8")
        (new / f"{name}.core").write_text(_core(name, headers, sources), encoding="utf-8")
        if folder.exists():
            folder.rename(Path(temporary) / "old")
        new.rename(folder)


def generate(design: Path, folder: Path) -> Generated:
    """Checks a design file and writes its SystemVerilog into `folder`.

    Raises DesignError if the design is not sound. An older result in the
    folder is replaced.
    """
    network, warnings = check.check(design)
    write(network, folder)
    return Generated(folder.resolve(), network.design.name, network, warnings)
