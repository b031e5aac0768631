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
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2

from bombus import check, config, paths, rtl, watchpoints
from bombus.dispatch import dispatch_plan
from bombus.errors import DesignError, Problem, UserError
from bombus.network import Network
from bombus.noc.router import router_parameters
from bombus.tiles import tile_context

MANIFEST_VERSION = 1


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
        "max_frame_bytes": rtl.constant("bombus_pkg::MaxFrameBytes"),
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
        "dispatch": [
            {
                "tile": tile.name,
                "next": network.library.next_names[dispatch.number],
                "group": dispatch.group.name,
                "policy": dispatch.group.policy,
                "first_slot": dispatch.first_slot,
                "replicas": [target.full_name for target in dispatch.targets],
                "slots": [
                    {"to": target.tile.name, "port": target.tile.entries.index(target)}
                    for target in dispatch.slots
                ],
            }
            for tile in network.tiles
            for dispatch in dispatch_plan(tile, network)
        ],
        "watch": watchpoints.points(network),
        "next_hops": {name: number for number, name in network.library.next_names.items()},
    }


def _render(network: Network) -> dict[str, str]:
    """The generated SystemVerilog, text by path in the output folder."""
    design = network.design
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(paths.TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    tiles = [tile_context(tile, network) for tile in network.tiles]
    common = {
        "name": design.name,
        "source": network.file.path.name,
        "data_width": design.data_width,
        "columns": network.columns,
        "rows": network.rows,
        "x_bits": _bits(network.columns),
        "y_bits": _bits(network.rows),
        "port_bits": _bits(max(tile["num_sinks"] for tile in tiles)),
        "router": router_parameters(network.fabric),
        "host": design.host,
        "has_groups": any(tile["groups"] for tile in tiles),
        "host_mac": config.mac_number(design.host.mac),
    }
    rendered = {
        f"{design.name}_pkg.sv": environment.get_template("package.sv.j2").render(common),
        f"{design.name}_top.sv": environment.get_template("top.sv.j2").render(
            common,
            tiles=tiles,
            mac_ports=[port for tile in tiles for port in tile["mac_ports"]],
            links=[link["outgoing"] for tile in tiles for link in tile["links"]],
            loads=[tile["name"] for tile in tiles if tile["tells_load"]],
            has_host=any(tile["has_host"] for tile in tiles),
            has_time=any(tile["has_time"] for tile in tiles),
        ),
    }
    template = environment.get_template("tile.sv.j2")
    for tile in tiles:
        path = f"tiles/{design.name}_tile_{tile['name']}.sv"
        rendered[path] = template.render(common, tile=tile)
    return rendered


def _home(file: Path) -> str:
    """Where a copy of a file that the design uses stands in the output folder."""
    if file.is_relative_to(paths.RTL):
        return f"rtl/{file.relative_to(paths.RTL).as_posix()}"
    return f"sources/{file.name}"


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


def texts(network: Network) -> dict[str, str]:
    """Everything that `generate` writes, text by path in the output folder."""
    name = network.design.name
    top = f"{name}_top"
    rendered = _render(network)
    files = [*rtl.rtl_files(), *network.file.source_files()]
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
    file_list = [f"+incdir+{folder}" for folder in folders] + sources
    result[f"{name}.f"] = "\n".join(file_list) + "\n"
    result[f"{name}.core"] = _core(name, headers, sources)
    result[f"{name}.json"] = json.dumps(manifest(network), indent=2) + "\n"
    return result


def write(network: Network, folder: Path) -> None:
    """Writes a checked design into `folder`, whole or not at all."""
    folder = folder.resolve()
    manifest_file = folder / f"{network.design.name}.json"
    if folder.exists() and not manifest_file.exists():
        if not folder.is_dir():
            raise UserError(f"{folder} is a file, not a folder")
        if any(folder.iterdir()):
            raise UserError(f"{folder} has files in it that Bombus did not write; choose another")
    result = texts(network)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as temporary:
        new = Path(temporary) / "new"
        for path, text in result.items():
            (new / path).parent.mkdir(parents=True, exist_ok=True)
            (new / path).write_text(text, encoding="utf-8")
        if folder.exists():
            folder.rename(Path(temporary) / "old")
        new.rename(folder)


def generate(design: Path, folder: Path, *, allow_deadlock: bool = False) -> Generated:
    """Checks a design file and writes its SystemVerilog into `folder`.

    Raises DesignError if the design is not sound; `allow_deadlock` lets one pass that is
    but for cycles of channels. An older result in the folder is replaced.
    """
    network, warnings = check.check(design, allow_deadlock=allow_deadlock)
    write(network, folder)
    return Generated(folder.resolve(), network.design.name, network, warnings)
