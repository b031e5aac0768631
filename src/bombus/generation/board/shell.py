# SPDX-License-Identifier: Apache-2.0
"""The shell of a design on a board: MACs, clocks, resets, pins."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from bombus.analysis import check
from bombus.base import paths
from bombus.base.errors import UserError
from bombus.base.templates import templates
from bombus.base.text import counted
from bombus.design.facts import Facts
from bombus.design.resolved import Design
from bombus.generation import folder as output
from bombus.generation import generate, memories
from bombus.generation.beat_links import beat_links
from bombus.generation.board import liteeth_mac, serial_lane
from bombus.generation.board.config import Board, Serdes
from bombus.generation.file_lists import LICENCE, file_list
from bombus.generation.mac_ports import top_mac_ports, with_clock
from bombus.generation.mac_shells import axi_lite_registers
from bombus.generation.manifest import manifest

GMII_MHZ = 125.0
_VCO_MHZ = (400.0, 800.0)  # ECP5 family data sheet, sysCLOCK PLL timing; so is the next one
_MIN_COMPARED_MHZ = 10.0
_MAX_DIVIDER = 128
_FAR_ENDS = ("gmii_link.sv", "axi_lite_master.sv")  # models for the simulator
_RESETS = "rtl/platform/clocks/async_reset.sv"
_MAC_BITS = 64  # LiteEth has no wider one
# Data that a MAC can hold after the design has sent them: words in its FIFO, bytes behind it.
_MAC_WORDS, _MAC_BYTES = 32, 64
# No warnings for LiteEth's code.
_LINT = f"""{LICENCE}
`verilator_config
lint_off -file "*/{liteeth_mac.MODULE}.v"
lint_off -rule COMBDLY -file "*/{liteeth_mac.MODULE}.v"
lint_off -rule UNOPTFLAT -file "*/{liteeth_mac.MODULE}.v"
"""


@dataclass(frozen=True)
class Pll:
    """Dividers of an EHXPLLL whose feedback is the clock of the design."""

    input_divider: int
    feedback_divider: int
    core_divider: int
    tx_divider: int


def pll(input_mhz: float, core_mhz: float) -> Pll:
    """Dividers that give the clock of the design and 125 MHz from one oscillator, both exactly."""
    dividers = range(1, _MAX_DIVIDER + 1)
    for core, tx in itertools.product(dividers, dividers):
        vco = core_mhz * core
        if not (_VCO_MHZ[0] <= vco <= _VCO_MHZ[1] and vco == GMII_MHZ * tx):
            continue
        for divider in dividers:
            feedback = core_mhz * divider / input_mhz
            if input_mhz / divider >= _MIN_COMPARED_MHZ and feedback in dividers:
                return Pll(divider, round(feedback), core, tx)
    raise UserError(
        f"the PLL cannot make {core_mhz:g} MHz and {GMII_MHZ:g} MHz from {input_mhz:g} MHz; "
        "choose a clock_mhz such as 50 or 62.5"
    )


def refuse_what_does_not_fit(facts: Facts, board: Board, serdes: Sequence[Serdes] = ()) -> None:
    """UserError; `serdes`: the transceivers for raised ports of links."""
    design = facts.design
    ports = design.config.ports[: design.mac_count()]
    if len(ports) > len(board.phys):
        raise UserError(
            f"{design.config.name} has {counted(len(ports), 'MAC port')}, "
            f"{board.name} {counted(len(board.phys), 'PHY')}"
        )
    if any(port.clock_mhz is not None for port in ports):
        raise UserError("MAC ports on a board have no clock_mhz: its MAC crosses the clocks")
    if design.config.clock_mhz * design.networks[0].data_width < 1000 * len(ports):
        raise UserError(f"{design.config.name} carries less than 1 Gbit/s for each MAC port")
    links = beat_links(facts.raised_ports)[: len(serdes)]
    pins = [
        pin
        for pin in memories.pins(facts)
        if not any(pin["name"].startswith(f"{link['name']}_") for link in links)
    ]
    if pins:
        raise UserError(
            f"raised port {pins[0]['name']} cannot be connected on {board.name}: remove it, or "
            "write your own shell"
        )
    if design.config.memories:
        name = next(iter(design.config.memories))
        raise UserError(
            f"memory {name} cannot be connected on {board.name}: remove it, or write your own shell"
        )
    for link, lane in zip(links, serdes, strict=False):
        name, bits = link["name"], link["bits"]
        if bits % serial_lane.DATA_BITS or bits < 2 * serial_lane.DATA_BITS:
            raise UserError(f"{name} has {bits} bits; a lane carries multiples of 16, at least 32")
        needed = lane.symbol_mhz * serial_lane.DATA_BITS / bits
        if design.config.clock_mhz < needed:
            raise UserError(
                f"clock_mhz {design.config.clock_mhz:g} is too slow for {name} at "
                f"{lane.gbps:g} Gbit/s: at least {needed:g}"
            )
    width = design.networks[0].data_width
    if ports and width > _MAC_BITS:
        raise UserError(
            f"data_width {width} is too wide for the MAC of {board.name}: at most {_MAC_BITS}"
        )


def _environment() -> jinja2.Environment:
    return templates(paths.PACKAGE / "generation" / "board" / "templates")


@dataclass(frozen=True)
class _RaisedPort:
    """A raised port that the shell passes on."""

    name: str
    width: int
    is_output: bool


@dataclass(frozen=True)
class _Lane:
    """A raised port of a link at a transceiver."""

    number: int
    name: str
    bits: int
    module: str


@dataclass(frozen=True)
class _Context:
    """Values for the templates around a design."""

    name: str
    source: str  # the design file
    ports: list[int]
    data_width: int
    keep_width: int
    address_bits: int
    map_bytes: int
    raised: list[_RaisedPort]


def _context(facts: Facts) -> _Context:
    design = facts.design
    width = design.networks[0].data_width
    return _Context(
        name=design.config.name,
        source=design.file.path.name,
        ports=list(range(design.mac_count())),
        data_width=width,
        keep_width=width // 8,
        address_bits=facts.register_map.address_bits,
        map_bytes=facts.register_map.map_bytes,
        raised=[
            _RaisedPort(name, port.width, port.is_output)
            for name, port in facts.raised_ports.items()
        ],
    )


def with_shell(facts: Facts, command: str) -> dict[str, str]:
    """The files of a design and of its shell, by path."""
    design = facts.design
    name = design.config.name
    sources = generate.texts(facts)
    width = design.networks[0].data_width
    macs = [f"board/{liteeth_mac.MODULE}.v"] if design.mac_count() else []
    sources |= {file: liteeth_mac.verilog(width, command) for file in macs}
    shell = _environment().get_template("shell.sv.j2").render(vars(_context(facts)))
    sources[f"board/{name}_shell.sv"] = shell
    sources |= axi_lite_registers()
    parts = [*axi_lite_registers(), *macs, f"board/{name}_shell.sv"]
    files = [f"-F {name}.f", *parts]
    sources[f"{name}_shell.f"] = file_list(files)
    return sources


def with_links(facts: Facts, command: str) -> dict[str, str]:
    """Files of a design, its shell and the far ends of its links, for a simulator."""
    design = facts.design
    name = design.config.name
    sources = with_shell(facts, command)
    models = [f"board/{name}" for name in _FAR_ENDS]
    for path in models:
        sources[path] = (paths.MODELS / Path(path).name).read_text(encoding="utf-8")
    inside = _MAC_WORDS * design.networks[0].data_width // 8 + _MAC_BYTES
    sources[f"board/{name}_gmii.sv"] = (
        _environment()
        .get_template("gmii.sv.j2")
        .render(
            vars(_context(facts)),
            mac_ports=[
                {"declarations": with_clock(number, port.declarations)}
                for number, port in enumerate(top_mac_ports(design))
            ],
            raised_ports=[],
            mac_cycles=math.ceil(inside * design.config.clock_mhz / GMII_MHZ),
        )
    )
    sources[f"{name}_gmii.f"] = file_list(
        ["board/lint.vlt", f"-F {name}_shell.f", *models, f"board/{name}_gmii.sv"]
    )
    sources["board/lint.vlt"] = _LINT
    described = manifest(facts)
    top = f"{name}_gmii"
    described["simulation"] = {
        "top": top,
        "instance": f"{top}.u_shell.u_top",
        "file_list": f"{name}_gmii.f",
    }
    for port in described["mac_ports"]:
        port["clock_mhz"] = GMII_MHZ
    sources[f"{name}.json"] = json.dumps(described, indent=2) + "\n"
    return sources


def checked(file: Path, board: Board, serdes: Sequence[Serdes] = ()) -> Facts:
    """The facts of a design file; UserError if the design does not fit on the board."""
    facts, _ = check.check(file)
    refuse_what_does_not_fit(facts, board, serdes)
    return facts


def generate_with_links(file: Path, board: Board, folder: Path) -> None:
    """Checks a design file and writes the files for a simulator of it on a board."""
    output.write(folder, with_links(checked(file, board), "a simulator with a board"))


def on_board(facts: Facts, board: Board, command: str) -> dict[str, str]:
    """Sources of a design on a board, listed in `<name>_board.f`, and pins (`board/<name>.lpf`)."""
    design = facts.design
    name = design.config.name
    sources = with_shell(facts, command)
    used = board.phys[: design.mac_count()]
    lanes = [
        _Lane(number, link["name"], link["bits"], serial_lane.module(lane))
        for number, (link, lane) in enumerate(
            zip(beat_links(facts.raised_ports), board.serdes, strict=False)
        )
    ]
    added = {
        path: (paths.RTL.parent / path).read_text(encoding="utf-8")
        for path in (_RESETS, *(serial_lane.SOURCES if lanes else ()))
        if path not in sources
    }
    for lane, serdes in zip(lanes, board.serdes, strict=False):
        added[f"board/{lane.module}.v"] = serial_lane.verilog(serdes, command)
    sources[f"board/{name}_board.sv"] = (
        _environment()
        .get_template("board.sv.j2")
        .render(
            vars(_context(facts)),
            board=board,
            core_mhz=f"{design.config.clock_mhz:g}",
            pll=pll(board.clock.mhz, design.config.clock_mhz),
            has_phy_reset=any(phy.reset_n for phy in used),
            lanes=lanes,
        )
    )
    sources |= added
    sources[f"{name}_board.f"] = file_list([f"-F {name}_shell.f", *added, f"board/{name}_board.sv"])
    sources[f"board/{name}.lpf"] = constraints(design, board, len(lanes))
    return sources


def constraints(design: Design, board: Board, num_lanes: int = 0) -> str:
    """Pins and clocks as an LPF file for nextpnr."""
    lines = ["# SPDX-License-Identifier: Apache-2.0", f"# {design.config.name} on {board.name}"]

    def place(port: str, pin: str, standard: str) -> None:
        lines.append(f'LOCATE COMP "{port}" SITE "{pin}";')
        lines.append(f'IOBUF PORT "{port}" IO_TYPE={standard};')

    place("clk_i", board.clock.pin, board.clock.standard)
    lines.append(f'FREQUENCY PORT "clk_i" {board.clock.mhz:g} MHZ;')
    if board.reset_n:
        place("reset_n_i", board.reset_n.pin, board.reset_n.standard)
    for number, phy in enumerate(board.phys[: design.mac_count()]):
        for signal, pin in phy.pins():
            base, bracket, bit = signal.partition("[")
            way = "i" if base.startswith("rx") else "o"
            place(f"phy{number}_{base}_{way}{bracket}{bit}", pin, phy.standard)
        lines.append(f'FREQUENCY PORT "phy{number}_rx_clk_i" {GMII_MHZ:g} MHZ;')
    for number, lane in enumerate(board.serdes[:num_lanes]):
        for signal, pin in lane.pins():
            name, _, end = signal.partition("_")
            way = "o" if name == "tx" else "i"
            lines.append(f'LOCATE COMP "serdes{number}_{name}_{end}_{way}" SITE "{pin}";')
        for side in ("tx", "rx"):
            lines.append(f'FREQUENCY NET "lane{number}_{side}_clk" {lane.symbol_mhz:g} MHZ;')
    for number, driven in enumerate(board.high):
        place(f"high_o[{number}]", driven.pin, driven.standard)
    return "\n".join(lines) + "\n"
