# SPDX-License-Identifier: Apache-2.0
"""Load a program into the memories of a packet processor, and start it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bombus.firmware import image


def write(registers: Any, file: Path) -> None:
    """Stops the processor and writes the program; arguments as of `load`."""
    program = image.read(file)
    registers.control.run = 0
    for memory, words in ((registers.code, program.code), (registers.data, program.data)):
        for address, word in words.items():
            memory[address // 4].word = word


def load(registers: Any, file: Path) -> None:
    """`registers`: of the packet processor, as `simulation.tile(name).registers`; `file`: ELF."""
    write(registers, file)
    registers.control.run = 1
