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
    shell/...       the top with AMD's MACs, where they fit, as a target of the FuseSoC core
    sim/..., <name>_sim.f  the top with its memories, if it has any, for simulation
    bombus.sha256   all files above with their hashes (`bombus.generation.folder`)
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from bombus.analysis import check
from bombus.base import paths
from bombus.base.errors import DesignError, Problem, UserError
from bombus.base.macros import MAC_PORTS
from bombus.design import rtl
from bombus.design.facts import Facts
from bombus.design.register_reference import design_page
from bombus.generation import folder as output
from bombus.generation import mac_shells, memories
from bombus.generation.file_lists import LICENCE, file_list, fusesoc_core
from bombus.generation.manifest import manifest
from bombus.generation.render import render
from bombus.registers.c_header import c_header

# Sets the number of MAC ports that the metadata has room for.
_PACKAGE = "rtl/platform/contract/bombus_pkg.sv"


@dataclass(frozen=True)
class Generated:
    """What `generate` wrote."""

    folder: Path
    name: str
    facts: Facts
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


def _home(file: Path) -> str:
    """Path in the output folder of the copy of a file that the design uses."""
    if file.is_relative_to(paths.RTL):
        return f"rtl/{file.relative_to(paths.RTL).as_posix()}"
    return f"sources/{file.name}"


def _register_files(facts: Facts) -> dict[str, str]:
    """Files that describe the design's registers to software."""
    name, register_map = facts.design.config.name, facts.register_map
    found = {_home(file): file.read_text(encoding="utf-8") for file in register_map.files}
    included = "".join(f'`include "{file}"\n' for file in found)
    header = c_header(register_map.files, register_map.text, name, register_map.root)
    return {
        **found,
        f"{name}.rdl": f"{LICENCE}\n{included}\n{register_map.text}",
        f"{name}_registers.h": f"{LICENCE}\n{header}",
        "registers.md": design_page(facts),
    }


def texts(facts: Facts) -> dict[str, str]:
    """Everything that `generate` writes, text by path in the output folder."""
    name = facts.design.config.name
    top = f"{name}_top"
    rendered = render(facts)
    files = [*rtl.rtl_files(), *facts.design.file.source_files()]
    num_mac_ports = len(facts.design.config.ports)
    elaboration = rtl.elaborate(files, rendered, top, num_mac_ports)
    problems = elaboration.problems()
    if problems:
        raise DesignError(problems)

    sources: dict[str, str] = {}
    for source in elaboration.used(top):
        path = _home(source) if isinstance(source, Path) else source
        if path in sources:
            raise UserError(f"two sources have the same file name: {path}")
        text = source.read_text(encoding="utf-8") if isinstance(source, Path) else rendered[source]
        if path == _PACKAGE and num_mac_ports > 1:
            licence, _, rest = text.partition("\n")
            text = f"{licence}\n`define {MAC_PORTS} {num_mac_ports}\n{rest}"
        sources[path] = text
    headers = {
        _home(file): file.read_text(encoding="utf-8") for file in sorted(paths.RTL.rglob("*.svh"))
    }
    result = rtl.without_unused_packages(sources | headers)
    sources = {path: text for path, text in result.items() if path in sources}
    headers = {path: text for path, text in result.items() if path in headers}
    folders = sorted({Path(header).parent.as_posix() for header in headers})
    result[f"{name}.f"] = file_list([*(f"+incdir+{folder}" for folder in folders), *sources])
    if facts.design.config.memories:
        models = [f"sim/{model}" for model in memories.MODELS]
        for path in models:
            result[path] = (paths.MODELS / Path(path).name).read_text(encoding="utf-8")
        path = f"sim/{name}_sim.sv"
        result[path] = rendered[path]
        result[f"{name}_sim.f"] = file_list([*models, f"-F {name}.f", path])
    shell = mac_shells.mac_shell(facts.design)
    if shell:
        result |= mac_shells.texts(facts, shell)
    result[f"{name}.core"] = fusesoc_core(name, list(headers), list(sources), shell)
    result |= _register_files(facts)
    result[f"{name}.json"] = json.dumps(manifest(facts), indent=2) + "\n"
    return result


def checked(design: Path) -> tuple[Facts, dict[str, str]]:
    """The facts of a design file, and everything that `generate` would write.

    Raises DesignError if the design is invalid.
    """
    facts, _ = check.check(design)
    return facts, texts(facts)


def write(facts: Facts, folder: Path) -> list[str]:
    """Writes a checked design into `folder`; see `bombus.generation.folder`. The paths of the
    files.
    """
    files = texts(facts)
    output.write(folder, files)
    return [*files]


def generate(design: Path, folder: Path, *, allow_deadlock: bool = False) -> Generated:
    """Checks a design file and writes its SystemVerilog into `folder`.

    Raises DesignError if the design is invalid; `allow_deadlock` accepts a design whose only errors
    are cycles of channels. Replaces an older result in the folder; raises UserError if the folder
    holds a file that Bombus did not write or that was changed since.
    """
    checked, warnings = check.check(design, allow_deadlock=allow_deadlock)
    write(checked, folder)
    return Generated(folder.resolve(), checked.design.config.name, checked, warnings)
