# SPDX-License-Identifier: Apache-2.0
"""Load a program into the memories of a packet processor, and start it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bombus.applications.processors import image
from bombus.applications.processors.image import Image
from bombus.base.errors import UserError


def check(registers: Any, program: Image) -> None:
    """UserError if the program does not fit into the memories; `registers` as of `load`."""
    needs = {"code": program.code_bytes, "data": max(program.data_bytes, program.stack_top)}
    for name, needed in needs.items():
        there = 4 * len(getattr(registers, name))
        if needed > there:
            raise UserError(
                f"{program.file} needs {needed:,} bytes of {name} memory, and the processor has "
                f"{there:,}: build it with --{name}-bytes {there}, or set {name}_bytes of the layer"
            )


def put(registers: Any, program: Image, number: int = 0) -> None:
    """Stops the processor and writes a program that fits; `number`: of the processor, for
    `rpu_number` of the program.
    """
    registers.control.run = 0
    data = program.data
    if program.number_place is not None:
        data = data | {program.number_place: number}
    for memory, words in ((registers.code, program.code), (registers.data, data)):
        for address, word in words.items():
            memory[address // 4].word = word


def write(registers: Any, file: Path, number: int = 0) -> None:
    """Stops the processor and writes the program; arguments as of `load` and `put`.

    UserError, before anything changes, if the file is no program or does not fit into the memories.
    """
    program = image.read(file)
    check(registers, program)
    put(registers, program, number)


def load(registers: Any, file: Path) -> None:
    """`registers`: of the packet processor, as `simulation.tile(name).registers`; `file`: ELF."""
    write(registers, file)
    registers.control.run = 1
