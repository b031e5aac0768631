# SPDX-License-Identifier: Apache-2.0
"""Contents of the memories of a packet processor, from an ELF file."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path

from bombus.base.errors import UserError

DATA_BASE = 0x10000000
_LOAD, _RISCV, _EXECUTABLE_FILE = 1, 243, 2
_SYMBOLS = 2  # kind of section
_STACK_TOP = b"__stack_top"  # of link.ld
_NUMBER = b"rpu_number"  # of rpu_host.h


@dataclass
class Image:
    """Words by byte address, each from the start of its memory."""

    file: Path
    code: dict[int, int] = field(default_factory=dict)
    data: dict[int, int] = field(default_factory=dict)
    data_bytes: int = 0  # including zero-initialised data
    stack_top: int = 0  # in the data memory; 0 if the file does not say
    number_place: int | None = None  # in the data memory, of the processor's number, if it asks

    @property
    def code_bytes(self) -> int:
        """Up to the last word."""
        return max(self.code, default=-4) + 4


def read(file: Path) -> Image:
    """Reads an ELF file for RV32; UserError if it is damaged or another kind of file."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise UserError(f"cannot read {file}: {error.strerror or error}") from None
    try:
        return _read(file, content)
    except (struct.error, IndexError, ValueError):
        raise UserError(f"{file}: the ELF file is damaged or cut off") from None


def _read(file: Path, content: bytes) -> Image:
    if content[:6] != b"\x7fELF\x01\x01":
        raise UserError(f"{file} is not a 32-bit little-endian ELF file")
    header = struct.unpack_from("<HHIIIIIHHHHHH", content, 16)
    kind, machine, _, entry, programs, _, _, _, size, count = header[:10]
    if (kind, machine, entry) != (_EXECUTABLE_FILE, _RISCV, 0):
        raise UserError(f"{file} is not a RISC-V program that starts at address 0")
    image = Image(file)
    for index in range(count):
        segment = struct.unpack_from("<8I", content, programs + index * size)
        what, offset, address, _, in_file, in_memory = segment[:6]
        if what != _LOAD or not in_memory:
            continue
        is_data = address >= DATA_BASE
        start = address - DATA_BASE if is_data else address
        if start % 4:
            raise UserError(f"{file}: a segment starts at 0x{address:x}, between two words")
        raw = content[offset : offset + in_file]
        if len(raw) < in_file:
            raise ValueError("the segment ends after the file")
        raw += bytes(-len(raw) % 4)
        words = struct.unpack(f"<{len(raw) // 4}I", raw)
        memory = image.data if is_data else image.code
        memory.update({start + 4 * place: word for place, word in enumerate(words)})
        if is_data:
            image.data_bytes = max(image.data_bytes, start + in_memory)
    symbols = _symbols(content)
    image.stack_top = max(0, symbols.get(_STACK_TOP, 0) - DATA_BASE)
    place = symbols.get(_NUMBER, 0) - DATA_BASE
    image.number_place = place if place in image.data else None
    return image


def _symbols(content: bytes) -> dict[bytes, int]:
    """Values by name; none if the file has been stripped."""
    (sections,) = struct.unpack_from("<I", content, 32)
    size, count = struct.unpack_from("<HH", content, 46)
    found: dict[bytes, int] = {}
    headers = [struct.unpack_from("<10I", content, sections + n * size) for n in range(count)]
    for _, kind, _, _, offset, length, link, _, _, each in headers:
        if kind != _SYMBOLS:
            continue
        names = content[headers[link][4] :]
        for at in range(offset, offset + length, each):
            name, value = struct.unpack_from("<II", content, at)
            found[names[name : names.index(b"\0", name)]] = value
    return found
