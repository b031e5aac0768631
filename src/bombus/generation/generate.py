# SPDX-License-Identifier: Apache-2.0
"""Generate SystemVerilog, a file list, a FuseSoC core and a manifest.

The output folder holds all that the design needs, the files of the layers and
routers that it uses included, so that it can be handed to any other tool:

    <name>_top.sv, <name>_pkg.sv, tiles/<name>_tile_<tile>.sv
    rtl/...         what the design uses of Bombus and of its own sources
    <name>.f        file list, paths relative to itself (read with -F)
    <name>.core     FuseSoC
    <name>.rdl, <name>_registers.h, registers.md    its registers
    <name>.json     manifest: what is where, for programs
    sim/..., <name>_sim.f  the top with its memories, if it has any, for simulation
    bombus.sha256   all files above with their hashes (`bombus.generation.folder`)
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2

from bombus.analysis import check
from bombus.base import paths
from bombus.base.errors import DesignError, Problem, UserError
from bombus.base.text import camel_case
from bombus.base.values import mac_number
from bombus.design import rtl
from bombus.design.dispatch import Dispatch
from bombus.design.register_map import shown
from bombus.design.register_reference import design_page
from bombus.design.resolved import Design, Interface, Tile
from bombus.fabric.router import router_parameters
from bombus.generation import folder as output
from bombus.generation import memories, registers, watchpoints
from bombus.generation.instances import beat_type
from bombus.generation.mac_ports import CROSSING, top_mac_ports
from bombus.generation.tiles import tile_context
from bombus.registers.c_header import c_header
from bombus.registers.plain import to_plain

MANIFEST_VERSION = 1

_LICENCE = "// SPDX-License-Identifier: Apache-2.0"


@dataclass(frozen=True)
class Generated:
    """What `generate` wrote."""

    folder: Path
    name: str
    design: Design
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


def _next_hops(tile: Tile, design: Design) -> dict[str, int]:
    """Numbers of a tile's next hops in its table; those of two outputs have the output's name."""
    numbers: dict[str, int] = {}
    for interface in tile.interfaces:
        base = design.first_hop(tile, interface)
        for source, first in design.next_tables[interface].first.items():
            for number, name in enumerate(design.hop_names(source), base + first):
                numbers[name if name not in numbers else f"{source}.{name}"] = number
    return numbers


def _hops_to(dispatch: Dispatch, interface: Interface, design: Design) -> list[str]:
    """Names of an interface's next hops that lead to a group of replicas."""
    hops = (hop for source in interface.sources for hop in design.hops_from(source))
    return list(dict.fromkeys(hop.name for hop in hops if hop.target in dispatch.targets))


def manifest(design: Design) -> dict[str, Any]:
    """What is where in a generated design, for programs that drive or measure it."""
    config = design.config
    return {
        "version": MANIFEST_VERSION,
        "name": config.name,
        "top": f"{config.name}_top",
        # What a simulator is built from: the top, or a module around it.
        "simulation": {
            "top": f"{config.name}_sim" if config.memories else f"{config.name}_top",
            "instance": f"{config.name}_sim.u_top" if config.memories else f"{config.name}_top",
            "file_list": f"{config.name}_sim.f" if config.memories else f"{config.name}.f",
        },
        "pins": memories.pins(design),
        "data_width": design.networks[0].data_width,
        "clock_mhz": config.clock_mhz,
        "line_rate_gbps": config.line_rate_gbps,
        "max_frame_bytes": rtl.constant("bombus_pkg::MaxFrameBytes"),
        "mac_ports": [
            {
                "mac": port.mac,
                "ip": str(port.ip),
                "prefix": port.prefix,
                "gateway": str(port.gateway) if port.gateway else None,
                "clock_mhz": port.clock_mhz,
            }
            for port in config.ports
        ],
        "mesh": {"columns": design.columns, "rows": design.rows},
        "networks": [
            {
                "name": network.name,
                "data_width": network.data_width,
                "fabric": network.fabric.kind,
                **network.area._asdict(),
            }
            for network in design.networks
        ],
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
                            if not parameter.is_filled_in
                        },
                    }
                    for layer in tile.layers
                ],
                "entries": {
                    interface.network.name: [
                        target.full_name.partition(".")[2] for target in interface.entries
                    ]
                    for interface in tile.interfaces
                },
                "counters": tile.counters(),
                "next_hops": _next_hops(tile, design),
                "hop_networks": [
                    {"network": each.network.name, "first_hop": design.first_hop(tile, each)}
                    for each in tile.interfaces
                    if each.sources
                ],
            }
            for tile in design.tiles
        ],
        "hops": [
            {
                "from": hop.source.full_name,
                "next": hop.name,
                "to": hop.target.full_name if hop.target else None,
                "in_tile": hop.in_tile,
                "network": None if hop.in_tile else hop.network.name,
            }
            for hop in design.hops
        ],
        "dispatch": [
            {
                "tile": tile.name,
                "next": _hops_to(dispatch, interface, design),
                "group": dispatch.group.name,
                "policy": dispatch.group.policy,
                "first_slot": design.first_slot(tile, interface) + dispatch.first_slot,
                "replicas": [target.full_name for target in dispatch.targets],
                "slots": [
                    {"to": target.tile.name, "port": target.entry_port} for target in dispatch.slots
                ],
            }
            for tile in design.tiles
            for interface in tile.interfaces
            for dispatch in design.dispatches[interface]
        ],
        "registers": to_plain(shown(design)),
        "watch": watchpoints.points(design),
    }


def _networks(design: Design, tiles: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The types of each network, for the package."""
    found: list[dict[str, Any]] = []
    for network in design.networks:
        sinks = (
            each["num_sinks"]
            for tile in tiles
            for each in tile["interfaces"]
            if each["prefix"] == network.prefix
        )
        beat = design.messages.beat(network)
        same = (other for other in found if other["beat"] == beat)
        found.append(
            {
                "name": network.name,
                "prefix": network.prefix,
                "camel": camel_case(network.prefix),
                "label": network.label,
                "beat": beat,
                "same": next(same, None),  # the first one with equal beats
                "data_width": network.data_width,
                "port_bits": _bits(max(sinks, default=1)),
                "router": router_parameters(network.fabric),
            }
        )
    return found


def _layer_beats(design: Design) -> dict[str, rtl.Beat]:
    """Types of beats that are none of a network's, for the package."""
    messages = design.messages
    found = {
        beat_type(layer, name, design): messages.beat(network, messages.of(layer, name))
        for layer in design.layers()
        for name, network in layer.types.items()
    }
    of_networks = {f"{network.prefix}{rtl.BEAT}" for network in design.networks}
    return {name: beat for name, beat in sorted(found.items()) if name not in of_networks}


def templates() -> jinja2.Environment:
    """The templates of generated files."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(paths.TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def _render(design: Design) -> dict[str, str]:
    """The generated SystemVerilog, text by path in the output folder."""
    config = design.config
    environment = templates()
    tiles = [tile_context(tile, design) for tile in design.tiles]
    register_map = design.register_map
    common = {
        "name": config.name,
        "source": design.file.path.name,
        "networks": _networks(design, tiles),
        "layer_beats": _layer_beats(design),
        "message_kinds": design.messages.numbers,
        "widths": " and ".join(str(network.data_width) for network in design.networks),
        "columns": design.columns,
        "rows": design.rows,
        "x_bits": _bits(design.columns),
        "y_bits": _bits(design.rows),
        "ports": [{"host": port, "mac": mac_number(port.mac)} for port in config.ports],
        "has_groups": any(each["groups"] for tile in tiles for each in tile["interfaces"]),
        "address_bits": register_map.address_bits,
        "window_bits": (register_map.window - 1).bit_length(),
        "register_types": registers.types(design),
    }
    top_ports = {
        "mac_ports": top_mac_ports(design),
        "raised_ports": [port for tile in tiles for port in tile["raised_ports"]],
    }
    registers_template = environment.get_template("registers.sv.j2")
    rendered = {
        f"{config.name}_registers_pkg.sv": environment.get_template(
            "registers_package.sv.j2"
        ).render(common),
        f"{config.name}_registers.sv": registers_template.render(
            common,
            module=f"{config.name}_registers",
            of=f"design {config.name} itself",
            **registers.design_window(register_map, _host_resets(config.name, len(config.ports))),
        ),
        f"{config.name}_pkg.sv": environment.get_template("package.sv.j2").render(common),
        f"{config.name}_top.sv": environment.get_template("top.sv.j2").render(
            common,
            **top_ports,
            tiles=tiles,
            crossing=CROSSING,
            links=[link for tile in tiles for link in tile["links"]],
            loads=[tile["name"] for tile in tiles if tile["tells_load"]],
            has_host=any(tile["has_host"] for tile in tiles),
            has_time=any(tile["has_time"] for tile in tiles),
        ),
    }
    if config.memories:
        around = memories.context(design)
        # Its own ports are those of the top, but for the memories'.
        wires = {wire["name"] for memory in around for wire in memory["wires"]}
        pins = [port for port in top_ports["raised_ports"] if port["name"] not in wires]
        rendered[f"sim/{config.name}_sim.sv"] = environment.get_template("simulation.sv.j2").render(
            common, **{**top_ports, "raised_ports": pins}, memories=around
        )
    template = environment.get_template("tile.sv.j2")
    for tile in tiles:
        module = f"{config.name}_tile_{tile['name']}"
        rendered[f"tiles/{module}.sv"] = template.render(common, tile=tile)
        rendered[f"tiles/{module}_registers.sv"] = registers_template.render(
            common,
            module=f"{module}_registers",
            of=f"tile {tile['name']} of design {config.name}",
            **tile["registers"],
        )
    return rendered


def _host_resets(name: str, num_ports: int) -> dict[str, str]:
    """Where the values of the MAC ports' registers after reset are, by their path."""
    return {
        f"host[{port}].{register}": f"{name}_pkg::HostInit[{port}].{value}"
        for port in range(num_ports)
        for register, value in (
            ("mac.address", "mac"),
            ("ip.address", "ip"),
            ("netmask.mask", "netmask"),
            ("gateway.address", "gateway"),
        )
    }


def _home(file: Path) -> str:
    """Where a copy of a file that the design uses stands in the output folder."""
    if file.is_relative_to(paths.RTL):
        return f"rtl/{file.relative_to(paths.RTL).as_posix()}"
    return f"sources/{file.name}"


def _core(name: str, headers: list[str], sources: list[str]) -> str:
    """A FuseSoC core description (CAPI2)."""
    # FuseSoC wants CAPI=2 in the first line.
    lines = [
        "CAPI=2:",
        "# SPDX-License-Identifier: Apache-2.0",
        f"name: bombus::{name}:0",
        "filesets:",
        "  rtl:",
        "    files:",
    ]
    lines += [
        f"      - {file}: {{is_include_file: true, include_path: {Path(file).parent.as_posix()}}}"
        for file in headers
    ]
    lines += [f"      - {file}" for file in sources]
    lines += ["    file_type: systemVerilogSource"]
    lines += ["targets:", "  default:", "    filesets: [rtl]", f"    toplevel: {name}_top"]
    return "\n".join(lines) + "\n"


def _register_files(design: Design) -> dict[str, str]:
    """What tells software of the design's registers."""
    name, register_map = design.config.name, design.register_map
    found = {_home(file): file.read_text(encoding="utf-8") for file in register_map.files}
    included = "".join(f'`include "{file}"\n' for file in found)
    header = c_header(register_map.files, register_map.text, name)
    return {
        **found,
        f"{name}.rdl": f"{_LICENCE}\n{included}\n{register_map.text}",
        f"{name}_registers.h": f"{_LICENCE}\n{header}",
        "registers.md": design_page(design),
    }


def texts(design: Design) -> dict[str, str]:
    """Everything that `generate` writes, text by path in the output folder."""
    name = design.config.name
    top = f"{name}_top"
    rendered = _render(design)
    files = [*rtl.rtl_files(), *design.file.source_files()]
    elaboration = rtl.elaborate(files, rendered, top=top)
    problems = elaboration.problems()
    if problems:
        raise DesignError(problems)

    result: dict[str, str] = {}
    sources: list[str] = []
    for source in elaboration.used(top):
        path = _home(source) if isinstance(source, Path) else source
        if path in result:
            raise UserError(f"two sources have the same file name: {path}")
        text = source.read_text(encoding="utf-8") if isinstance(source, Path) else rendered[source]
        result[path] = text
        sources.append(path)
    headers: list[str] = []
    for file in sorted(paths.RTL.rglob("*.svh")):
        headers.append(_home(file))
        result[headers[-1]] = file.read_text(encoding="utf-8")
    folders = sorted({Path(header).parent.as_posix() for header in headers})
    file_list = [_LICENCE, *(f"+incdir+{folder}" for folder in folders), *sources]
    result[f"{name}.f"] = "\n".join(file_list) + "\n"
    if design.config.memories:
        models = [f"sim/{model}" for model in memories.MODELS]
        for path in models:
            result[path] = (paths.SIM / "models" / Path(path).name).read_text(encoding="utf-8")
        path = f"sim/{name}_sim.sv"
        result[path] = rendered[path]
        result[f"{name}_sim.f"] = "\n".join([_LICENCE, *models, f"-F {name}.f", path]) + "\n"
    result[f"{name}.core"] = _core(name, headers, sources)
    result |= _register_files(design)
    result[f"{name}.json"] = json.dumps(manifest(design), indent=2) + "\n"
    return result


def write(design: Design, folder: Path) -> None:
    """Writes a checked design into `folder`; see `bombus.generation.folder`."""
    output.write(folder, texts(design))


def generate(design: Path, folder: Path, *, allow_deadlock: bool = False) -> Generated:
    """Checks a design file and writes its SystemVerilog into `folder`.

    Raises DesignError if the design is invalid; `allow_deadlock` lets one pass that is
    but for cycles of channels. An older result in the folder is replaced, UserError if it
    holds a file that Bombus did not write or that was changed since.
    """
    checked, warnings = check.check(design, allow_deadlock=allow_deadlock)
    write(checked, folder)
    return Generated(folder.resolve(), checked.config.name, checked, warnings)
