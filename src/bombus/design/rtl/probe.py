# SPDX-License-Identifier: Apache-2.0
"""A module with instances of layers, to be elaborated: each with the types that Bombus gives it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pyslang import ast

from bombus.base import trust
from bombus.base.errors import DesignError, Problem
from bombus.design.rtl.beat import Beat
from bombus.design.rtl.elaboration import Elaboration, elaborate
from bombus.registers.model import Block
from bombus.registers.rdl import layer_registers
from bombus.registers.systemverilog import layer_types


@dataclass(frozen=True)
class Probed:
    """An elaborated layer, with its registers."""

    instance: ast.InstanceSymbol
    registers: Block | None


def description(file: Path) -> Path | None:
    """The SystemRDL file beside a layer's SystemVerilog, if there is one."""
    found = file.with_suffix(".rdl")
    if not found.is_file():
        return None
    if not trust.may_read(found, file.resolve().parent):
        message = f"it is a link to a file outside of its folder; {trust.HINT}"
        raise DesignError([Problem(found, None, message)])
    return found


def version(file: Path) -> int:
    """Time of the last change of a source or of the SystemRDL file beside it."""
    beside = description(file)
    return max(each.stat().st_mtime_ns for each in (file, beside) if each)


def _numbers(body: ast.InstanceBodySymbol) -> dict[str, int]:
    """Parameters and localparams that are numbers."""
    found = {}
    for member in body:
        if member.kind == ast.SymbolKind.Parameter:
            try:
                found[member.name] = int(member.value.value)
            except (AttributeError, TypeError, ValueError):
                continue
    return found


def _text(
    types: Mapping[str, Beat],
    layers: Mapping[str, Iterable[str]],
    registers: Mapping[str, Block],
) -> str:
    lines = ['`include "bombus_types.svh"', "module probe;"]
    lines += [f"  {beat.typedef(name)}" for name, beat in types.items()]
    for kind, given in layers.items():
        values = list(given)
        for name, text in (layer_types(registers[kind]) if kind in registers else {}).items():
            *body, end = text
            lines += [f"  typedef {body[0]}", *body[1:], f"{end} {kind}_{name};"]
            values.append(f".{name}({kind}_{name})")
        lines.append(f"  {kind} #({', '.join(values)}) u_{kind} ();")
    return "\n".join([*lines, "endmodule", ""])


def _lines(text: str, kinds: Iterable[str]) -> dict[tuple[Path, int], str]:
    """The kind that each instance is of, by line."""
    starts = {f"  {kind} #(": kind for kind in kinds}
    return {
        (Path("probe"), number): starts[found]
        for number, line in enumerate(text.splitlines(), 1)
        if (found := line.partition("#(")[0] + "#(") in starts
    }


def _instances(elaboration: Elaboration) -> dict[str, ast.InstanceSymbol]:
    return {
        member.body.definition.name: member
        for member in elaboration.instance("probe").body
        if isinstance(member, ast.InstanceSymbol)
    }


def probe(
    files: Iterable[Path],
    types: Mapping[str, Beat],
    layers: Mapping[str, Iterable[str]],
    descriptions: Mapping[str, Path],
    num_mac_ports: int,
) -> tuple[Elaboration, dict[str, Probed]]:
    """Layers, by kind, with these parameter assignments.

    `types`: beats by the name of the type. `descriptions`: SystemRDL by kind.
    """
    files = list(files)
    registers: dict[str, Block] = {}
    if described := {kind: given for kind, given in layers.items() if kind in descriptions}:
        # First without register types, to learn the parameters that the registers depend on.
        text = _text(types, described, {})
        first = elaborate(files, {"probe": text}, "probe", num_mac_ports)
        try:
            registers = {
                kind: layer_registers(descriptions[kind], kind, _numbers(instance.body))
                for kind, instance in _instances(first).items()
            }
        except DesignError:
            if refusals := [remark for remark in first.remarks() if remark.is_error]:
                raise DesignError(refusals) from None
            raise
    text = _text(types, layers, registers)
    elaboration = elaborate(files, {"probe": text}, "probe", num_mac_ports)
    elaboration = replace(elaboration, instances=_lines(text, layers))
    return elaboration, {
        kind: Probed(instance, registers.get(kind))
        for kind, instance in _instances(elaboration).items()
    }
