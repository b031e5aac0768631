# SPDX-License-Identifier: Apache-2.0
"""The SystemVerilog of a layer, by templates.

It consists of a package of constants, the pipeline, which instantiates spn_leaf_table,
spn_class_table, spn_product, spn_sum and spn_delay, and the layer with copies of the pipeline.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyslang import syntax

from bombus.applications.spn.bound import printed
from bombus.applications.spn.lower import Add, Table
from bombus.applications.spn.number import GUARD_BITS
from bombus.applications.spn.pipeline import Pipeline
from bombus.applications.spn.resources import by_class, in_block_ram
from bombus.base.errors import UserError
from bombus.base.templates import templates


@dataclass(frozen=True)
class Transport:
    """How a layer is connected to the network."""

    name: str
    title: str
    module: str  # with the kernel
    drop: str  # why a request without a reply is dropped
    max_reply: int  # bytes
    is_stream: bool = False  # the layer has AXI-Streams of messages, not ports of the mesh


TRANSPORTS = {
    each.name: each
    for each in (
        Transport("udp", "UDP", "spn_udp", "DropNoReplyPort", 1472),
        Transport("ethernet", "plain Ethernet", "spn_ethernet", "DropForeign", 1500),
        Transport("tcp", "TCP", "spn_tcp", "DropNoReply", 8192, is_stream=True),
    )
}

_LINE_DIGITS = 80  # hexadecimal digits of a constant in a line


@dataclass(frozen=True)
class _Instance:
    """An operation as the template prints it."""

    number: int
    kind: str  # table, class_table, product or sum
    comment: str
    inputs: Sequence[str]
    delay: int
    width: int  # bits of the result
    input_width: int = 0  # of a sum
    depth: int = 0  # entries of a table, that of missing values included
    block_ram: bool = False
    constants: Sequence[str] = ()  # of a table; of a product, its constant


@dataclass(frozen=True)
class _Variable:
    """The value of a variable, or its class, as the template prints it."""

    number: int
    width: int  # bits
    delay: int
    is_class: bool
    depth: int = 0  # entries of the table of classes
    block_ram: bool = False
    constants: Sequence[str] = ()


def identifier(name: str) -> str:
    """A name of modules for a model, such as NIPS10 -> nips10."""
    found = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    if not re.match("[a-z]", found):
        raise UserError(f"{name!r} cannot be the name of a module: it must begin with a letter")
    if [*syntax.SyntaxTree.fromText(f"module {found};\nendmodule\n").diagnostics]:
        raise UserError(
            f"{name!r} cannot be the name of a module: {found} is a keyword of SystemVerilog; "
            "choose another name"
        )
    return found


def _constants(numbers: Sequence[int], width: int) -> list[str]:
    """A packed array as parts of a concatenation, the last number first; a part a line."""
    per_line = max(1, 4 * _LINE_DIGITS // width)
    starts = range(0, len(numbers), per_line)
    parts = []
    for start in reversed(starts):
        some = numbers[start : start + per_line]
        value = sum(number << width * n for n, number in enumerate(some))
        bits = width * len(some)
        parts.append(f"{bits}'h{value:0{(bits + 3) // 4}x}")
    return parts


def _tap(number: int, cycles: int) -> str:
    """A result, so many cycles after it is ready."""
    return f"r{number}[{cycles}]"


def _instances(pipeline: Pipeline) -> list[_Instance]:
    plan, names = pipeline.schedule, pipeline.lowered.network.variables
    found: list[_Instance] = []
    for number, operation in enumerate(pipeline.lowered.operations):
        start, delay, width = plan.start[number], plan.delays[number], pipeline.widths[number]
        when = f"ready in cycle {plan.ready[number]}"
        if isinstance(operation, Table):
            variable = operation.variable
            known = by_class(operation, pipeline)
            numbers = known or (*operation.numbers, operation.missing)
            found.append(
                _Instance(
                    number,
                    "table" if known is None else "class_table",
                    f"{_printable(names[variable])}, {when}",
                    [f"v{variable}[{start - plan.variable_ready[variable]}]"],
                    delay,
                    width,
                    depth=len(numbers),
                    block_ram=in_block_ram(operation),
                    constants=_constants(numbers, width),
                )
            )
            continue
        inputs = [_tap(n, start - plan.ready[n]) for n in operation.operands]
        if isinstance(operation, Add):
            inputs = [
                text if pipeline.widths[n] == width else f"{width}'({text})"
                for n, text in zip(operation.operands, inputs, strict=True)
            ]
            constants = _constants([operation.constant], width)
            found.append(
                _Instance(number, "product", when, inputs, delay, width, constants=constants)
            )
        else:
            # At least the position in a segment and a bit of its number
            least = pipeline.table.low_bits + 1
            widest = max(least, *(pipeline.widths[n] for n in operation.operands))
            inputs = [
                text if pipeline.widths[n] == widest else f"{widest}'({text})"
                for n, text in zip(operation.operands, inputs, strict=True)
            ]
            found.append(_Instance(number, "sum", when, inputs, delay, width, widest))
    return found


def _variables(pipeline: Pipeline) -> list[_Variable]:
    found: list[_Variable] = []
    for number, classes in enumerate(pipeline.classes):
        delay = pipeline.schedule.variable_delays[number]
        if classes is None:
            found.append(_Variable(number, pipeline.lowered.value_bits, delay, is_class=False))
            continue
        numbers = [*classes.of_values, classes.missing]
        found.append(
            _Variable(
                number,
                classes.bits,
                delay,
                is_class=True,
                depth=len(numbers),
                block_ram=in_block_ram(classes),
                constants=_constants(numbers, classes.bits),
            )
        )
    return found


def _printable(name: str) -> str:
    """A variable's name in a comment of one line."""
    return re.sub(r"[^ -~]", "?", name)[:40]


def sources(
    pipeline: Pipeline,
    name: str,
    *,
    copies: int = 1,
    transport: Transport = TRANSPORTS["udp"],
    udp_port: int = 1043,
    floats: bool = False,
) -> dict[str, str]:
    """The text of each file by its name. `name`: an identifier; `floats`: results are floats."""
    environment = templates(Path(__file__).parent / "templates")
    table = pipeline.table
    entries = [
        base << table.slope_bits | slope
        for base, slope in zip(table.bases.tolist(), table.slopes.tolist(), strict=True)
    ]
    lowered = pipeline.lowered
    context: dict[str, Any] = {
        "name": name,
        "model": _printable(lowered.network.name),
        "width": pipeline.width,
        "fraction": pipeline.fraction,
        "offset": lowered.offset,
        "value_bits": lowered.value_bits,
        "depth": pipeline.schedule.depth,
        "bound": printed(pipeline.bound),
        "variables": len(lowered.network.variables),
        "inputs": _variables(pipeline),
        "instances": _instances(pipeline),
        "root": _tap(len(lowered.operations) - 1, 0),
        "root_width": pipeline.widths[-1],
        "low_bits": table.low_bits,
        "guard_bits": GUARD_BITS,
        "base_bits": table.base_bits,
        "slope_bits": table.slope_bits,
        "segments": table.size,
        "entries": _constants(entries, table.base_bits + table.slope_bits),
    }
    context |= {"copies": copies, "udp_port": udp_port, "float": floats, "transport": transport}
    parts = {"_model_pkg": "spn_pkg", "_pipeline": "spn_pipeline", "": "spn_layer"}
    return {
        f"{name}{suffix}.sv": environment.get_template(f"{template}.sv.j2").render(context)
        for suffix, template in parts.items()
    }
