# SPDX-License-Identifier: Apache-2.0
"""The ports of layer modules: those that Bombus connects, with their widths, and all others.

What each means: docs/architecture.md, "A layer".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pyslang import ast

from bombus.base.errors import Problem
from bombus.base.text import near_matches
from bombus.design.rtl.beat import BEAT, OWN_BEAT
from bombus.design.rtl.elaboration import Elaboration
from bombus.design.rtl.packages import length_bits
from bombus.design.rtl.shared import Shared
from bombus.registers.model import Block
from bombus.registers.systemverilog import layer_ports

# Ports by name, with their bits. A name's end gives the direction.
_BITS = {
    **dict.fromkeys(
        (
            "clk_i",
            "rst_i",
            "hold_i",
            "busy_o",
            "waits_o",
            "discards_o",
            "timer_o",
            "mac_message_o",
        ),
        1,
    ),
    "time_us_i": 32,
}
_LENGTH = "mac_bytes_o"  # of type bombus_pkg::length_t
# Ports with a type of bombus_pkg, as arrays, with the parameter that gives their size.
_TYPES = {
    "host_i": ("host_t", "MAC port (NumMacPorts)"),
    "route_i": ("route_t", "entry of the routing table (NumRoutes, at least 1)"),
}
# Ports of a layer that observes its tile.
OBSERVER_PORTS = (*("observed_drop_i", "observed_message_i", "observed_beat_i", "observed_data_i"),)
DROP_MESSAGE = "drop_message_o"
# Ports as wide as the number of the layer's counters, or of what it observes.
_OTHERS = frozenset({"drop_o", "event_o", DROP_MESSAGE, *OBSERVER_PORTS})
# Suffixes of a stream's ports, with their bits; None: depends on its data or its next hops.
INPUT_ENDS = {"i": None, "valid_i": 1, "ready_o": 1}
OUTPUT_ENDS = {"o": None, "valid_o": 1, "ready_i": 1, "next_o": None}
# Ports of a MAC port, without its number.
_STREAM = ("tdata_i", "tkeep_i", "tvalid_i", "tready_o", "tlast_i")
MAC_PORTS = frozenset(
    {
        *(f"mac_rx_{name}" for name in (*_STREAM, "tuser_i")),
        *(f"mac_tx_{name[:-1]}{'o' if name.endswith('i') else 'i'}" for name in _STREAM),
    }
)
# Ports of a layer that is a master of registers, with their bits; None: those of the struct
# `register_request_t`.
REGISTER_MASTER_PORTS: Mapping[str, int | None] = {
    "register_request_o": None,
    "register_request_valid_o": 1,
    "register_request_ready_i": 1,
    "register_response_i": 32,
    "register_response_valid_i": 1,
    "register_response_ready_o": 1,
}
# Signals of a layer's own AXI-Stream besides tready; tuser is optional.
_AXI_STREAM = ("tdata", "tkeep", "tvalid", "tlast")
_SINGLE = _BITS.keys() | _TYPES.keys() | _OTHERS | MAC_PORTS | {_LENGTH}


def streams(ports: Iterable[str], valid: str) -> list[str]:
    """Names of the streams of messages whose valid has this suffix: `_valid_i` for inputs,
    `_valid_o` for outputs. Ports as `x_data_o` and `x_valid_o` are raw data, not a stream.
    """
    names = {*ports}
    return [
        port.removesuffix(valid)
        for port in ports
        if port.endswith(valid)
        and port not in REGISTER_MASTER_PORTS
        and port.removesuffix(valid) + valid.replace("valid", "data") not in names
    ]


def axi_streams(ports: Iterable[str]) -> dict[str, bool]:
    """AXI-Streams among the ports outside the contract, and whether each is an output."""
    names, found = {*ports}, {}
    for end, other in (("o", "i"), ("i", "o")):
        needed = (*(f"{each}_{end}" for each in _AXI_STREAM), f"tready_{other}")
        for stream in (name.removesuffix(f"_tvalid_{end}") for name in names):
            if all(f"{stream}_{each}" in names for each in needed):
                found[stream] = end == "o"
    return dict(sorted(found.items()))


@dataclass(frozen=True)
class FurtherPort:
    """A port outside the contract: the design file raises it to the top."""

    name: str
    is_output: bool
    width: int  # bits
    file: Path
    line: int
    known: frozenset[str]  # ports that the contract knows

    def problem(self, layer: str) -> Problem:
        """The problem if it is not raised."""
        group = self.name.removesuffix("_o" if self.is_output else "_i")
        other = f"{group}_i" if self.is_output else f"{group}_o"
        message = _unknown(
            f"layer {layer}: port {self.name} is none that Bombus connects by itself",
            self.name,
            self.known,
            f"raise it to the top by `ports: {{{group}: <name>}}` in the tile of the design file, "
            f"or give another layer of the tile the port {other}",
        )
        return Problem(self.file, self.line, message)


def further_ports(
    body: ast.InstanceBodySymbol, elaboration: Elaboration, known: Iterable[str]
) -> Iterator[FurtherPort]:
    """The ports of a module that are not `known`. Their names end in _i or _o, like all ports."""
    known = frozenset(known)
    for port in body.portList:
        if port.kind == ast.SymbolKind.Port and port.name not in known:
            is_output = port.direction == ast.ArgumentDirection.Out
            file = elaboration.file(port.location)
            line = elaboration.manager.getLineNumber(port.location)
            yield FurtherPort(port.name, is_output, port.type.bitWidth, file, line, known)


def _unknown(said: str, port: str, known: Iterable[str], cure: str) -> str:
    """Advice about a port: the names that may have been meant, or else a cure."""
    if port.startswith("mac"):
        hint = near_matches(port, known)
    elif re.search(r"_t(data|keep|valid|ready|last|user)(_[io])?$", port):
        return f"{said}; {cure}"  # an AXI-Stream of a kernel, which resembles that of a MAC port
    else:
        hint = near_matches(port, {*known} - MAC_PORTS)
    return f"{said}; {hint} Otherwise {cure}" if hint.endswith("?") else f"{said} ({hint}); {cure}"


def known_ports(
    inputs: Iterable[str], outputs: Iterable[str], registers: Block | None
) -> dict[str, int | None]:
    """Ports that Bombus connects automatically, with their bits; None: depends on the layer."""
    of_streams = {f"{name}_{end}": bits for name in inputs for end, bits in INPUT_ENDS.items()}
    of_streams |= {f"{name}_{end}": bits for name in outputs for end, bits in OUTPUT_ENDS.items()}
    of_registers = {port.name: port.bits for port in layer_ports(registers)} if registers else {}
    return {
        **dict.fromkeys(_SINGLE),
        **_BITS,
        _LENGTH: length_bits(),
        **REGISTER_MASTER_PORTS,
        **of_streams,
        **of_registers,
    }


def _unknown_type(
    elaboration: Elaboration, file: Path, line: int, body: ast.InstanceBodySymbol
) -> str:
    """Why a port's type is none: the compiler's errors in its line."""
    found = [
        each.message for each in elaboration.problems() if (each.file, each.line) == (file, line)
    ]
    for number, message in enumerate(found):
        if match := re.search(r"undeclared identifier '(\w+)'", message):
            names = [
                member.name
                for member in body
                if member.kind in (ast.SymbolKind.Parameter, ast.SymbolKind.TypeParameter)
            ]
            hint = near_matches(match[1], names)
            found[number] = f"there is no parameter or type {match[1]!r}; {hint}"
    return "; ".join(dict.fromkeys(found)) or "its type is unknown"


def port_problems(
    body: ast.InstanceBodySymbol,
    elaboration: Elaboration,
    known: Mapping[str, int | None],
    shared: Shared,
) -> Iterator[Problem]:
    """Ports that Bombus cannot connect, each with its line."""
    package = elaboration.compilation.getPackage("bombus_pkg")
    for port in body.portList:
        file = elaboration.file(port.location)
        line = elaboration.manager.getLineNumber(port.location)
        where = f"layer {body.definition.name}: port {port.name}"
        if port.kind != ast.SymbolKind.Port:
            yield Problem(file, line, f"{where} is an interface; layers have plain ports")
            continue
        if port.name[-2:] not in ("_i", "_o"):
            end = "_o" if port.direction == ast.ArgumentDirection.Out else "_i"
            message = _unknown(
                f"{where} is none that Bombus connects by itself",
                port.name,
                known,
                f"name it {port.name}{end} to raise it to the top by `ports` in the design file, "
                f"or x{end} to join it to x{'_i' if end == '_o' else '_o'} of a layer in its tile",
            )
            yield Problem(file, line, message)
            continue
        if port.type.isError:
            yield Problem(file, line, f"{where}: {_unknown_type(elaboration, file, line, body)}")
            continue
        if not port.type.isIntegral:
            yield Problem(
                file, line, f"{where} has the type {port.type}; a port should have a packed type"
            )
            continue
        wanted = ast.ArgumentDirection.In if port.name[-1] == "i" else ast.ArgumentDirection.Out
        if port.direction != wanted:
            word = "input" if wanted == ast.ArgumentDirection.In else "output"
            yield Problem(file, line, f"{where} should be an {word}")
        bits = known.get(port.name)
        if port.name in _TYPES:
            count = {"host_i": shared.num_mac_ports, "route_i": max(1, shared.num_routes)}
            type_ = package.find(_TYPES[port.name][0]).targetType.type
            bits = count[port.name] * type_.bitWidth
        elif port.name == "register_request_o":
            bits = package.find("register_request_t").targetType.type.bitWidth
        elif port.name == DROP_MESSAGE:
            number = package.find("message_number_t").targetType.type.bitWidth
            drops = next((each for each in body.portList if each.name == "drop_o"), None)
            bits = number * (drops.type.bitWidth if drops else 0)
        if bits is not None and port.type.bitWidth != bits:
            why = f", once for each {_TYPES[port.name][1]}" if port.name in _TYPES else ""
            yield Problem(
                file, line, f"{where} has {port.type.bitWidth} bits; it should have {bits}{why}"
            )


def stream_problems(
    body: ast.InstanceBodySymbol, elaboration: Elaboration, data: Iterable[tuple[str, str]]
) -> Iterator[Problem]:
    """Streams whose data do not have the type of their type parameter; `data`: (stream, port) of
    each.
    """
    types = {
        member.name: member.targetType.type
        for member in body
        if member.kind == ast.SymbolKind.TypeParameter and not member.isLocalParam
    }
    ports = {port.name: port for port in body.portList if port.kind == ast.SymbolKind.Port}
    for stream, name in data:
        port, own = ports.get(name), f"{stream}{OWN_BEAT}"
        wanted = own if own in types else BEAT
        if port is None or (wanted in types and port.type.isMatching(types[wanted])):
            continue
        missing = "" if wanted in types else f"; declare `parameter type {wanted} = logic`"
        yield Problem(
            elaboration.file(port.location),
            elaboration.manager.getLineNumber(port.location),
            f"layer {body.definition.name}: port {name} should have the type {wanted}, as the data "
            f"of stream {stream}{missing}",
        )
